// Constraint functions g(q) or g(q, p) with their Jacobians.
#pragma once

#include <array>
#include <type_traits>
#include <utility>

#include "rattleback/problem/derivatives.hpp"
#include "rattleback/problem/require_function.hpp"

namespace rattleback {

namespace detail {

/// What g returns fixes the number of constraints: a scalar is one, a fixed-size vector M.
template <class R>
struct CountOf : std::integral_constant<int, 1> {};
template <class T, std::size_t M>
struct CountOf<std::array<T, M>> : std::integral_constant<int, static_cast<int>(M)> {};
template <class R>
  requires requires { R::RowsAtCompileTime; }
struct CountOf<R> : std::integral_constant<int, R::RowsAtCompileTime> {};

template <class R, class G>
void assign(const R& value, G& g) {
  if constexpr (requires { value[0]; })
    for (Eigen::Index i = 0; i < g.size(); ++i) g[i] = value[i];
  else
    g[0] = value;
}

}  // namespace detail

/// m constraint functions. F is called as f(q) or f(q, p) and returns their values, or, when
/// `Writes`, as f(q, g) or f(q, p, g) and writes them (sizes known at run time).
///
/// A function object may bring its own derivative as a member
///   jacobian(q, G_q)   or   jacobian(q, p, G_q, G_p),
/// and its own fibre flow exp(sum lambda_i X_gi) as  slide(q, p, lambda).
template <class F, int M, bool Holonomic, bool Quadratic = false, bool Writes = false>
class ConstraintSet {
 public:
  static constexpr int count_at_compile_time = M;
  static constexpr bool holonomic = Holonomic;
  static constexpr bool quadratic = Quadratic;

  explicit ConstraintSet(F f, int count = M) : f_(std::move(f)), count_(count) {}
  int count() const { return M == dynamic ? count_ : M; }
  const F& function() const { return f_; }

  template <class Q, class P, class G>
  void evaluate(const Q& q, const P& p, G& g) const {
    if constexpr (Writes && Holonomic)
      f_(q, g);
    else if constexpr (Writes)
      f_(q, p, g);
    else if constexpr (Holonomic)
      detail::assign(f_(q), g);
    else
      detail::assign(f_(q, p), g);
  }

  /// g, G_q and, for mixed constraints, G_p.
  template <class S, int N>
  void linearise(const Vector<S, N>& q, const Vector<S, N>& p, Vector<S, M>& g,
                 Matrix<S, M, N>& g_q, Matrix<S, M, N>& g_p) const {
    if constexpr (Holonomic) {
      if constexpr (requires { f_.jacobian(q, g_q); }) {
        evaluate(q, p, g);
        f_.jacobian(q, g_q);
      } else {
        automatic_linearise(q, p, g, g_q, g_p);
      }
    } else {
      if constexpr (requires { f_.jacobian(q, p, g_q, g_p); }) {
        evaluate(q, p, g);
        f_.jacobian(q, p, g_q, g_p);
      } else {
        automatic_linearise(q, p, g, g_q, g_p);
      }
    }
  }

  /// The same by dual numbers, whatever the user brought: the truth in check_derivatives().
  template <class S, int N>
  void automatic_linearise(const Vector<S, N>& q, const Vector<S, N>& p, Vector<S, M>& g,
                           Matrix<S, M, N>& g_q, Matrix<S, M, N>& g_p) const {
    if constexpr (Holonomic)
      automatic_jacobian([this](const auto& x, auto& out) { this->evaluate(x, x, out); }, q, g,
                         g_q);
    else
      automatic_jacobian(
          [this](const auto& x, const auto& y, auto& out) { this->evaluate(x, y, out); }, q, p, g,
          g_q, g_p);
  }

  template <class S, int N>
  static constexpr bool has_slide = requires(const F& f, Vector<S, N>& q, Vector<S, N>& p,
                                             const Vector<S, M>& lambda) { f.slide(q, p, lambda); };

 private:
  F f_;
  int count_;
};

/// No constraints at all.
class Unconstrained {
 public:
  static constexpr int count_at_compile_time = 0;
  static constexpr bool holonomic = true;
  static constexpr bool quadratic = false;
  int count() const { return 0; }
  template <class Q, class P, class G>
  void evaluate(const Q&, const P&, G&) const {}
  template <class Q, class P, class G, class J>
  void linearise(const Q&, const P&, G&, J&, J&) const {}
  template <class Q, class P, class G, class J>
  void automatic_linearise(const Q&, const P&, G&, J&, J&) const {}
  template <class S, int N>
  static constexpr bool has_slide = false;
};

template <class F>
inline constexpr bool is_constraint_set = false;
template <class F, int M, bool H, bool Q, bool W>
inline constexpr bool is_constraint_set<ConstraintSet<F, M, H, Q, W>> = true;
template <>
inline constexpr bool is_constraint_set<Unconstrained> = true;

/// m holonomic constraints written into g: f(q, g).
template <class F>
auto constraints(int m, F f) {
  return ConstraintSet<F, dynamic, true, false, true>(std::move(f), m);
}
/// m constraints on positions and momenta written into g: f(q, p, g).
template <class F>
auto mixed_constraints(int m, F f) {
  return ConstraintSet<F, dynamic, false, false, true>(std::move(f), m);
}

template <class F>
struct QuadraticFunction {
  F f;
};
template <class F>
inline constexpr bool is_quadratic_function = false;
template <class F>
inline constexpr bool is_quadratic_function<QuadraticFunction<F>> = true;

/// Promises that every g_i is quadratic in (q, p): its fibre flow is linear and taken in closed
/// form. check_derivatives() tests the promise.
template <class F>
auto quadratic(F f) {
  return QuadraticFunction<F>{std::move(f)};
}
template <class F, int M, bool Holonomic, bool Quadratic, bool Writes>
auto quadratic(ConstraintSet<F, M, Holonomic, Quadratic, Writes> g) {
  return ConstraintSet<F, M, Holonomic, true, Writes>(g.function(), g.count());
}

/// The constraint set of a plain function of N coordinates: holonomic if callable as f(q).
template <int N, bool Quadratic = false, class F>
auto make_constraints(F f) {
  using Q = Vector<double, N>;
  if constexpr (is_constraint_set<F>) {
    return f;
  } else if constexpr (is_quadratic_function<F>) {
    return make_constraints<N, true>(std::move(f.f));
  } else if constexpr (!detail::TakesOneType<F> && std::is_invocable_v<F, const Q&>) {
    using R = std::decay_t<std::invoke_result_t<F, const Q&>>;
    static_assert(detail::CountOf<R>::value != dynamic, "give the number: constraints(m, f)");
    return ConstraintSet<F, detail::CountOf<R>::value, true, Quadratic>(std::move(f));
  } else if constexpr (!detail::TakesOneType<F> && std::is_invocable_v<F, const Q&, const Q&>) {
    using R = std::decay_t<std::invoke_result_t<F, const Q&, const Q&>>;
    static_assert(detail::CountOf<R>::value != dynamic, "give the number: mixed_constraints(m, f)");
    return ConstraintSet<F, detail::CountOf<R>::value, false, Quadratic>(std::move(f));
  } else {
    detail::require_function<N, 2, F>();  // says what is wrong
  }
}

}  // namespace rattleback
