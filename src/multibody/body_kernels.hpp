// One body over one step on a Lie group: where it arrives, with which momentum, and the slopes of
// both in the velocity xi.
//
// With g1 = g0 tau(h xi) and the inertia J, the momenta of the discrete Lagrangian h L are
// [Barbero24 Sec. 6.2], [Hante, Arnold 2021]
//
//   at the start  (d^R tau_{h xi}^-1)^T J xi        at the end  (d^L tau_{h xi}^-1)^T J xi,
//
// both D(x, m) = (d^R tau_x^-1)^T m, at x = h xi and at x = -h xi.
#pragma once

#include <concepts>

#include "joint_equations.hpp"
#include "rattleback/lie/euclidean.hpp"
#include "rattleback/lie/se3.hpp"
#include "rattleback/problem/dual.hpp"

namespace rattleback {

/// Unpivoted: for matrices near symmetric positive definite ones.
template <class S, int N>
Matrix<S, N> inverse_of(Matrix<S, N> a) {
  if constexpr (N == 3) {  // one division
    const S x = a(1, 1) * a(2, 2) - a(1, 2) * a(2, 1), y = a(1, 2) * a(2, 0) - a(1, 0) * a(2, 2),
            z = a(1, 0) * a(2, 1) - a(1, 1) * a(2, 0);
    const S by = S(1) / (a(0, 0) * x + a(0, 1) * y + a(0, 2) * z);
    Matrix<S, N> inverse;
    inverse << x * by, (a(0, 2) * a(2, 1) - a(0, 1) * a(2, 2)) * by,
        (a(0, 1) * a(1, 2) - a(0, 2) * a(1, 1)) * by, y * by,
        (a(0, 0) * a(2, 2) - a(0, 2) * a(2, 0)) * by, (a(0, 2) * a(1, 0) - a(0, 0) * a(1, 2)) * by,
        z * by, (a(0, 1) * a(2, 0) - a(0, 0) * a(2, 1)) * by,
        (a(0, 0) * a(1, 1) - a(0, 1) * a(1, 0)) * by;
    return inverse;
  }
  for (int k = 0; k < N; ++k) {
    const S pivot = S(1) / a(k, k);
    a(k, k) = S(1);
    for (int j = 0; j < N; ++j) a(k, j) = a(k, j) * pivot;
    for (int i = 0; i < N; ++i) {
      if (i == k) continue;
      const S factor = a(i, k);
      a(i, k) = S(0);
      for (int j = 0; j < N; ++j) a(i, j) = a(i, j) - factor * a(k, j);
    }
  }
  return a;
}

/// D(x, m), and its slope in xi for x = h xi, m = J xi.
template <class S, class G, class Tau>
struct DiscreteMomentum {
  using A = typename G::Algebra;
  using T = typename G::Tangent;

  static A at(const A& x, const A& m) { return Tau::template right_inverse<G>(x).transpose() * m; }
  /// By dual numbers, three directions at a time.
  static T slope(const Real<S>& h, const A& x, const A& m, const T& inertia) {
    static_assert(G::dimension == 6);
    using D = Dual<S, 3>;
    using GD = lie::SE3<D>;
    T all;
    for (int first = 0; first < 6; first += 3) {
      Vector<D, 6> xd, md;
      for (int i = 0; i < 6; ++i) {
        xd[i] = D(x[i]), md[i] = D(m[i]);
        for (int k = 0; k < 3; ++k) md[i].partials[k] = inertia(i, first + k);
      }
      for (int k = 0; k < 3; ++k) xd[first + k].partials[k] = S(h);
      const Vector<D, 6> image = Tau::template right_inverse<GD>(xd).transpose() * md;
      for (int i = 0; i < 6; ++i)
        for (int k = 0; k < 3; ++k) all(i, first + k) = image[i].partials[k];
    }
    return all;
  }
};

/// m + x x m/2 + d x x (x x m), d from the series.
template <class S>
struct DiscreteMomentum<S, lie::SO3<S>, lie::Exponential> {
  using A = Vector<S, 3>;
  using T = Matrix<S, 3>;

  static A at(const A& x, const A& m) {
    const A turned = lie::cross(x, m);
    const S d = lie::RotationSeries<S>(x.squaredNorm()).inverse();
    return m + Real<S>(0.5) * turned + d * lie::cross(x, turned);
  }
  static T slope(const Real<S>& h, const A& x, const A& m, const T& inertia) {
    const lie::RotationSeries<S> series(x.squaredNorm());
    return slope(h, x, m, inertia, series.inverse(), series.inverse_slope());
  }
  static T slope(const Real<S>& h, const A& x, const A& m, const T& inertia, const S& d,
                 const S& d_slope) {
    const S steep = Real<S>(2) * d_slope;
    const T k = lie::cross_matrix(x);
    const A twice = lie::cross(x, lie::cross(x, m));
    T in_x = d * (x * m.transpose()) + (steep * twice - (Real<S>(2) * d) * m) * x.transpose() -
             Real<S>(0.5) * lie::cross_matrix(m);
    const S along = d * x.dot(m);
    for (int i = 0; i < 3; ++i) in_x(i, i) = in_x(i, i) + along;
    return inertia + (Real<S>(0.5) * k + d * (k * k)) * inertia + h * in_x;
  }
};

/// m + x x m/2 + x (x . m)/4
template <class S>
struct DiscreteMomentum<S, lie::SO3<S>, lie::Cayley> {
  using A = Vector<S, 3>;
  using T = Matrix<S, 3>;

  static A at(const A& x, const A& m) {
    return m + Real<S>(0.5) * lie::cross(x, m) + (Real<S>(0.25) * x.dot(m)) * x;
  }
  static T slope(const Real<S>& h, const A& x, const A& m, const T& inertia) {
    T in_x = Real<S>(0.25) * (x * m.transpose()) - Real<S>(0.5) * lie::cross_matrix(m);
    const S along = Real<S>(0.25) * x.dot(m);
    for (int i = 0; i < 3; ++i) in_x(i, i) = in_x(i, i) + along;
    const T k = Real<S>(0.5) * lie::cross_matrix(x) + Real<S>(0.25) * (x * x.transpose());
    return inertia + k * inertia + h * in_x;
  }
};

/// Of a part of a body's motion: what a Newton iteration asks of it. `moves` is d(g1^-1 dg1)/h by
/// dxi, `slope` the derivative of `begin`.
template <class G>
struct PartOfStep {
  G step;
  typename G::Algebra begin, end;
  typename G::Tangent slope, moves;
};

/// RATTLie: g1 = g0 tau(h xi).
template <class Tau>
struct OneRetraction {
  template <class S, class G>
  static PartOfStep<G> evaluate(const typename G::Tangent& inertia, const Real<S>& h,
                                const typename G::Algebra& xi) {
    return part<S, G, true>(inertia, h, xi);
  }
  /// Without slopes.
  template <class S, class G>
  static PartOfStep<G> arrive(const typename G::Tangent& inertia, const Real<S>& h,
                              const typename G::Algebra& xi) {
    return part<S, G, false>(inertia, h, xi);
  }

 private:
  template <class S, class G, bool slopes>
  static PartOfStep<G> part(const typename G::Tangent& inertia, const Real<S>& h,
                            const typename G::Algebra& xi) {
    using D = DiscreteMomentum<S, G, Tau>;
    const typename G::Algebra x = h * xi, m = inertia * xi, back = -x;
    if constexpr (std::same_as<G, lie::SO3<S>> && std::same_as<Tau, lie::Exponential>) {
      return by_one_series<S, slopes>(inertia, h, x, m);
    } else {
      PartOfStep<G> all{Tau::template at<G>(x), D::at(x, m), D::at(back, m), {}, {}};
      if constexpr (slopes) {
        all.slope = D::slope(h, x, m, inertia);
        all.moves = lie::left<Tau, G>(x);
      }
      return all;
    }
  }
  /// The same, with one series for all: of the step of a chain that is half of the work.
  template <class S, bool slopes>
  static PartOfStep<lie::SO3<S>> by_one_series(const Matrix<S, 3>& inertia, const Real<S>& h,
                                               const Vector<S, 3>& x, const Vector<S, 3>& m) {
    using D = DiscreteMomentum<S, lie::SO3<S>, lie::Exponential>;
    const S quarter = Real<S>(0.25) * x.squaredNorm();
    const lie::RotationSeries<S> half(quarter), full = half.doubled(quarter);
    const S d = full.inverse();
    const Vector<S, 3> once = lie::cross(x, m), twice = d * lie::cross(x, once);
    PartOfStep<lie::SO3<S>> all{{Real<S>(1) - quarter * half.b, (Real<S>(0.5) * half.a) * x},
                                m + Real<S>(0.5) * once + twice,
                                m - Real<S>(0.5) * once + twice,
                                {},
                                {}};
    if constexpr (slopes) {
      const Matrix<S, 3> k = lie::cross_matrix(x);
      all.slope = D::slope(h, x, m, inertia, d, full.inverse_slope());
      all.moves = full.c * (k * k) - full.b * k;
      for (int i = 0; i < 3; ++i) all.moves(i, i) = all.moves(i, i) + Real<S>(1);
    }
    return all;
  }
};

/// Lie RATTLE [Barbero24 (6.8)-(6.10)]: g1 = g0 tau(h/2 xi) tau(h/2 eta), where eta has at its
/// start the momentum that xi ends with.
template <class Tau>
struct TwoRetractions {
  template <class S, class G>
  static PartOfStep<G> arrive(const typename G::Tangent& inertia, const Real<S>& h,
                              const typename G::Algebra& xi) {
    return evaluate<S, G>(inertia, h, xi);
  }
  template <class S, class G>
  static PartOfStep<G> evaluate(const typename G::Tangent& inertia, const Real<S>& h,
                                const typename G::Algebra& xi) {
    using D = DiscreteMomentum<S, G, Tau>;
    using A = typename G::Algebra;
    using T = typename G::Tangent;
    const Real<S> half = h / 2;
    const A x = half * xi, m = inertia * xi, back = -x, middle = D::at(back, m);
    A eta = xi;
    T inverse;
    for (int k = 0; k < most; ++k) {
      const A y = half * eta, n = inertia * eta;
      inverse = inverse_of<S, G::dimension>(D::slope(half, y, n, inertia));
      const A change = inverse * (D::at(y, n) - middle);
      eta -= change;
      if (within(change, 4 * epsilon<S> * (1 + largest_magnitude(eta)))) break;
    }
    const A y = half * eta, n = inertia * eta, forth = -y;
    const G second = Tau::template at<G>(y);
    const T carried = inverse * D::slope(-half, back, m, inertia);
    const T moves = second.inverse().Ad() * lie::left<Tau, G>(x) + lie::left<Tau, G>(y) * carried;
    return {Tau::template at<G>(x) * second, D::at(x, m), D::at(forth, n),
            D::slope(half, x, m, inertia), Real<S>(0.5) * moves};
  }
  /// What has not converged by then has a residual: the momentum at the end is then not that of the
  /// start, which the iteration around it does not see; it cannot, as it turns by h/2 xi only.
  static constexpr int most = 12;
};

}  // namespace rattleback
