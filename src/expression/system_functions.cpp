#include "system_functions.hpp"

#include "system_code.hpp"

namespace rattleback {

namespace detail {

void append_gradient(Graph& graph, Expression f, int first, int n, int array, Outputs& outputs) {
  std::vector<Expression> dense(n, graph.constant(0));
  for (const auto& [input, value] : gradient(graph, f, first, first + n))
    dense[input - first] = value;
  for (int i = 0; i < n; ++i) outputs.push_back({array, i, dense[i]});
}

Expression velocities_as_second(Graph& graph, Expression f, int n) {
  return graph.substitute(std::span(&f, 1),
                          [&](int k) { return graph.input(k >= 2 * n ? k - n : k); })[0];
}

std::vector<int> slot_by_slot(const SparseExpressions& matrix) {
  std::vector<int> place(matrix.value.size());
  const auto length = [&](int i) { return matrix.start[i + 1] - matrix.start[i]; };
  for (int first = 0, last = 0; first < matrix.rows; first = last) {
    while (last < matrix.rows && length(last) == length(first)) ++last;
    for (int i = first; i < last; ++i)
      for (int slot = 0; slot < length(first); ++slot)
        place[matrix.start[i] + slot] = matrix.start[first] + slot * (last - first) + i - first;
  }
  return place;
}

}  // namespace detail

namespace {

using detail::append_gradient;
using detail::Outputs;
using detail::slot_by_slot;
using detail::SystemFunctions;

/// g and its nonzero slopes, row by row: what a row shares is computed close together.
Outputs linearised(const CanonicalSystem& s, const SparseExpressions& by_q,
                   const std::vector<int>& place_q, const SparseExpressions& by_p,
                   const std::vector<int>& place_p) {
  Outputs outputs;
  const int offset = static_cast<int>(by_q.value.size());
  for (int i = 0; i < s.constraint_count(); ++i) {
    outputs.push_back({0, i, s.constraints[i]});
    for (int k = by_q.start[i]; k < by_q.start[i + 1]; ++k)
      outputs.push_back({1, place_q[k], by_q.value[k]});
    for (int k = by_p.start[i]; k < by_p.start[i + 1]; ++k)
      outputs.push_back({1, offset + place_p[k], by_p.value[k]});
  }
  return outputs;
}

/// The index in a full matrix, by columns, of the value at each place.
std::vector<int> full_index(const SparseExpressions& matrix, const std::vector<int>& place) {
  std::vector<int> result(matrix.value.size());
  for (int i = 0; i < matrix.rows; ++i)
    for (int k = matrix.start[i]; k < matrix.start[i + 1]; ++k)
      result[place[k]] = matrix.column[k] * matrix.rows + i;
  return result;
}

std::shared_ptr<const CompiledNatural> compile_natural(const CanonicalSystem& s,
                                                       const SparseExpressions& g_q,
                                                       const SystemFunctions& functions) {
  auto c = std::make_shared<CompiledNatural>();
  c->dimension = functions.n;
  c->constraints = functions.m;
  c->inverse_mass = s.inverse_mass;
  c->pattern = {g_q.start, g_q.column, slot_by_slot(g_q)};
  c->potential_gradient = functions.potential_gradient;
  c->linearise = functions.linearise;
  if (c->is_small()) {
    const Expression zero = s.graph().constant(0);
    std::vector<Expression> full(std::size_t(functions.n) * functions.m, zero);
    for (std::size_t k = 0; k < g_q.value.size(); ++k)
      full[functions.place_q[c->pattern.place[k]]] = g_q.value[k];
    Outputs outputs;
    for (int i = 0; i < functions.m; ++i) {
      outputs.push_back({0, i, s.constraints[i]});
      for (int j = 0; j < functions.n; ++j)
        outputs.push_back({1, j * functions.m + i, full[j * functions.m + i]});
    }
    c->linearise_dense = CompiledFunction(s.graph(), functions.n, outputs);
  }
  return c;
}

/// Straight-line code for more than this is slower to make than it saves: duals do then.
constexpr int most_gradient_operations = 2000;

void compile_hessian(const CanonicalSystem& s, const Outputs& slopes, SystemFunctions& f) {
  if (Program(s.graph(), f.n, slopes).instructions().size() > most_gradient_operations) return;
  std::vector<Expression> h_z;
  for (const auto& slope : slopes) h_z.push_back(slope.expression);
  const int d = 2 * f.n;
  const SparseExpressions h_zz = jacobian(s.graph(), h_z, 0, d);
  Outputs outputs;
  for (int i = 0; i < d; ++i)
    for (int k = h_zz.start[i]; k < h_zz.start[i + 1] && h_zz.column[k] <= i; ++k) {
      const int j = h_zz.column[k];
      outputs.push_back({0, static_cast<int>(outputs.size()), h_zz.value[k]});
      f.place_zz.push_back({j * d + i, i * d + j});
    }
  f.energy_hessian = CompiledFunction(s.graph(), f.n, outputs);
}

/// V_q and M^-1 p of a natural system.
void compile_kinetic(const CanonicalSystem& s, SystemFunctions& f) {
  Graph& graph = s.graph();
  Outputs outputs;
  append_gradient(graph, s.potential, 0, f.n, 0, outputs);
  f.potential_gradient = CompiledFunction(graph, f.n, outputs);
  outputs.clear();
  // Of p alone, which is then the first array.
  const auto velocity = graph.substitute(s.velocity, [&](int k) { return graph.input(k - f.n); });
  for (int i = 0; i < f.n; ++i) outputs.push_back({0, i, velocity[i]});
  f.velocity = CompiledFunction(graph, f.n, outputs);
}

void compile_lagrangian(const CanonicalSystem& s, SystemFunctions& f) {
  Outputs outputs;
  const Expression l = detail::velocities_as_second(s.graph(), s.lagrangian, f.n);
  append_gradient(s.graph(), l, 0, f.n, 0, outputs);
  append_gradient(s.graph(), l, f.n, f.n, 1, outputs);
  f.lagrangian_gradient = CompiledFunction(s.graph(), f.n, outputs);
}

void compile_constraints(const CanonicalSystem& s, SystemFunctions& f) {
  Graph& graph = s.graph();
  Outputs outputs;
  for (int i = 0; i < f.m; ++i) outputs.push_back({0, i, s.constraints[i]});
  f.constraint = CompiledFunction(graph, f.n, outputs);
  const SparseExpressions by_q = jacobian(graph, s.constraints, 0, f.n);
  const SparseExpressions by_p = jacobian(graph, s.constraints, f.n, 2 * f.n);
  const std::vector<int> place_q = slot_by_slot(by_q), place_p = slot_by_slot(by_p);
  f.linearise = CompiledFunction(graph, f.n, linearised(s, by_q, place_q, by_p, place_p));
  f.place_q = full_index(by_q, place_q);
  f.place_p = full_index(by_p, place_p);
  if (s.traits.natural && f.holonomic && f.m > 0 && !s.inverse_mass.empty())
    f.natural = compile_natural(s, by_q, f);
}

}  // namespace

std::shared_ptr<const SystemFunctions> detail::compile(const CanonicalSystem& s) {
  Graph& graph = s.graph();
  const int n = s.dimension();
  auto f = std::make_shared<SystemFunctions>();
  f->source = s;
  f->n = n;
  f->m = s.constraint_count();
  f->holonomic = s.traits.holonomic;
  const auto function = [&](const Outputs& outputs) { return CompiledFunction(graph, n, outputs); };
  f->energy = function({{0, 0, s.hamiltonian}});
  Outputs outputs;
  append_gradient(graph, s.hamiltonian, 0, n, 0, outputs);
  append_gradient(graph, s.hamiltonian, n, n, 1, outputs);
  f->energy_gradient = function(outputs);
  compile_hessian(s, outputs, *f);
  if (s.traits.natural) compile_kinetic(s, *f);
  if (s.lagrangian) compile_lagrangian(s, *f);
  compile_constraints(s, *f);
  return f;
}

}  // namespace rattleback
