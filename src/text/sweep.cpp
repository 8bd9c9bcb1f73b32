#include <charconv>
#include <cmath>

#include "../problem/suggest.hpp"
#include "reader.hpp"

namespace rattleback {

namespace {

/// A number in [-1, 1) that depends on these three only [Steele, Lea, Flood 2014: SplitMix].
double random_number(std::uint64_t seed, std::uint64_t member, std::uint64_t entry) {
  const auto mix = [](std::uint64_t x) {
    x += 0x9e3779b97f4a7c15ULL;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31);
  };
  return std::ldexp(static_cast<double>(mix(mix(mix(seed) + member) + entry) >> 11), -52) - 1;
}

}  // namespace

double ModelFile::Sweep::Values::operator[](long i) const {
  if (!list.empty()) return list[static_cast<std::size_t>(i)];
  if (i + 1 == count && count > 1) return to;
  const double s = count == 1 ? 0 : static_cast<double>(i) / static_cast<double>(count - 1);
  return logarithmic ? from * std::pow(to / from, s) : from + s * (to - from);
}

long ModelFile::Sweep::size() const {
  long size = starts;
  for (const Axis& axis : axes) size *= axis.values.size();
  return size;
}

std::vector<double> ModelFile::Sweep::values(long member) const {
  std::vector<double> values(axes.size());
  member /= starts;
  for (std::size_t k = axes.size(); k-- > 0;) {
    const long count = axes[k].values.size();
    values[k] = axes[k].values[member % count];
    member /= count;
  }
  return values;
}

Settings ModelFile::Sweep::settings(long member) const {
  Settings settings;
  const std::vector<double> now = values(member);
  for (std::size_t k = 0; k < axes.size(); ++k) {
    if (axes[k].target != Target::parameter) continue;
    char buffer[32];
    settings.emplace_back(axes[k].name,
                          std::string(buffer, std::to_chars(buffer, std::end(buffer), now[k]).ptr));
  }
  return settings;
}

ModelFile::Initial ModelFile::Sweep::start(long member, Initial initial) const {
  const std::vector<double> now = values(member);
  for (std::size_t k = 0; k < axes.size(); ++k) {
    const Axis& axis = axes[k];
    if (axis.target == Target::q) initial.q[axis.index] = now[k];
    if (axis.target == Target::p) initial.p[axis.index] = now[k];
    if (axis.target == Target::v) initial.v[axis.index] = now[k];
  }
  std::uint64_t entry = 0;
  const auto shake = [&](std::vector<double>& x, double spread) {
    for (double& value : x) value += spread * random_number(seed, member, entry++);
  };
  shake(initial.q, spread_q);
  shake(initial.p, spread_p);
  shake(initial.v, spread_p);
  return initial;
}

namespace text {

void Reader::read_sweep(const Toml::Entry& entry) {
  allow_keys(entry.value, "[sweep]", {"parameters", "initial", "random"});
  Sweep sweep;
  if (const auto* table = entry.value.find("parameters"))
    for (const auto& axis : require(*table, Toml::Type::table, "a table").entries)
      sweep.axes.push_back(parameter_axis(axis));
  for (const char* key : {"initial", "random"})
    if (const auto* needs = entry.value.find(key); needs && !file_.initial)
      fail(needs->position, in_quotes(key) + " of [sweep] needs a table [initial] to start from");
  if (const auto* table = entry.value.find("initial"))
    for (const auto& axis : require(*table, Toml::Type::table, "a table").entries)
      sweep.axes.push_back(start_axis(axis));
  if (const auto* random = entry.value.find("random")) read_random(*random, sweep);
  double size = static_cast<double>(sweep.starts);
  for (const auto& axis : sweep.axes) size *= static_cast<double>(axis.values.size());
  if (size > 1e9)
    fail(entry.position, "[sweep] has " + detail::quote(size) + " members; the limit is 1e9");
  file_.sweep = std::move(sweep);
}

ModelFile::Sweep::Axis Reader::parameter_axis(const Toml::Entry& entry) {
  if (!file_.parameters.count(entry.key)) {
    std::vector<std::string> names;
    names.reserve(parameters_.size());
    for (const Parameter& parameter : parameters_) names.push_back(parameter.name);
    fail(entry.position,
         "unknown parameter " + in_quotes(entry.key) + detail::suggestion(entry.key, names));
  }
  if (scope_.find(entry.key)->is_family)
    fail(entry.position, in_quotes(entry.key) + " is a list; only single parameters can be swept");
  return {entry.key, Sweep::Target::parameter, 0, axis_values(entry)};
}

ModelFile::Sweep::Axis Reader::start_axis(const Toml::Entry& entry) {
  const std::string& name = entry.key;
  const std::size_t bracket = name.find('[');
  const Symbol* symbol = scope_.find(name.substr(0, bracket));
  if (!symbol || symbol->kind == Symbol::parameter)
    fail(entry.position, in_quotes(name) + " is not a coordinate, momentum or velocity" +
                             detail::suggestion(name, scope_.names()));
  long index = symbol->lower;
  if (bracket != std::string::npos || symbol->is_family) {
    const char* end = name.data() + name.size();
    const auto read = bracket == std::string::npos
                          ? std::from_chars_result{end, std::errc::invalid_argument}
                          : std::from_chars(name.data() + bracket + 1, end, index);
    if (!symbol->is_family || read.ec != std::errc{} || std::string_view(read.ptr, end) != "]" ||
        index < symbol->lower || index > symbol->upper)
      fail(entry.position,
           in_quotes(name) + " is not " +
               (symbol->is_family
                    ? "a member of the family " + name.substr(0, bracket) + '[' +
                          std::to_string(symbol->lower) + ".." + std::to_string(symbol->upper) + ']'
                    : "a family: it takes no index"));
  }
  const int n = file_.system.dimension();
  const int input = symbol->first + static_cast<int>(index - symbol->lower);
  const auto target = symbol->kind == Symbol::coordinate ? Sweep::Target::q
                      : symbol->kind == Symbol::momentum ? Sweep::Target::p
                                                         : Sweep::Target::v;
  if ((target == Sweep::Target::p && file_.initial->p.empty()) ||
      (target == Sweep::Target::v && file_.initial->v.empty()))
    fail(entry.position, in_quotes(name) + " is " + kind_name(symbol->kind) +
                             ", but [initial] gives " +
                             (file_.initial->p.empty() ? "velocities" : "momenta"));
  return {name, target, input % n, axis_values(entry)};
}

ModelFile::Sweep::Values Reader::axis_values(const Toml::Entry& entry) {
  if (entry.value.is(Toml::Type::table)) return grid_values(entry);
  require(entry, Toml::Type::list, "a list of values, or a grid { from, to, count }");
  if (entry.value.items.empty())
    fail(entry.value.position, "the list " + in_quotes(entry.key) + " is empty");
  Sweep::Values values;
  values.list.reserve(entry.value.items.size());
  for (const Toml& item : entry.value.items)
    values.list.push_back(number({entry.key, item.position, item}));
  return values;
}

ModelFile::Sweep::Values Reader::grid_values(const Toml::Entry& entry) {
  allow_keys(entry.value, "the grid " + in_quotes(entry.key), {"from", "to", "count", "scale"});
  for (const char* key : {"from", "to", "count"})
    if (!entry.value.find(key))
      fail(entry.value.position, "the grid " + in_quotes(entry.key) + " has no " + in_quotes(key));
  const auto& from_entry = *entry.value.find("from");
  const double from = number(from_entry), to = number(*entry.value.find("to"));
  const long count = positive_whole(*entry.value.find("count"));
  bool is_log = false;
  if (const auto* scale = entry.value.find("scale")) {
    const std::string& word = require(*scale, Toml::Type::string, "\"linear\" or \"log\"").string;
    is_log = word == "log";
    if (!is_log && word != "linear")
      fail(scale->value.position, "'scale' must be \"linear\" or \"log\", not " + in_quotes(word));
  }
  if (is_log && (from <= 0 || to <= 0))
    fail(from_entry.value.position, "a grid with scale \"log\" needs positive ends");
  return {.from = from, .to = to, .count = count, .logarithmic = is_log};
}

void Reader::read_random(const Toml::Entry& entry, Sweep& sweep) {
  const Toml& table = require(entry, Toml::Type::table, "a table { count, seed, spread }");
  allow_keys(table, "'random' of [sweep]", {"count", "seed", "spread"});
  const auto* count = table.find("count");
  const auto* spread = table.find("spread");
  if (!count) fail(table.position, "'random' has no 'count'");
  if (!spread) fail(table.position, "'random' has no 'spread'");
  sweep.starts = positive_whole(*count);
  if (const auto* seed = table.find("seed")) sweep.seed = positive_whole(*seed);
  if (!spread->value.is(Toml::Type::table)) {
    sweep.spread_q = sweep.spread_p = positive(*spread);
    return;
  }
  const char* other = file_.initial->p.empty() ? "v" : "p";
  allow_keys(spread->value, "'spread'", {"q", other});
  if (const auto* q = spread->value.find("q")) sweep.spread_q = positive(*q);
  if (const auto* p = spread->value.find(other)) sweep.spread_p = positive(*p);
}

}  // namespace text
}  // namespace rattleback
