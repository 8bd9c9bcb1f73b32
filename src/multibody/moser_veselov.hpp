// A body as a constrained system on R^(3x3) x R^3 [Barbero24 Example 5.3]: RATTLE for rotation
// matrices with R^T R = 1. Seen along R, its multipliers drop out, and with F = R0^T R1 and
// J = tr(I)/2 - I it is the discrete Moser-Veselov equation
//
//   h m0^ = F J - J F^T,      h m1^ = J F - F^T J,
//
// m^ the matrix of m x. With the quaternion (w, v) of F, v = h xi / 2, both are
//
//   m0 = w I xi + h/2 xi x I xi,      m1 = w I xi - h/2 xi x I xi,
//
// where J is gone: it may be singular, as of flat bodies. R1 m1 = R0 m0, and m I^-1 m is even in h:
// a free body keeps its momentum in space and its energy. There is no solution beyond h |w| = 1
// about a principal axis.
#pragma once

#include "body_kernels.hpp"

namespace rattleback {

struct MoserVeselov {
  template <class S, class G>
  static PartOfStep<G> arrive(const Matrix<S, 3>& inertia, const Real<S>& h,
                              const Vector<S, 3>& xi) {
    return evaluate<S, G>(inertia, h, xi);
  }
  template <class S, class G>
  static PartOfStep<G> evaluate(const Matrix<S, 3>& inertia, const Real<S>& h,
                                const Vector<S, 3>& xi) {
    using std::sqrt;
    const Real<S> half = h / 2;
    const Vector<S, 3> v = half * xi, m = inertia * xi, across = lie::cross(v, m);
    const S w = sqrt(S(Real<S>(1) - v.squaredNorm())), inverse_w = S(1) / w;
    const Matrix<S, 3> k = lie::cross_matrix(v);
    Matrix<S, 3> slope = w * inertia + k * inertia - half * lie::cross_matrix(m);
    slope -= (half * inverse_w) * (m * v.transpose());
    Matrix<S, 3> moves = inverse_w * (v * v.transpose()) - k;
    for (int i = 0; i < 3; ++i) moves(i, i) = moves(i, i) + w;
    return {{w, v}, w * m + across, w * m - across, slope, moves};
  }
};

}  // namespace rattleback
