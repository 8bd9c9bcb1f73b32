#include <algorithm>
#include <cmath>

#include "reader.hpp"
#include "suggest.hpp"

namespace rattleback::text {

void Reader::read_initial(const Toml::Entry& entry) {
  allow_keys(entry.value, "[initial]", {"q", "p", "v", "project", "allow_inconsistent"});
  ModelFile::Initial initial;
  const auto* q = entry.value.find("q");
  const auto* p = entry.value.find("p");
  const auto* v = entry.value.find("v");
  if (!q) fail(entry.position, "[initial] has no 'q'");
  if (p && v) fail(v->position, "[initial] has either 'p' or 'v', not both");
  const bool is_lagrangian = file_.system.form == SystemDescription::Form::lagrangian;
  if (v && file_.system.form == SystemDescription::Form::hamiltonian)
    fail(v->position, "a model with 'hamiltonian' starts from 'p', not from 'v'");
  initial.q = read_vector(*q);
  if (p) initial.p = read_vector(*p);
  if (v) initial.v = read_vector(*v);
  if (!p && !v) (is_lagrangian ? initial.v : initial.p).assign(initial.q.size(), 0);
  if (const auto* project = entry.value.find("project")) initial.project = boolean(*project);
  if (const auto* allow = entry.value.find("allow_inconsistent"))
    initial.allow_inconsistent = boolean(*allow);
  if (!initial.project) check_start(initial);
  file_.initial = std::move(initial);
}

std::vector<double> Reader::read_vector(const Toml::Entry& entry) {
  const Toml& value = entry.value;
  const int n = file_.system.dimension();
  const Allowed allowed{.what = "[initial]"};
  const std::string what = "an entry of " + in_quotes(entry.key);
  Expander expander(budget_);
  std::vector<double> numbers;
  if (value.is(Toml::Type::list)) {
    if (static_cast<int>(value.items.size()) != n)
      fail(value.position, in_quotes(entry.key) + " has " + std::to_string(value.items.size()) +
                               " entries; the model has " + std::to_string(n) + " coordinates");
    for (const Toml& item : value.items)
      numbers.push_back(expander.number(code(item, what, allowed)));
    return numbers;
  }
  require(entry, Toml::Type::table, "a list, or a table by coordinates");
  std::vector<std::string> names;
  for (const Family& family : families_) names.push_back(family.name);
  for (const auto& given : value.entries)
    if (std::find(names.begin(), names.end(), given.key) == names.end())
      fail(given.position,
           "unknown coordinate " + in_quotes(given.key) + suggestion(given.key, names));
  for (const Family& family : families_) {
    const auto* given = value.find(family.name);
    if (!given)
      fail(value.position, in_quotes(entry.key) + " has no entry for " + in_quotes(family.name));
    const Toml& written = given->value;
    if (family.is_family && written.is(Toml::Type::list)) {
      if (static_cast<int>(written.items.size()) != family.size())
        fail(written.position,
             in_quotes(given->key) + " has " + std::to_string(written.items.size()) +
                 " entries; the family has " + std::to_string(family.size()) + " members");
      for (const Toml& item : written.items)
        numbers.push_back(expander.number(code(item, what, allowed)));
      continue;
    }
    for (const Value& member : members(expander, family, written, what, allowed))
      numbers.push_back(member.number);
  }
  return numbers;
}

/// Energy and constraints must be finite and smooth where the run begins.
void Reader::check_start(const ModelFile::Initial& initial) {
  const auto n = static_cast<std::size_t>(file_.system.dimension());
  int known = Symbol::parameter | Symbol::coordinate;
  if (!initial.p.empty()) known |= Symbol::momentum;
  if (!initial.v.empty()) known |= Symbol::velocity;
  std::vector<double> point(3 * n, 0);
  std::copy(initial.q.begin(), initial.q.end(), point.begin());
  std::copy(initial.p.begin(), initial.p.end(), point.begin() + static_cast<long>(n));
  std::copy(initial.v.begin(), initial.v.end(), point.begin() + static_cast<long>(2 * n));
  Expander expander(budget_, point);
  const auto is_known = [&](const Code& code) {
    return std::all_of(code.steps.begin(), code.steps.end(), [&](const Step& step) {
      return !step.symbol || (step.symbol->kind & known);
    });
  };
  if (is_known(*energy_)) expander.value(*energy_);
  for (const Code& constraint : constraints_)
    if (is_known(constraint)) expander.each(constraint, [](const Value&, const std::string&) {});
}

}  // namespace rattleback::text
