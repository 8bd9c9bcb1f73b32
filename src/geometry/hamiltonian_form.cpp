#include "rattleback/geometry/hamiltonian_form.hpp"

#include <algorithm>
#include <random>

#include "constraint_set.hpp"
#include "rattleback/geometry/tidy.hpp"
#include "symbolic_elimination.hpp"

namespace rattleback {

namespace {

using detail::Elimination;
using detail::Sized;
using detail::SizedRow;

constexpr double rank_tolerance = 1e-9;

Expression lagrangian_of(const SystemDescription& d) {
  if (d.form == SystemDescription::Form::lagrangian) return d.lagrangian;
  Graph& graph = *d.graph;
  const int n = d.dimension();
  const bool diagonal = static_cast<int>(d.mass.size()) == n;
  Expression twice = graph.constant(0);
  for (int i = 0; i < n; ++i)
    for (int j = diagonal ? i : 0; j < (diagonal ? i + 1 : n); ++j)
      twice = graph.add(
          twice, graph.multiply(d.mass[diagonal ? i : i * n + j], graph.multiply(d.v(i), d.v(j))));
  return graph.subtract(graph.multiply(graph.constant(0.5), twice), d.potential);
}

/// A matrix of expressions of (q, v) at a point that nothing singles out.
std::vector<SizedRow> at_random(const Graph& graph, const SparseExpressions& a, int n,
                                unsigned seed) {
  std::vector<Program::Output> outputs;
  for (std::size_t k = 0; k < a.value.size(); ++k)
    outputs.push_back({0, static_cast<int>(k), a.value[k]});
  const Program program(graph, 2 * n, outputs);
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> some(0.3, 1.1);
  std::vector<Sized> z(2 * n), v(n), values(a.value.size());
  for (Sized& x : z) x = some(random);
  for (Sized& x : v) x = some(random);
  program.run(z.data(), v.data(), values.data(), values.data());
  std::vector<SizedRow> rows(a.rows);
  for (int i = 0; i < a.rows; ++i)
    for (int k = a.start[i]; k < a.start[i + 1]; ++k) rows[i].emplace(a.column[k], values[k]);
  return rows;
}

struct SingularParts {
  Expression hamiltonian;
  std::vector<Expression> constraints;
  int rank = 0;
};

/// L_v, its matrix A = L_vv, and b, c with the velocities set to zero.
class SingularTransform {
 public:
  SingularTransform(const SystemDescription& d, Expression lagrangian)
      : graph_(*d.graph), n_(d.dimension()), lagrangian_(lagrangian) {
    l_v_.assign(n_, graph_.constant(0));
    for (const auto& [input, value] : gradient(graph_, lagrangian, 2 * n_, 3 * n_))
      l_v_[input - 2 * n_] = value;
    a_ = jacobian(graph_, l_v_, 2 * n_, 3 * n_);
  }

  bool quadratic() const {
    return std::none_of(a_.value.begin(), a_.value.end(),
                        [&](Expression e) { return detail::depends(graph_, e, 2 * n_, 3 * n_); });
  }
  int rank() const {
    int best = 0;
    for (const unsigned seed : {1u, 2u, 3u}) {
      Elimination e(n_, rank_tolerance);
      e.run(at_random(graph_, a_, n_, seed));
      best = std::max(best, e.rank());
    }
    return best;
  }

  SingularParts parts() {
    const std::vector<SizedRow> numbers = at_random(graph_, a_, n_, 1);
    Elimination all(n_, rank_tolerance);
    all.run(numbers);
    std::vector<int> kept;  // rows that span all rows: their principal part is regular
    for (const auto& pivot : all.pivots()) kept.push_back(pivot.row);
    const int r = all.rank();
    std::vector<int> place(n_, -1);
    for (int k = 0; k < r; ++k) place[kept[k]] = k;
    const auto principal = [&](const auto& row) {
      std::decay_t<decltype(row)> part;
      for (const auto& [j, value] : row)
        if (place[j] >= 0) part.emplace(place[j], value);
      return part;
    };
    std::vector<SizedRow> inner(r);
    for (int k = 0; k < r; ++k) inner[k] = principal(numbers[kept[k]]);
    Elimination regular(r, rank_tolerance);
    regular.run(inner);
    detail::SymbolicElimination symbolic(graph_, regular, [&](int k) {
      auto row = principal(row_of_a(kept[k]));
      row[r] = shifted(kept[k]);
      return row;
    });
    const auto velocity = symbolic.solution(r);
    return {hamiltonian(kept, velocity), constraints(place, velocity), r};
  }

 private:
  using Row = detail::SymbolicElimination::Row;

  Row row_of_a(int i) const {
    Row row;
    for (int k = a_.start[i]; k < a_.start[i + 1]; ++k) row[a_.column[k]] = a_.value[k];
    return row;
  }
  Expression at_rest(Expression f) {
    return graph_.substitute(std::span(&f, 1), [&](int k) {
      return k >= 2 * n_ ? graph_.constant(0) : graph_.input(k);
    })[0];
  }
  Expression shifted(int i) {  // (p - b)_i
    return graph_.subtract(graph_.input(n_ + i), at_rest(l_v_[i]));
  }
  Expression hamiltonian(const std::vector<int>& kept, const std::map<int, Expression>& velocity) {
    Expression twice = graph_.constant(0);
    for (const auto& [k, v] : velocity)
      twice = graph_.add(twice, graph_.multiply(shifted(kept[k]), v));
    return graph_.subtract(graph_.multiply(graph_.constant(0.5), twice), at_rest(lagrangian_));
  }
  std::vector<Expression> constraints(const std::vector<int>& place,
                                      const std::map<int, Expression>& velocity) {
    std::vector<Expression> result;
    for (int i = 0; i < n_; ++i) {
      if (place[i] >= 0) continue;
      Expression phi = shifted(i);
      for (const auto& [j, value] : row_of_a(i))
        if (place[j] >= 0)
          phi = graph_.subtract(phi, graph_.multiply(value, velocity.at(place[j])));
      result.push_back(tidied(graph_, phi));
    }
    return result;
  }

  Graph& graph_;
  int n_;
  Expression lagrangian_;
  std::vector<Expression> l_v_;
  SparseExpressions a_;
};

HamiltonianForm singular_form(const SystemDescription& d) {
  HamiltonianForm form;
  form.singular = true;
  form.lagrangian = lagrangian_of(d);
  const int n = d.dimension();
  for (const Expression g : d.constraints)
    if (detail::depends(*d.graph, g, 2 * n, 3 * n)) {
      form.written_with_velocities = true;
      form.unsupported =
          "a constraint contains velocities, and the Lagrangian is singular: velocities are not "
          "determined by momenta. Write the constraint with momenta";
      return form;
    }
  SingularParts parts = SingularTransform(d, form.lagrangian).parts();
  form.lagrangian_rank = parts.rank;
  form.from_lagrangian = static_cast<int>(parts.constraints.size());
  form.system = d;
  form.system.form = SystemDescription::Form::hamiltonian;
  form.system.hamiltonian = parts.hamiltonian;
  auto& all = form.system.constraints;
  all.insert(all.begin(), parts.constraints.begin(), parts.constraints.end());
  auto& labels = form.system.constraint_labels;
  if (!labels.empty() || !d.constraints.empty()) labels.resize(d.constraints.size());
  labels.insert(labels.begin(), parts.constraints.size(), std::string());
  return form;
}

std::string no_closed_form(const SystemDescription& d) {
  const SingularTransform transform(d, lagrangian_of(d));
  const int n = d.dimension(), rank = transform.rank();
  return "not supported, because the Lagrangian is not quadratic in the velocities" +
         (rank < n ? " and singular (L_vv has rank " + std::to_string(rank) + " of " +
                         std::to_string(n) + "): its primary constraints have no closed form"
                   : std::string(": its Hamiltonian has no closed form to differentiate")) +
         ". Give the Hamiltonian and the constraints instead";
}

}  // namespace

HamiltonianForm hamiltonian_form(const SystemDescription& d) {
  HamiltonianForm form;
  CanonicalSystem canonical_system;
  try {
    canonical_system = canonical(d);
  } catch (const SingularLagrangian&) {
    return singular_form(d);
  } catch (const ModelError& error) {
    form.unsupported = error.what();
    return form;
  }
  const int n = d.dimension();
  form.lagrangian_rank = n;
  form.lagrangian = canonical_system.lagrangian;
  form.traits = canonical_system.traits;
  for (const Expression g : d.constraints)
    form.written_with_velocities =
        form.written_with_velocities || detail::depends(*d.graph, g, 2 * n, 3 * n);
  if (!canonical_system.hamiltonian) {
    form.unsupported = no_closed_form(d);
    return form;
  }
  form.system = d;
  form.system.form = SystemDescription::Form::hamiltonian;
  form.system.hamiltonian = canonical_system.hamiltonian;
  form.system.constraints = canonical_system.constraints;
  return form;
}

}  // namespace rattleback
