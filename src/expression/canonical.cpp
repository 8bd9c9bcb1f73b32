#include "rattleback/expression/canonical.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <random>

#include "rattleback/expression/derivative.hpp"
#include "rattleback/expression/program.hpp"

namespace rattleback {

namespace {

using Row = std::map<int, Expression>;

/// Inputs [first, last) replaced by zero.
Expression without(Graph& graph, Expression f, int first, int last) {
  return graph.substitute(std::span(&f, 1), [&](int k) {
    return k >= first && k < last ? graph.constant(0) : graph.input(k);
  })[0];
}

bool depends(const Graph& graph, Expression f, int first, int last) {
  const std::vector<int> inputs = graph.inputs_of(f);
  return std::any_of(inputs.begin(), inputs.end(), [&](int k) { return k >= first && k < last; });
}

std::vector<Row> rows_of(const SparseExpressions& matrix) {
  std::vector<Row> rows(matrix.rows);
  for (int i = 0; i < matrix.rows; ++i)
    for (int k = matrix.start[i]; k < matrix.start[i + 1]; ++k)
      rows[i][matrix.column[k]] = matrix.value[k];
  return rows;
}

/// The rank of a matrix of expressions of q at a point that nothing singles out.
int generic_rank(const Graph& graph, const std::vector<Row>& rows, int n) {
  std::vector<Program::Output> outputs;
  for (int i = 0; i < n; ++i)
    for (const auto& [j, e] : rows[i]) outputs.push_back({0, i * n + j, e});
  const Program program(graph, n, outputs);
  std::mt19937 random(1);
  std::uniform_real_distribution<double> some(0.3, 1.1);
  int best = 0;
  for (int attempt = 0; attempt < 3; ++attempt) {
    std::vector<double> q(n), unused(n), a(std::size_t(n) * n);
    for (double& x : q) x = some(random);
    program.run(q.data(), unused.data(), a.data(), unused.data());
    int rank = 0;
    double largest = 0;
    for (; rank < n; ++rank) {  // elimination with full pivoting
      int r = rank, c = rank;
      for (int i = rank; i < n; ++i)
        for (int j = rank; j < n; ++j)
          if (std::abs(a[i * n + j]) > std::abs(a[r * n + c])) r = i, c = j;
      const double pivot = std::abs(a[r * n + c]);
      largest = std::max(largest, pivot);
      if (!(pivot > 1e-10 * largest)) break;
      for (int j = 0; j < n; ++j) std::swap(a[rank * n + j], a[r * n + j]);
      for (int i = 0; i < n; ++i) std::swap(a[i * n + rank], a[i * n + c]);
      for (int i = rank + 1; i < n; ++i) {
        const double factor = a[i * n + rank] / a[rank * n + rank];
        for (int j = rank; j < n; ++j) a[i * n + j] -= factor * a[rank * n + j];
      }
    }
    best = std::max(best, rank);
  }
  return best;
}

/// a/b; by a constant it is a product, as masses are divided by once.
Expression over(Graph& graph, Expression a, Expression b) {
  return graph.is_constant(b) ? graph.multiply(graph.constant(1 / graph.value(b)), a)
                              : graph.divide(a, b);
}

/// Solves A u = b for expressions by sparse elimination; constants are preferred as pivots.
std::vector<Expression> solve(Graph& graph, std::vector<Row> a, std::vector<Expression> b) {
  const int n = static_cast<int>(b.size());
  std::vector<int> pivot_row(n, -1);  // of each column
  std::vector<bool> used(n);
  for (int column = 0; column < n; ++column) {
    int best = -1, score = 0;
    for (int i = 0; i < n; ++i) {
      if (used[i] || !a[i].count(column)) continue;
      const Expression e = a[i][column];
      const int quality = graph.is_constant(e) ? (graph.value(e) == 0 ? 0 : 3)
                          : i == column        ? 2
                                               : 1;
      if (quality > score) score = quality, best = i;
    }
    if (best < 0) throw SingularLagrangian(column, n);
    used[best] = true;
    pivot_row[column] = best;
    const Row top = a[best];
    for (int i = 0; i < n; ++i) {
      if (used[i] || !a[i].count(column)) continue;
      const Expression factor = over(graph, a[i][column], top.at(column));
      for (const auto& [j, e] : top) {
        const Expression product = graph.multiply(factor, e);
        const auto old = a[i].find(j);
        a[i][j] = old == a[i].end() ? graph.negate(product) : graph.subtract(old->second, product);
      }
      a[i].erase(column);
      b[i] = graph.subtract(b[i], graph.multiply(factor, b[best]));
    }
  }
  std::vector<Expression> u(n);
  for (int column = n - 1; column >= 0; --column) {
    const int r = pivot_row[column];
    Expression rest = b[r];
    for (const auto& [j, e] : a[r])
      if (j > column) rest = graph.subtract(rest, graph.multiply(e, u[j]));
    u[column] = over(graph, rest, a[r].at(column));
  }
  return u;
}

Expression sum_of_products(Graph& graph, const std::vector<Expression>& x,
                           const std::vector<Expression>& y) {
  Expression sum = graph.constant(0);
  for (std::size_t i = 0; i < x.size(); ++i) sum = graph.add(sum, graph.multiply(x[i], y[i]));
  return sum;
}

/// The Legendre transform of F(q, y) = y.A(q) y/2 + b(q).y + c(q) by y (inputs from `from` on), in
/// the variables w (inputs from `to` on): (w - b).A^-1 (w - b)/2 - c. Nothing where A depends on y.
std::optional<Expression> legendre(Graph& graph, Expression f, int n, int from, int to) {
  std::vector<Expression> f_y(n, graph.constant(0));
  for (const auto& [input, value] : gradient(graph, f, from, from + n)) f_y[input - from] = value;
  const SparseExpressions a = jacobian(graph, f_y, from, from + n);
  for (const Expression e : a.value)
    if (depends(graph, e, from, from + n)) return std::nullopt;
  const std::vector<Row> rows = rows_of(a);
  bool diagonal = static_cast<int>(a.value.size()) == n;
  for (int i = 0; i < n && diagonal; ++i) diagonal = rows[i].count(i) == 1;
  if (const int rank = diagonal ? n : generic_rank(graph, rows, n); rank < n)
    throw SingularLagrangian(rank, n);
  std::vector<Expression> rest(n);
  for (int i = 0; i < n; ++i)
    rest[i] = graph.subtract(graph.input(to + i), without(graph, f_y[i], from, from + n));
  std::vector<Expression> velocity(n);
  if (diagonal)  // without the search for pivots
    for (int i = 0; i < n; ++i) velocity[i] = over(graph, rest[i], rows[i].at(i));
  else
    velocity = solve(graph, rows, rest);
  const Expression kinetic = sum_of_products(graph, rest, velocity);
  return graph.subtract(graph.multiply(graph.constant(0.5), kinetic),
                        without(graph, f, from, from + n));
}

/// v.M v/2 - V as an expression: natural systems become Lagrangian ones, and one path serves all.
Expression natural_lagrangian(const SystemDescription& d) {
  Graph& graph = *d.graph;
  const int n = d.dimension();
  Expression kinetic = graph.constant(0);
  const bool diagonal = static_cast<int>(d.mass.size()) == n;
  for (int i = 0; i < n; ++i)
    for (int j = diagonal ? i : 0; j < (diagonal ? i + 1 : n); ++j) {
      const Expression m = d.mass[diagonal ? i : i * n + j];
      kinetic = graph.add(kinetic, graph.multiply(m, graph.multiply(d.v(i), d.v(j))));
    }
  return graph.subtract(graph.multiply(graph.constant(0.5), kinetic), d.potential);
}

/// Fills in what H says about itself.
void recognise(CanonicalSystem& s) {
  Graph& graph = s.graph();
  const int n = s.dimension();
  std::vector<Expression> h_p(n, graph.constant(0));
  for (const auto& [input, value] : gradient(graph, s.hamiltonian, n, 2 * n))
    h_p[input - n] = value;
  s.traits.separable =
      std::none_of(h_p.begin(), h_p.end(), [&](Expression e) { return depends(graph, e, 0, n); });
  if (!s.traits.separable) return;
  const SparseExpressions w = jacobian(graph, h_p, n, 2 * n);
  const bool constant = std::all_of(w.value.begin(), w.value.end(),
                                    [&](Expression e) { return graph.is_constant(e); });
  const bool centred = std::all_of(h_p.begin(), h_p.end(), [&](Expression e) {
    return graph.is_constant(without(graph, e, n, 2 * n), 0);
  });
  // Every momentum moves something, else the mass is infinite: legal, but not natural.
  bool moves = true;
  for (int i = 0; i < n; ++i) moves = moves && w.start[i + 1] > w.start[i];
  if (!constant || !centred || !moves) return;
  s.traits.natural = true;
  s.velocity = h_p;
  s.potential = without(graph, s.hamiltonian, n, 2 * n);
  std::vector<double> inverse(n);
  bool diagonal = true;
  for (int i = 0; i < n; ++i)
    for (int k = w.start[i]; k < w.start[i + 1]; ++k) {
      diagonal = diagonal && w.column[k] == i;
      if (w.column[k] == i) inverse[i] = graph.value(w.value[k]);
    }
  if (diagonal) s.inverse_mass = std::move(inverse);
}

bool all_quadratic(Graph& graph, const std::vector<Expression>& g, int n) {
  for (const Expression e : g) {
    std::vector<Expression> slopes;
    for (const auto& entry : gradient(graph, e, 0, 2 * n)) slopes.push_back(entry.value);
    for (const Expression second : jacobian(graph, slopes, 0, 2 * n).value)
      if (!graph.is_constant(second)) return false;
  }
  return true;
}

}  // namespace

SingularLagrangian::SingularLagrangian(int rank, int dimension)
    : ModelError("the Lagrangian is singular: L_vv has rank " + std::to_string(rank) + " of " +
                 std::to_string(dimension) +
                 ", so velocities are not determined by momenta and there is no H(q, p) yet"),
      rank_(rank) {}

namespace {

void require_complete(const SystemDescription& d) {
  using Form = SystemDescription::Form;
  const auto need = [&](Form form, const char* what, Expression e) {
    if (d.form == form && !e)
      throw InputError(what, "the description of '" + d.name + "' has none, but is of that form");
  };
  need(Form::natural, "potential", d.potential);
  need(Form::hamiltonian, "hamiltonian", d.hamiltonian);
  need(Form::lagrangian, "lagrangian", d.lagrangian);
  const std::size_t n = d.coordinates.size();
  if (d.form == Form::natural && d.mass.size() != n && d.mass.size() != n * n)
    throw InputError("mass", "has " + std::to_string(d.mass.size()) + " entries; " +
                                 std::to_string(n) + " coordinates have as many, or " +
                                 std::to_string(n * n));
}

/// Velocities in constraints are H_p(q, p).
void write_constraints(CanonicalSystem& s) {
  Graph& graph = s.graph();
  const int n = s.dimension();
  std::vector<Expression> velocity;
  for (const Expression g : s.source.constraints) {
    if (!depends(graph, g, 2 * n, 3 * n)) {
      s.constraints.push_back(g);
      continue;
    }
    if (!s.hamiltonian)
      throw ModelError(
          "a constraint contains velocities, and this Lagrangian is not quadratic in "
          "them: write the constraint with momenta");
    if (velocity.empty()) {
      velocity.assign(n, graph.constant(0));
      for (const auto& [input, value] : gradient(graph, s.hamiltonian, n, 2 * n))
        velocity[input - n] = value;
    }
    s.constraints.push_back(graph.substitute(std::span(&g, 1), [&](int k) {
      return k < 2 * n ? graph.input(k) : velocity[k - 2 * n];
    })[0]);
  }
}

}  // namespace

CanonicalSystem canonical(SystemDescription description) {
  using Form = SystemDescription::Form;
  require_complete(description);
  CanonicalSystem s;
  s.source = std::move(description);
  Graph& graph = s.graph();
  const int n = s.dimension();
  if (s.source.form == Form::hamiltonian) {
    s.hamiltonian = s.source.hamiltonian;
  } else {
    s.lagrangian =
        s.source.form == Form::natural ? natural_lagrangian(s.source) : s.source.lagrangian;
    if (const auto h = legendre(graph, s.lagrangian, n, 2 * n, n)) s.hamiltonian = *h;
  }
  if (s.hamiltonian) recognise(s);
  if (!s.lagrangian && s.hamiltonian) {
    try {
      if (const auto l = legendre(graph, s.hamiltonian, n, n, 2 * n)) s.lagrangian = *l;
    } catch (const SingularLagrangian&) {  // H is not regular in p: there is no Lagrangian
    }
  }
  s.traits.lagrangian = static_cast<bool>(s.lagrangian);

  write_constraints(s);
  s.traits.holonomic = std::none_of(s.constraints.begin(), s.constraints.end(),
                                    [&](Expression e) { return depends(graph, e, n, 2 * n); });
  s.traits.quadratic = !s.constraints.empty() && all_quadratic(graph, s.constraints, n);
  return s;
}

}  // namespace rattleback
