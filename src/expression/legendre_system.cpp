// Lagrangians that are not quadratic in the velocities: H by Newton, in every scalar.
#include "rattleback/problem/lagrangian_system.hpp"
#include "system_code.hpp"

namespace rattleback {

namespace {

/// L(q, v) with its gradient, in byte code.
struct LagrangianCode {
  std::shared_ptr<const CompiledFunction> value, slope;

  template <class S>
  S operator()(const Vector<S, dynamic>& q, const Vector<S, dynamic>& v) const {
    S result(0);
    (*value)(q.data(), v.data(), &result, &result);
    return result;
  }
  template <class S>
  void gradient(const Vector<S, dynamic>& q, const Vector<S, dynamic>& v, Vector<S, dynamic>& l_q,
                Vector<S, dynamic>& l_v) const {
    (*slope)(q.data(), v.data(), l_q.data(), l_v.data());
  }
};

struct ConstraintCode {
  std::shared_ptr<const CompiledFunction> value;

  template <class Q, class G>
  void operator()(const Q& q, G& g) const {
    (*value)(q.data(), q.data(), g.data(), g.data());
  }
  template <class Q, class G>
  void operator()(const Q& q, const Q& p, G& g) const {
    (*value)(q.data(), p.data(), g.data(), g.data());
  }
};

}  // namespace

AnySystem legendre_system(const CanonicalSystem& s) {
  Graph& graph = s.graph();
  const int n = s.dimension(), m = s.constraint_count();
  const Expression l = detail::velocities_as_second(graph, s.lagrangian, n);
  detail::Outputs slopes, values;
  for (int array = 0; array < 2; ++array)
    detail::append_gradient(graph, l, array * n, n, array, slopes);
  const auto function = [&](const detail::Outputs& outputs) {
    return std::make_shared<const CompiledFunction>(graph, n, outputs);
  };
  const LagrangianCode code{function({{0, 0, l}}), function(slopes)};
  for (int i = 0; i < m; ++i) values.push_back({0, i, s.constraints[i]});
  const ConstraintCode g{function(values)};
  if (m == 0) return AnySystem(s.source.name, lagrangian_system(n, code));
  if (s.traits.holonomic)
    return AnySystem(s.source.name, lagrangian_system(n, code, constraints(m, g)));
  return AnySystem(s.source.name, lagrangian_system(n, code, mixed_constraints(m, g)));
}

}  // namespace rattleback
