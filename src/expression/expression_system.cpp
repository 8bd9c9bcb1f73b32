#include "rattleback/expression/expression_system.hpp"

#include <algorithm>
#include <array>
#include <mutex>

#include "rattleback/problem/error.hpp"
#include "rattleback/problem/pack.hpp"
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

}  // namespace detail

namespace {

using detail::append_gradient;
using detail::Outputs;

/// What a model of every scalar shares.
struct Functions {
  int n, m;
  bool holonomic;
  CompiledFunction energy, energy_gradient;
  CompiledFunction energy_hessian;  // nonzeros of its lower half; empty where there are too many
  std::vector<std::array<int, 2>> place_zz;       // of each in a full matrix by columns, both ways
  CompiledFunction potential_gradient, velocity;  // natural
  CompiledFunction lagrangian_gradient;
  CompiledFunction constraint;
  CompiledFunction linearise;  // g; the nonzeros of G, of its q columns and then its p columns
  std::vector<int> place_q, place_p;  // of each nonzero in a full matrix by columns
  std::shared_ptr<const CompiledNatural> natural;
};

template <class S>
class ExpressionModel final : public SystemModel<S> {
 public:
  using typename SystemModel<S>::V;
  using typename SystemModel<S>::J;
  explicit ExpressionModel(std::shared_ptr<const Functions> functions) : f_(std::move(functions)) {}

  S energy(const V& q, const V& p) const override {
    S value(0);
    f_->energy(q.data(), p.data(), &value, &value);
    return value;
  }
  void energy_gradient(const V& q, const V& p, V& h_q, V& h_p) const override {
    f_->energy_gradient(q.data(), p.data(), h_q.data(), h_p.data());
  }
  bool energy_hessian(const V& q, const V& p, J& h_zz) const override {
    if (f_->place_zz.empty()) return false;
    thread_local std::vector<S> nonzeros;
    nonzeros.resize(f_->place_zz.size());
    f_->energy_hessian(q.data(), p.data(), nonzeros.data(), nonzeros.data());
    h_zz.setConstant(S(0));
    for (std::size_t k = 0; k < nonzeros.size(); ++k)
      for (const int place : f_->place_zz[k]) h_zz.data()[place] = nonzeros[k];
    return true;
  }
  void potential_gradient(const V& q, V& v_q) const override {
    f_->potential_gradient(q.data(), q.data(), v_q.data(), v_q.data());
  }
  void velocity(const V& p, V& v) const override {
    f_->velocity(p.data(), p.data(), v.data(), v.data());
  }
  void lagrangian_gradient(const V& q, const V& v, V& l_q, V& l_v) const override {
    f_->lagrangian_gradient(q.data(), v.data(), l_q.data(), l_v.data());
  }
  void constraint(const V& q, const V& p, V& g) const override {
    f_->constraint(q.data(), p.data(), g.data(), g.data());
  }
  void linearise(const V& q, const V& p, V& g, J& g_q, J& g_p) const override {
    thread_local std::vector<S> nonzeros;
    nonzeros.resize(f_->place_q.size() + f_->place_p.size());
    f_->linearise(q.data(), p.data(), g.data(), nonzeros.data());
    const S* value = nonzeros.data();
    g_q.setConstant(S(0));
    for (const int place : f_->place_q) g_q.data()[place] = *value++;
    if (f_->holonomic) return;
    g_p.setConstant(S(0));
    for (const int place : f_->place_p) g_p.data()[place] = *value++;
  }
  bool slide(V&, V&, const V&) const override { return false; }
  bool flow(V&, V&, const Real<S>&) const override { return false; }
  const CompiledNatural* compiled() const override { return f_->natural.get(); }
  const std::shared_ptr<const Functions>& functions() const { return f_; }
  /// The same in every lane of a pack: made once.
  template <class Make>
  std::shared_ptr<const Functions> repeated(Make&& make) const {
    const std::lock_guard lock(mutex_);
    if (!repeated_) repeated_ = make();
    return repeated_;
  }

 private:
  std::shared_ptr<const Functions> f_;
  mutable std::mutex mutex_;
  mutable std::shared_ptr<const Functions> repeated_;
};

/// Where the values of the nonzeros go; see JacobianPattern.
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
                                                       const Functions& functions) {
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

void compile_hessian(const CanonicalSystem& s, const Outputs& slopes, Functions& f) {
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

std::shared_ptr<const Functions> compile(const CanonicalSystem& s) {
  Graph& graph = s.graph();
  const int n = s.dimension(), m = s.constraint_count();
  auto f = std::make_shared<Functions>();
  f->n = n;
  f->m = m;
  f->holonomic = s.traits.holonomic;
  const auto function = [&](const Outputs& outputs) { return CompiledFunction(graph, n, outputs); };
  f->energy = function({{0, 0, s.hamiltonian}});
  Outputs outputs;
  append_gradient(graph, s.hamiltonian, 0, n, 0, outputs);
  append_gradient(graph, s.hamiltonian, n, n, 1, outputs);
  f->energy_gradient = function(outputs);
  compile_hessian(s, outputs, *f);
  if (s.traits.natural) {
    outputs.clear();
    append_gradient(graph, s.potential, 0, n, 0, outputs);
    f->potential_gradient = function(outputs);
    outputs.clear();
    // Of p alone, which is then the first array.
    const auto velocity = graph.substitute(s.velocity, [&](int k) { return graph.input(k - n); });
    for (int i = 0; i < n; ++i) outputs.push_back({0, i, velocity[i]});
    f->velocity = function(outputs);
  }
  if (s.lagrangian) {
    outputs.clear();
    const Expression l = detail::velocities_as_second(graph, s.lagrangian, n);
    append_gradient(graph, l, 0, n, 0, outputs);
    append_gradient(graph, l, n, n, 1, outputs);
    f->lagrangian_gradient = function(outputs);
  }
  outputs.clear();
  for (int i = 0; i < m; ++i) outputs.push_back({0, i, s.constraints[i]});
  f->constraint = function(outputs);
  const SparseExpressions by_q = jacobian(graph, s.constraints, 0, n);
  const SparseExpressions by_p = jacobian(graph, s.constraints, n, 2 * n);
  const std::vector<int> place_q = slot_by_slot(by_q), place_p = slot_by_slot(by_p);
  f->linearise = function(linearised(s, by_q, place_q, by_p, place_p));
  f->place_q = full_index(by_q, place_q);
  f->place_p = full_index(by_p, place_p);
  if (s.traits.natural && s.traits.holonomic && m > 0 && !s.inverse_mass.empty())
    f->natural = compile_natural(s, by_q, *f);
  return f;
}

constexpr std::array natural_functions{&CompiledNatural::potential_gradient,
                                       &CompiledNatural::linearise,
                                       &CompiledNatural::linearise_dense};
constexpr std::array functions{&Functions::energy,         &Functions::energy_gradient,
                               &Functions::energy_hessian, &Functions::potential_gradient,
                               &Functions::velocity,       &Functions::lagrangian_gradient,
                               &Functions::constraint,     &Functions::linearise};

bool same_shape(const Functions& a, const Functions& b) {
  const auto same = [](const auto& x, const auto& y) {
    return [&](auto function) { return (x.*function).has_shape_of(y.*function); };
  };
  return &a == &b ||
         (a.n == b.n && a.m == b.m && a.place_q == b.place_q && a.place_p == b.place_p &&
          a.place_zz == b.place_zz && !a.natural == !b.natural &&
          std::ranges::all_of(functions, same(a, b)) &&
          (!a.natural || std::ranges::all_of(natural_functions, same(*a.natural, *b.natural))));
}

template <class T>
using Lanes = std::array<const T*, CompiledFunction::lanes_of_a_pack>;

template <class T>
CompiledFunction pack_function(const Lanes<T>& lanes, CompiledFunction T::*function) {
  Lanes<CompiledFunction> of_lanes;
  for (std::size_t lane = 0; lane < lanes.size(); ++lane)
    of_lanes[lane] = &(lanes[lane]->*function);
  return CompiledFunction::packed(of_lanes);
}

std::shared_ptr<const CompiledNatural> pack_natural(const Lanes<CompiledNatural>& lanes) {
  auto result = std::make_shared<CompiledNatural>(*lanes[0]);
  result->lanes = static_cast<int>(lanes.size());
  result->inverse_mass.clear();
  for (int i = 0; i < result->dimension; ++i)
    for (const CompiledNatural* lane : lanes) result->inverse_mass.push_back(lane->inverse_mass[i]);
  for (const auto function : natural_functions)
    (*result).*function = pack_function(lanes, function);
  return result;
}

std::shared_ptr<const Functions> pack_functions(const Lanes<Functions>& lanes) {
  auto result = std::make_shared<Functions>(*lanes[0]);
  for (const auto function : functions) (*result).*function = pack_function(lanes, function);
  if (!result->natural) return result;
  Lanes<CompiledNatural> natural;
  for (std::size_t lane = 0; lane < lanes.size(); ++lane)
    natural[lane] = lanes[lane]->natural.get();
  result->natural = pack_natural(natural);
  return result;
}

/// Null where the system is not made of expressions alone.
const ExpressionModel<double>* model_of(const AnySystem& system) {
  return dynamic_cast<const ExpressionModel<double>*>(&system.model<double>());
}

}  // namespace

bool same_shape(const AnySystem& a, const AnySystem& b) {
  const auto *x = model_of(a), *y = model_of(b);
  return x && y && a.traits() == b.traits() && same_shape(*x->functions(), *y->functions());
}

AnySystem packed_system(std::span<const AnySystem* const> members) {
  Lanes<Functions> lanes;
  if (members.empty() || members.size() > lanes.size())
    throw InputError("members", "1 to 8 fill a pack, got " + std::to_string(members.size()));
  for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
    const AnySystem& member = *members[std::min(lane, members.size() - 1)];
    if (!same_shape(member, *members[0])) throw InputError("members", "of different shape");
    lanes[lane] = model_of(member)->functions().get();
  }
  const bool all_same = std::ranges::count(lanes, lanes[0]) == std::ssize(lanes);
  const auto pack = [&] { return pack_functions(lanes); };
  const auto f = all_same ? model_of(*members[0])->repeated(pack) : pack();
  AnySystem::Models models = members[0]->models();
  models.pack = std::make_shared<ExpressionModel<Pack>>(f);
  models.dual_pack = std::make_shared<ExpressionModel<Dual<Pack, 4>>>(f);
  return {members[0]->name(), f->n, f->m, members[0]->traits(), std::move(models)};
}

AnySystem expression_system(const CanonicalSystem& s) {
  if (!s.hamiltonian) return legendre_system(s);
  const auto f = compile(s);
  return AnySystem(s.source.name, f->n, f->m, s.traits,
                   {std::make_shared<ExpressionModel<double>>(f),
                    std::make_shared<ExpressionModel<Dual<double, 4>>>(f),
                    std::make_shared<ExpressionModel<Quad>>(f),
                    std::make_shared<ExpressionModel<Dual<Quad, 4>>>(f)});
}

AnySystem expression_system(SystemDescription description) {
  return expression_system(canonical(std::move(description)));
}

}  // namespace rattleback
