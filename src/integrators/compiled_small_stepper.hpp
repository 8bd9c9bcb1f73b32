// Natural systems in straight-line code with static sizes, where they are small. Sources of their
// own: what serves long loops harms steps of a few numbers (CMakeLists.txt).
#pragma once

#include "compiled_natural_stepper.hpp"

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

  /// `quadratic`: every constraint is.
  SmallSystem(const CompiledNatural& code, bool quadratic)
      : code_(code),
        linearise_(code.linearise_dense.function()),
        slope_(code.potential_gradient.function()),
        uniform_(code.potential_gradient.is_constant()),
        quadratic_(quadratic) {
    for (int i = 0; i < N; ++i) inverse_mass_[i] = lanes_at<S>(code.inverse_mass, code.lanes, i);
    const Vector<S, N> anywhere = Vector<S, N>::Constant(S(0));
    if (uniform_)
      code_.potential_gradient(anywhere.data(), anywhere.data(), force_.data(), force_.data());
    if (M == 1 && quadratic_) find_curvature();
  }
  static constexpr int dimension() { return N; }
  static constexpr int constraint_count() { return M; }
  Traits traits() const { return {.natural = true, .separable = true, .quadratic = quadratic_}; }

  RATTLEBACK_INLINE void potential_gradient(const Vector<S, N>& q, Vector<S, N>& v_q) const {
    if (uniform_) {
      copy(force_, v_q);
    } else if constexpr (apart) {
      Vector<S, N> at, slope;
      copy(q, at);
      call(slope_, code_.potential_gradient, at, slope, slope);
      copy(slope, v_q);
    } else {
      call(slope_, code_.potential_gradient, q, v_q, v_q);
    }
  }
  template <class P, class V>
  RATTLEBACK_INLINE void velocity(const P& p, V& v) const {
    for (int i = 0; i < N; ++i) v[i] = p[i] * inverse_mass_[i];
  }
  /// out = g_qq u, of one quadratic constraint
  RATTLEBACK_INLINE void bend(const Vector<S, N>& u, Matrix<S, 1, N>& out) const {
    for (int i = 0; i < N; ++i) {
      S sum = curvature_(i, 0) * u[0];
      for (int j = 1; j < N; ++j) sum += curvature_(i, j) * u[j];
      out(0, i) = sum;
    }
  }
  RATTLEBACK_INLINE void linearise(const Vector<S, N>& q, const Vector<S, N>&, Vector<S, M>& g,
                                   Matrix<S, M, N>& g_q, Matrix<S, M, N>&) const {
    if constexpr (apart) {
      Vector<S, N> at;
      Vector<S, M> value;
      Matrix<S, M, N> slope;
      copy(q, at);
      call(linearise_, code_.linearise_dense, at, value, slope);
      copy(value, g), copy(slope, g_q);
    } else {
      call(linearise_, code_.linearise_dense, q, g, g_q);
    }
  }

 private:
  /// Whether code is called with vectors of its own. What it is given the address of has to stay in
  /// memory, with all that is in one object with it: that would be the step, which is in registers.
  static constexpr bool apart = ScalarTraits<S>::lanes == 1;

  /// Column j: G(e_j) - G(0).
  void find_curvature() {
    Vector<S, M> g;
    Matrix<S, M, N> at_origin, slope;
    Vector<S, N> q = Vector<S, N>::Constant(S(0));
    linearise(q, q, g, at_origin, at_origin);
    for (int j = 0; j < N; ++j) {
      q[j] = S(1);
      linearise(q, q, g, slope, slope);
      q[j] = S(0);
      for (int i = 0; i < N; ++i) curvature_(i, j) = slope(0, i) - at_origin(0, i);
    }
  }
  template <class Q, class V, class W>
  RATTLEBACK_INLINE static void call(NativeCode::Function native, const CompiledFunction& function,
                                     const Q& q, V& first, W& second) {
    if (native)  // without a detour: called several times a step
      native(doubles(q), nullptr, doubles(first), doubles(second), nullptr);
    else
      function(q.data(), q.data(), first.data(), second.data());
  }
  template <class V>
  static const double* doubles(const V& v) {
    return reinterpret_cast<const double*>(v.data());
  }
  template <class V>
  static double* doubles(V& v) {
    return reinterpret_cast<double*>(v.data());
  }

  const CompiledNatural& code_;
  NativeCode::Function linearise_, slope_;
  bool uniform_;  // the force is the same everywhere
  bool quadratic_;
  Vector<S, N> inverse_mass_, force_;
  Matrix<S, N> curvature_;  // g_qq
};

template <int N, int M>
struct Size {};

/// make(shared pointer to the code as a system of static size); null for other sizes than these.
template <class S, class Make, int... N, int... M>
AnyStepperPointer<S> on_small_code(const AnySystem& system, const Make& make, Size<N, M>...) {
  const CompiledNatural& code = *system.model<S>().compiled();
  AnyStepperPointer<S> found;
  const auto try_size = [&]<int n, int m>(Size<n, m>) {
    if (code.dimension == n && code.constraints == m)
      found =
          on_owned_system<S>(system, SmallSystem<S, n, m>(code, system.traits().quadratic), make);
  };
  (try_size(Size<N, M>{}), ...);
  return found;
}

template <class S>
AnyStepperPointer<S> small_compiled_stepper(const AnySystem& system, const BaseMapChoice& base,
                                            Projection project, const SolveOptions& options) {
  const auto make = [&]<class Sys>(std::shared_ptr<const Sys> typed) {
    return bound_stepper<S>(std::move(typed), base, project, options);
  };
  if constexpr (ScalarTraits<S>::lanes > 1)  // what is saved is shared by the lanes
    return on_small_code<S>(system, make, Size<2, 1>{}, Size<3, 1>{}, Size<4, 2>{});
  else
    return on_small_code<S>(system, make, Size<2, 1>{}, Size<3, 1>{}, Size<3, 2>{}, Size<4, 1>{},
                            Size<4, 2>{}, Size<6, 2>{}, Size<6, 3>{});
}
// Compiled in their own sources only, with the options those have.
extern template AnyStepperPointer<double> small_compiled_stepper(const AnySystem&,
                                                                 const BaseMapChoice&, Projection,
                                                                 const SolveOptions&);
extern template AnyStepperPointer<Pack> small_compiled_stepper(const AnySystem&,
                                                               const BaseMapChoice&, Projection,
                                                               const SolveOptions&);

}  // namespace detail
}  // namespace rattleback
