// compiled_stepper(): static sizes where they are small, else the structure of the constraints.
// Every scalar has a source of its own, so that they compile side by side.
#pragma once

#include "rattleback/integrators/compiled_natural.hpp"
#include "rattleback/integrators/compiled_system.hpp"
#include "rattleback/integrators/natural_steps.hpp"
#include "rattleback/problem/pack.hpp"

namespace rattleback {

namespace detail {

/// One number of every lane, from an array that has `lanes` for each.
template <class S>
S lanes_at(const std::vector<double>& values, int lanes, int index) {
  return constant<S>(values.data() + std::ptrdiff_t{lanes} * index, lanes);
}

/// The code as a system of static size.
template <class S, int N, int M>
class SmallSystem {
 public:
  static constexpr int dimension_at_compile_time = N;
  static constexpr int constraints_at_compile_time = M;

  explicit SmallSystem(const CompiledNatural& code)
      : code_(code),
        linearise_(code.linearise_dense.function()),
        slope_(code.potential_gradient.function()),
        uniform_(code.potential_gradient.is_constant()) {
    for (int i = 0; i < N; ++i) inverse_mass_[i] = lanes_at<S>(code.inverse_mass, code.lanes, i);
    const Vector<S, N> anywhere = Vector<S, N>::Constant(S(0));
    if (uniform_)
      code_.potential_gradient(anywhere.data(), anywhere.data(), force_.data(), force_.data());
  }
  static constexpr int dimension() { return N; }
  static constexpr int constraint_count() { return M; }
  static constexpr Traits traits() { return {.natural = true, .separable = true}; }

  RATTLEBACK_INLINE void potential_gradient(const Vector<S, N>& q, Vector<S, N>& v_q) const {
    if (uniform_)
      copy(force_, v_q);
    else if (slope_)
      slope_(doubles(q), nullptr, doubles(v_q), nullptr, nullptr);
    else
      code_.potential_gradient(q.data(), q.data(), v_q.data(), v_q.data());
  }
  template <class P, class V>
  RATTLEBACK_INLINE void velocity(const P& p, V& v) const {
    for (int i = 0; i < N; ++i) v[i] = p[i] * inverse_mass_[i];
  }
  RATTLEBACK_INLINE void linearise(const Vector<S, N>& q, const Vector<S, N>&, Vector<S, M>& g,
                                   Matrix<S, M, N>& g_q, Matrix<S, M, N>&) const {
    if (linearise_)
      linearise_(doubles(q), nullptr, doubles(g), doubles(g_q), nullptr);
    else
      code_.linearise_dense(q.data(), q.data(), g.data(), g_q.data());
  }

 private:
  template <class V>
  static const double* doubles(const V& v) {
    return reinterpret_cast<const double*>(v.data());
  }
  template <class V>
  static double* doubles(V& v) {
    return reinterpret_cast<double*>(v.data());
  }

  const CompiledNatural& code_;
  NativeCode::Function linearise_, slope_;  // called many times a step: without a detour
  bool uniform_;                            // the force is the same everywhere
  Vector<S, N> inverse_mass_, force_;
};

/// The system with what keeps its code alive.
template <class Sys>
struct Owned {
  AnySystem owner;
  Sys system;
};

/// make(shared pointer to the code as a system of known type); null where there is no code.
template <class S, class Make>
AnyStepperPointer<S> on_compiled_system(const AnySystem& system, const Make& make) {
  const CompiledNatural* code = system.model<S>().compiled();
  if (!code) return nullptr;
  const auto stepper = [&]<class Sys>(Sys typed) -> AnyStepperPointer<S> {
    const auto owned = std::make_shared<Owned<Sys>>(Owned<Sys>{system, std::move(typed)});
    return make(std::shared_ptr<const Sys>(owned, &owned->system));
  };
  AnyStepperPointer<S> found;
  const auto try_size = [&]<int N, int M>() {
    if (code->dimension == N && code->constraints == M)
      found = stepper(SmallSystem<S, N, M>(*code));
  };
  try_size.template operator()<2, 1>();
  try_size.template operator()<3, 1>();
  try_size.template operator()<3, 2>();
  try_size.template operator()<4, 1>();
  try_size.template operator()<4, 2>();
  try_size.template operator()<6, 2>();
  try_size.template operator()<6, 3>();
  if (found) return found;
  if (code->lanes == 1)
    return stepper(CompiledSystem<S>(*code, SparseAlgebra(code->pattern, code->inverse_mass)));
  auto algebra = SparseAlgebra::packed(*code);
  return algebra ? stepper(CompiledSystem<S>(*code, std::move(*algebra))) : nullptr;
}

}  // namespace detail

template <class S>
AnyStepperPointer<S> compiled_stepper(const AnySystem& system, const BaseMapChoice& base,
                                      Projection project, const SolveOptions& options) {
  if (!kicks(base.map) && !has_stages(base.map)) return nullptr;
  return detail::on_compiled_system<S>(
      system, [&]<class Sys>(const std::shared_ptr<const Sys>& typed) {
        return detail::bound_stepper<S>(typed, base, project, options);
      });
}
template <class S>
AnyStepperPointer<S> compiled_multistep(const AnySystem& system, int order,
                                        const SolveOptions& options) {
  return detail::on_compiled_system<S>(system,
                                       [&]<class Sys>(const std::shared_ptr<const Sys>& typed) {
                                         return detail::bound_multistep<S>(typed, order, options);
                                       });
}

}  // namespace rattleback
