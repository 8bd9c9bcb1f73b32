#include <algorithm>

#include "reader.hpp"

namespace rattleback::text {

/// Names of columns that every run has.
constexpr const char* taken_columns[] = {"t",      "energy", "constraint", "hidden",
                                         "newton", "time",   "multipliers"};

void Reader::read_observables(const Toml::Entry& entry) {
  const int n = file_.system.dimension(), time = 3 * n, energy = time + 1, modified = time + 2;
  Graph& graph = *file_.system.graph;
  // A name of the user's own is his.
  (void)scope_.declare("t", {.kind = Symbol::observable, .first = time});
  (void)scope_.declare("energy", {.kind = Symbol::observable, .first = energy});
  const Allowed allowed{.what = "an observable",
                        .kinds = Symbol::parameter | Symbol::coordinate | Symbol::momentum |
                                 Symbol::velocity | Symbol::observable};
  std::vector<Expression> known;  // those before it
  for (const Toml::Entry& written : entry.value.entries) {
    const std::string& name = written.key;
    const Toml& value = written.value;
    const TextPosition position = written.position;
    const bool is_taken = std::ranges::find(taken_columns, name) != std::end(taken_columns);
    if (is_taken) fail(position, in_quotes(name) + " is a column of every run");
    Expression observed;
    if (value.is(Toml::Type::string) && value.string == "energy.modified")
      observed = graph.input(modified);
    else
      observed = Expander(budget_, graph).expression(code(value, in_quotes(name), allowed));
    observed = graph.substitute(std::vector{observed}, [&](int input) {
      return input <= modified ? graph.input(input) : known[input - modified - 1];
    })[0];
    const int own = modified + 1 + static_cast<int>(known.size());
    const std::string wrong = scope_.declare(name, {.kind = Symbol::observable, .first = own});
    if (!wrong.empty()) fail(position, wrong);
    known.push_back(observed);
    file_.observables.push_back({name, observed});
  }
}

}  // namespace rattleback::text
