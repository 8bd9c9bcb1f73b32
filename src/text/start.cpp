#include <algorithm>
#include <cmath>
#include <map>

#include "../problem/suggest.hpp"
#include "reader.hpp"

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
      fail(value.position, in_quotes(entry.key) + " has " +
                               counted(value.items.size(), "entry", "entries") +
                               "; the model has " + counted(n, "coordinate", "coordinates"));
    for (const Toml& item : value.items)
      numbers.push_back(expander.number(code(item, what, allowed)));
    return numbers;
  }
  require(entry, Toml::Type::table, "a list, or a table by coordinates");
  std::map<std::string, const Toml*> given;
  for (const auto& by_name : value.entries) {
    const Symbol* symbol = scope_.find(by_name.key);
    if (!symbol || symbol->kind != Symbol::coordinate) refuse_coordinate(by_name);
    given.emplace(by_name.key, &by_name.value);
  }
  for (const Family& family : families_) {
    const auto found = given.find(family.name);
    if (found == given.end())
      fail(value.position, in_quotes(entry.key) + " has no entry for " + in_quotes(family.name));
    for (const double number : read_family(family, *found->second, what)) numbers.push_back(number);
  }
  return numbers;
}

std::vector<double> Reader::read_family(const Family& family, const Toml& value,
                                        const std::string& what) {
  const Allowed allowed{.what = "[initial]"};
  Expander expander(budget_);
  std::vector<double> numbers;
  if (!family.is_family || !value.is(Toml::Type::list)) {
    const Code code = member_code(value, what, allowed, family.is_family);
    for (const Value& member : members(expander, family, code)) numbers.push_back(member.number);
    return numbers;
  }
  if (static_cast<int>(value.items.size()) != family.size())
    fail(value.position, in_quotes(family.name) + " has " +
                             counted(value.items.size(), "entry", "entries") + "; the family has " +
                             counted(family.size(), "member", "members"));
  for (const Toml& item : value.items)
    numbers.push_back(expander.number(code(item, what, allowed)));
  return numbers;
}

void Reader::refuse_coordinate(const Toml::Entry& entry) const {
  std::vector<std::string> names;
  names.reserve(families_.size());
  for (const Family& family : families_) names.push_back(family.name);
  fail(entry.position,
       "unknown coordinate " + in_quotes(entry.key) + detail::suggestion(entry.key, names));
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
