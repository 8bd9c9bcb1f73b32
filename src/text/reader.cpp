#include "reader.hpp"

#include <algorithm>
#include <cmath>

#include "../problem/suggest.hpp"

namespace rattleback::text {

Reader::Reader(const Source& source, const Settings& settings, const MethodCheck& methods,
               long largest)
    : source_(source), settings_(settings), methods_(methods), budget_(largest) {
  file_.path = source.name();
  file_.text = source.text();
}

ModelFile Reader::read() {
  root_ = parse_toml(source_);
  for (const char* later : {"body", "joint"})
    if (const auto* entry = root_.find(later))
      fail(entry->position, "[[" + entry->key + "]] belongs to models of kind = \"multibody\"");
  allow_keys(root_, "the file", {"model", "initial", "method", "run", "sweep", "observe"});
  for (const auto& entry : root_.entries) require(entry, Toml::Type::table, "a table");
  const Toml::Entry* model = root_.find("model");
  if (!model) fail({}, "there is no table [model]");
  read_system(*model);
  if (const auto* entry = root_.find("initial")) read_initial(*entry);
  if (const auto* entry = root_.find("method")) read_method(*entry);
  if (const auto* entry = root_.find("run")) read_run(*entry);
  if (const auto* entry = root_.find("sweep")) read_sweep(*entry);
  if (const auto* entry = root_.find("observe")) read_observables(*entry);
  return std::move(file_);
}

void Reader::allow_keys(const Toml& table, const std::string& name,
                        std::initializer_list<const char*> keys) const {
  for (const auto& entry : table.entries) {
    std::vector<std::string> known(keys.begin(), keys.end());
    if (std::find(known.begin(), known.end(), entry.key) != known.end()) continue;
    const char* what = entry.value.is(Toml::Type::table) ? "table " : "key ";
    fail(entry.position, std::string("unknown ") + what + in_quotes(entry.key) + " in " + name +
                             detail::suggestion(entry.key, known));
  }
}

const Toml& Reader::require(const Toml::Entry& entry, Toml::Type type,
                            const std::string& wanted) const {
  if (!entry.value.is(type))
    fail(entry.value.position,
         in_quotes(entry.key) + " must be " + wanted + ", not " + entry.value.type_name());
  return entry.value;
}

Code Reader::code(const Toml& value, const std::string& what, const Allowed& allowed) {
  Passage passage{&source_, value.string, value.position};
  if (value.is(Toml::Type::string)) return parse_expression(passage, scope_, allowed);
  if (!value.is(Toml::Type::integer) && !value.is(Toml::Type::real))
    fail(value.position, what + " must be a number or an expression, not " + value.type_name());
  if (!std::isfinite(value.number))
    fail(value.position, what + " must be finite, not " + detail::quote(value.number));
  return {.passage = std::move(passage),
          .steps = {{.kind = Step::Kind::number, .number = value.number}},
          .indices = allowed.indices};
}

double Reader::number(const Toml::Entry& entry) {
  const std::string what = in_quotes(entry.key);
  return Expander(budget_).number(code(entry.value, what, {.what = what}));
}

double Reader::positive(const Toml::Entry& entry) {
  const double value = number(entry);
  if (value <= 0)
    fail(entry.value.position,
         in_quotes(entry.key) + " must be positive, not " + detail::quote(value));
  return value;
}

long Reader::positive_whole(const Toml::Entry& entry) {
  const double value = number(entry);
  if (value < 1 || value != std::floor(value) || value > 1e15)
    fail(entry.value.position, in_quotes(entry.key) +
                                   " must be a whole number from 1 to 1e15, not " +
                                   detail::quote(value));
  return static_cast<long>(value);
}

bool Reader::boolean(const Toml::Entry& entry) {
  return require(entry, Toml::Type::boolean, "true or false").boolean;
}

Code Reader::member_code(const Toml& value, const std::string& what, Allowed allowed,
                         bool is_family) {
  if (is_family) allowed.indices = {"i"};
  return code(value, what, allowed);
}

std::vector<Value> Reader::members(Expander& expander, const Family& family, const Code& code) {
  std::vector<Value> values;
  for (long i = family.lower; i <= family.upper; ++i) {
    const auto index = static_cast<double>(i);
    values.push_back(expander.value(code, std::span(&index, family.is_family ? 1 : 0)));
  }
  return values;
}

}  // namespace rattleback::text
