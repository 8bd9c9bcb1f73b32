#include <algorithm>
#include <cmath>
#include <filesystem>

#include "rattleback/expression/derivative.hpp"
#include "reader.hpp"

namespace rattleback::text {

namespace {

using Form = SystemDescription::Form;

std::string numbered(const std::string& name, long index) {
  return name + '[' + std::to_string(index) + ']';
}

/// Whether a constant symmetric matrix is positive definite, by Cholesky.
bool is_positive_definite(std::vector<double> a, int n) {
  for (int j = 0; j < n; ++j)
    for (int i = j; i < n; ++i) {
      double& entry = a[i * n + j];
      for (int k = 0; k < j; ++k) entry -= a[i * n + k] * a[j * n + k];
      if (i == j && !(entry > 0)) return false;
      entry = i == j ? std::sqrt(entry) : entry / a[j * n + j];
    }
  return true;
}

}  // namespace

void Reader::read_system(const Toml::Entry& model) {
  if (const auto* kind = model.value.find("kind")) {
    const std::string& name = require(*kind, Toml::Type::string, "a string").string;
    if (name != "expressions")
      fail(kind->value.position, "unknown kind of model " + in_quotes(name));
  }
  allow_keys(model.value, "[model]",
             {"kind", "name", "coordinates", "parameters", "mass", "potential", "hamiltonian",
              "lagrangian", "constraints"});
  const auto* coordinates = model.value.find("coordinates");
  if (!coordinates) fail(model.position, "[model] has no 'coordinates'");
  file_.system.name = std::filesystem::path(file_.path).stem().string();
  if (const auto* name = model.value.find("name"))
    file_.system.name = require(*name, Toml::Type::string, "a string").string;
  declare_parameters(model.value);
  apply_settings();
  require(*coordinates, Toml::Type::list, "a list of names");
  const auto entries = declare_coordinates(coordinates->value);
  parse_parameters();
  evaluate_parameters();
  size_families(entries, coordinates->value);
  read_energy(model);
  if (const auto* constraints = model.value.find("constraints"))
    read_constraints(require(*constraints, Toml::Type::list, "a list of expressions"));
  replace_velocities();
}

std::vector<CoordinateEntry> Reader::declare_coordinates(const Toml& list) {
  if (list.items.empty()) fail(list.position, "there must be at least one coordinate");
  std::vector<CoordinateEntry> entries;
  for (const Toml& item : list.items) {
    if (!item.is(Toml::Type::string))
      fail(item.position, std::string("a coordinate must be a string, not ") + item.type_name());
    const Passage passage{&source_, item.string, item.position};
    entries.push_back(parse_coordinate(passage, scope_));
    const std::string wrong =
        scope_.declare_coordinate(entries.back().name, entries.back().lower.has_value());
    if (!wrong.empty()) fail(item.position, wrong);
  }
  return entries;
}

void Reader::size_families(const std::vector<CoordinateEntry>& entries, const Toml& list) {
  int n = 0;
  for (std::size_t k = 0; k < entries.size(); ++k) {
    const CoordinateEntry& entry = entries[k];
    Family family{entry.name, entry.lower.has_value(), 1, 1, n};
    const TextPosition position = list.items[k].position;
    if (family.is_family) {
      const double lower = Expander(budget_).number(*entry.lower);
      const double upper = Expander(budget_).number(*entry.upper);
      const std::string range = "the range " + detail::quote(lower) + ".." + detail::quote(upper) +
                                " of " + in_quotes(entry.name);
      if (lower != std::floor(lower) || upper != std::floor(upper) || std::abs(lower) > 1e15)
        fail(position, range + " must be of whole numbers");
      if (upper < lower) fail(position, range + " is empty");
      if (!budget_.spend(upper - lower + 1)) fail(position, range + " is too long");
      family.lower = static_cast<long>(lower);
      family.upper = static_cast<long>(upper);
    }
    for (long i = family.lower; i <= family.upper; ++i)
      file_.system.coordinates.push_back(family.is_family ? numbered(entry.name, i) : entry.name);
    families_.push_back(family);
    n += family.size();
  }
  for (const Family& family : families_) {
    const std::pair<std::string, int> names[] = {
        {family.name, 0}, {"p_" + family.name, n}, {family.name + "_dot", 2 * n}};
    for (const auto& [name, start] : names) {
      Symbol& symbol = *scope_.find(name);
      symbol.lower = family.lower;
      symbol.upper = family.upper;
      symbol.first = start + family.first;
    }
  }
}

void Reader::read_energy(const Toml::Entry& model) {
  const struct {
    const char *key, *name;
    Form form;
    Expression& target;
    int kinds;
  } forms[] = {{"potential", "the potential", Form::natural, file_.system.potential, 0},
               {"hamiltonian", "the Hamiltonian", Form::hamiltonian, file_.system.hamiltonian,
                Symbol::momentum},
               {"lagrangian", "the Lagrangian", Form::lagrangian, file_.system.lagrangian,
                Symbol::velocity}};
  const Toml::Entry* found = nullptr;
  for (const auto& [key, name, form, target, kinds] : forms) {
    const auto* entry = model.value.find(key);
    if (!entry) continue;
    if (found)
      fail(entry->position,
           "a model has either " + in_quotes(found->key) + " or " + in_quotes(key) + ", not both");
    found = entry;
    file_.system.form = form;
    const Allowed allowed{.what = name, .kinds = Symbol::parameter | Symbol::coordinate | kinds};
    energy_ = code(entry->value, in_quotes(key), allowed);
    target = Expander(budget_, *file_.system.graph).expression(*energy_);
  }
  if (!found)
    fail(model.position, "[model] needs 'potential' (with 'mass'), 'hamiltonian' or 'lagrangian'");
  const auto* mass = model.value.find("mass");
  if (file_.system.form == Form::natural) {
    if (!mass) fail(found->position, "a model with 'potential' needs 'mass'");
    read_mass(*mass);
  } else if (mass) {
    fail(mass->position, "'mass' belongs to 'potential'; " + in_quotes(found->key) +
                             " has the kinetic energy in it");
  }
}

void Reader::read_mass(const Toml::Entry& entry) {
  const Toml& list = require(entry, Toml::Type::list, "a list");
  const auto count = static_cast<int>(list.items.size()), n = file_.system.dimension();
  if (count > 0 && list.items[0].is(Toml::Type::list)) return read_mass_matrix(list);
  const bool by_family = count == static_cast<int>(families_.size());
  if (count != 1 && count != n && !by_family)
    fail(list.position,
         "'mass' has " + counted(count, "entry", "entries") + "; it needs 1 for all, " +
             (static_cast<int>(families_.size()) == n
                  ? ""
                  : std::to_string(families_.size()) + " (one for each entry of 'coordinates'), ") +
             "or " + std::to_string(n) + " (one for each coordinate)");
  const Allowed allowed{.what = "a mass", .kinds = Symbol::parameter | Symbol::coordinate};
  Expander expander(budget_, *file_.system.graph);
  const auto append = [&](const Value& mass, const Toml& written) {
    if (mass.is_number() && mass.number <= 0)
      fail(written.position, "a mass must be positive, not " + detail::quote(mass.number));
    file_.system.mass.push_back(expander.in_graph(mass));
  };
  if (count != 1 && !by_family) {
    for (const Toml& item : list.items) append(expander.value(code(item, "a mass", allowed)), item);
    return;
  }
  std::optional<Code> parsed[2];  // of the only entry, with an index and without
  for (std::size_t k = 0; k < families_.size(); ++k) {
    const Family& family = families_[k];
    const Toml& item = list.items[count == 1 ? 0 : k];
    std::optional<Code>& code = parsed[family.is_family];
    if (!code || count != 1) code = member_code(item, "a mass", allowed, family.is_family);
    for (const Value& mass : members(expander, family, *code)) append(mass, item);
  }
}

void Reader::read_mass_matrix(const Toml& rows) {
  const int n = file_.system.dimension();
  const auto wrong_size = [&](const Toml& where, std::size_t found, const std::string& what) {
    fail(where.position, "the mass matrix needs " + std::to_string(n) + ' ' + what + ", not " +
                             std::to_string(found));
  };
  if (static_cast<int>(rows.items.size()) != n) wrong_size(rows, rows.items.size(), "rows");
  const Allowed allowed{.what = "a mass", .kinds = Symbol::parameter | Symbol::coordinate};
  Expander expander(budget_, *file_.system.graph);
  for (const Toml& row : rows.items) {
    if (!row.is(Toml::Type::list))
      fail(row.position,
           std::string("a row of the mass matrix must be a list, not ") + row.type_name());
    if (static_cast<int>(row.items.size()) != n)
      wrong_size(row, row.items.size(), "entries in each row");
    for (const Toml& item : row.items)
      file_.system.mass.push_back(expander.expression(code(item, "a mass", allowed)));
  }
  require_positive_matrix(rows);
}

void Reader::require_positive_matrix(const Toml& rows) const {
  const int n = file_.system.dimension();
  const Graph& graph = *file_.system.graph;
  const auto& mass = file_.system.mass;
  std::vector<double> numbers;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      const Expression entry = mass[i * n + j];
      if (j < i && entry != mass[j * n + i])
        fail(rows.items[i].items[j].position,
             "the mass matrix is not symmetric: this entry differs from the one in row " +
                 std::to_string(j + 1) + ", column " + std::to_string(i + 1));
      if (graph.is_constant(entry)) numbers.push_back(graph.value(entry));
    }
  if (numbers.size() == mass.size() && !is_positive_definite(numbers, n))
    fail(rows.position, "the mass matrix is not positive definite");
}

void Reader::read_constraints(const Toml& list) {
  const Allowed allowed{
      .what = "a constraint",
      .kinds = Symbol::parameter | Symbol::coordinate | Symbol::momentum | Symbol::velocity,
      .may_be_family = true};
  Expander expander(budget_, *file_.system.graph);
  for (const Toml& item : list.items) {
    if (!item.is(Toml::Type::string))
      fail(item.position, std::string("a constraint must be a string, not ") + item.type_name());
    const Code& constraint = constraints_.emplace_back(code(item, "a constraint", allowed));
    const std::string body =
        item.string.substr(constraint.body, constraint.body_end - constraint.body);
    expander.each(constraint, [&](const Value& value, const std::string& where) {
      const std::string at = where.empty() ? "" : " at " + where;
      if (value.is_number())
        text::fail(
            constraint.passage, constraint.body,
            "this constraint contains no coordinates: it is " + detail::quote(value.number) + at);
      file_.system.constraints.push_back(value.expression);
      const std::string words = in_quotes(body);
      file_.system.constraint_labels.push_back(words.substr(1, words.size() - 2) + at);
    });
  }
}

/// Velocities in constraints: p/m for a diagonal mass, dH/dp for a Hamiltonian. A full mass matrix
/// is left to those who can solve with it.
void Reader::replace_velocities() {
  SystemDescription& system = file_.system;
  const int n = system.dimension();
  const bool is_diagonal = static_cast<int>(system.mass.size()) == n;
  if (system.form == Form::lagrangian || (system.form == Form::natural && !is_diagonal)) return;
  Graph& graph = *system.graph;
  system.constraints = graph.substitute(system.constraints, [&](int input) {
    const int i = input - 2 * n;
    if (i < 0) return graph.input(input);
    return system.form == Form::natural ? graph.divide(system.p(i), system.mass[i])
                                        : derivative(graph, system.hamiltonian, n + i);
  });
}

}  // namespace rattleback::text
