#include "plot_curves.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>

#include "rattleback/problem/error.hpp"

namespace rattleback::detail {

namespace {

Series find_series(const RunHeader& run, const std::string& name) {
  std::string known;
  const auto& fields = run.layout.fields;
  for (int f = 0; f < static_cast<int>(fields.size()); ++f)
    for (int i = 0; i < fields[f].columns(); ++i) {
      if (name == fields[f].labels[i]) return {f, i};
      known += fields[f].labels[i] + ", ";
    }
  const std::vector<std::string> multipliers = multiplier_names(run);
  for (int i = 0; i < run.multipliers; ++i) {
    if (name == multipliers[i]) return {Series::multiplier, i};
    known += multipliers[i] + ", ";
  }
  if (name == "t") return {};
  throw InputError("plot", "there is no '" + name + "' to draw; there are " + known + "t");
}

/// Where things are.
const Field& first_field(const RunHeader& run) { return run.layout.fields.at(0); }

/// x_1, x[1] or x1 as ("x", "1").
std::pair<std::string, std::string> split_name(const std::string& name) {
  std::size_t end = name.size();
  if (end > 0 && name[end - 1] == ']') --end;
  std::size_t begin = end;
  while (begin > 0 && std::isdigit(static_cast<unsigned char>(name[begin - 1]))) --begin;
  std::size_t stem = begin;
  if (stem > 0 && (name[stem - 1] == '[' || name[stem - 1] == '_')) --stem;
  if (begin == end || stem == 0) return {name, ""};
  return {name.substr(0, stem), name.substr(begin, end - begin)};
}

void add_once(std::vector<std::string>& all, const std::string& one) {
  if (std::find(all.begin(), all.end(), one) == all.end()) all.push_back(one);
}

/// Families of two or three stems over the same indices, such as x_1, x_2, y_1, y_2.
std::optional<Curves> family_curves(const RunHeader& run) {
  std::vector<std::string> stems, indices;
  std::map<std::pair<std::string, std::string>, int> where;
  for (int i = 0; i < first_field(run).columns(); ++i) {
    const auto key = split_name(first_field(run).labels[i]);
    if (key.second.empty()) return std::nullopt;
    add_once(stems, key.first);
    add_once(indices, key.second);
    where[key] = i;
  }
  if (stems.size() < 2 || stems.size() > 3 || where.size() != stems.size() * indices.size())
    return std::nullopt;
  Curves found{stems, {}, {}};
  // Of many points a few, the last one among them.
  const std::size_t count = std::min(indices.size(), most_curves);
  for (std::size_t k = 0; k < count; ++k) {
    const std::string& index = indices[(k + 1) * indices.size() / count - 1];
    std::vector<Series> axes;
    axes.reserve(stems.size());
    for (const auto& stem : stems) axes.push_back({0, where.at({stem, index})});
    found.curves.push_back(std::move(axes));
    found.names.push_back(index);
  }
  return found;
}

}  // namespace

bool Curves::lengths() const {
  return std::all_of(curves[0].begin(), curves[0].end(),
                     [](const Series& s) { return s.field == 0; });
}

Curves choose_curves(const RunHeader& run, const PlotOptions& options) {
  std::vector<std::string> axes = options.axes;
  if (axes.size() == 1 || axes.size() > 3)
    throw InputError("plot", "give two or three names to draw, got " + std::to_string(axes.size()));
  if (axes.empty()) {
    if (auto families = family_curves(run)) return *families;
    const auto& names = first_field(run).labels;
    axes.assign(names.begin(),
                names.begin() + (names.size() == 3 ? 3 : std::min<long>(names.size(), 2)));
    if (axes.size() < 2) axes.insert(axes.begin(), "t");
    if (axes.size() < 2) throw InputError("plot", "the run has no coordinates to draw");
  }
  Curves one{axes, {{}}, {}};
  for (const auto& axis : axes) one.curves[0].push_back(find_series(run, axis));
  return one;
}

}  // namespace rattleback::detail
