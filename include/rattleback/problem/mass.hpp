// Mass of a natural system, H(q,p) = p.M^-1 p/2 + V(q).
#pragma once

#include <array>
#include <string>
#include <type_traits>

#include "rattleback/problem/error.hpp"
#include "rattleback/problem/scalar.hpp"
#include "rattleback/problem/small_ldlt.hpp"

namespace rattleback {

/// Constant diagonal mass. The parameter type T may be a pack: one mass per copy.
template <class T, int N>
class DiagonalMass {
 public:
  static constexpr int dimension_at_compile_time = N;
  static constexpr bool diagonal = true;

  explicit DiagonalMass(const Vector<T, N>& masses) : masses_(masses), inverse_(masses.size()) {
    for (Eigen::Index i = 0; i < masses.size(); ++i) {
      require_positive_mass(i, masses[i]);
      inverse_[i] = T(1) / masses[i];
    }
  }
  Eigen::Index size() const { return masses_.size(); }
  const Vector<T, N>& masses() const { return masses_; }
  const Vector<T, N>& inverse() const { return inverse_; }

  /// v = M^-1 p
  template <class P, class V>
  void velocity(const P& p, V& v) const {
    if constexpr (std::is_same_v<Real<typename V::Scalar>, Real<T>>)
      for (Eigen::Index i = 0; i < p.size(); ++i) v[i] = p[i] * inverse_[i];
    else  // the reciprocal would be rounded to T
      for (Eigen::Index i = 0; i < p.size(); ++i) v[i] = p[i] / masses_[i];
  }
  /// p = M v
  template <class V, class P>
  void momentum(const V& v, P& p) const {
    for (Eigen::Index i = 0; i < v.size(); ++i) p[i] = v[i] * masses_[i];
  }
  /// The same mass with its numbers in another scalar type.
  template <class U>
  DiagonalMass<U, N> cast() const {
    return DiagonalMass<U, N>(masses_.template cast<U>());
  }

 private:
  static void require_positive_mass(Eigen::Index i, const T& m) {
    if (!(smallest(m) > 0) || !std::isfinite(magnitude(m)))
      throw InputError("mass", "entry " + std::to_string(i) + " must be positive and finite, got " +
                                   detail::quote(smallest(m)));
  }
  Vector<T, N> masses_;
  Vector<T, N> inverse_;
};

/// Constant full mass matrix, symmetric positive definite.
template <class T, int N>
class FullMass {
 public:
  static constexpr int dimension_at_compile_time = N;
  static constexpr bool diagonal = false;

  explicit FullMass(const Matrix<T, N>& m) : matrix_(m), inverse_(invert(m)) {}
  Eigen::Index size() const { return matrix_.rows(); }
  const Matrix<T, N>& matrix() const { return matrix_; }

  template <class P, class V>
  void velocity(const P& p, V& v) const {
    using S = typename V::Scalar;
    if constexpr (std::is_same_v<Real<S>, Real<T>>) {
      multiply(inverse_, p, v);
    } else {  // the inverse would be rounded to T
      Matrix<S, N> m = matrix_.template cast<S>();
      for (Eigen::Index i = 0; i < p.size(); ++i) v[i] = p[i];
      ldlt_solve(m, v);
    }
  }
  template <class V, class P>
  void momentum(const V& v, P& p) const {
    multiply(matrix_, v, p);
  }
  template <class U>
  FullMass<U, N> cast() const {
    return FullMass<U, N>(matrix_.template cast<U>());
  }

 private:
  template <class X, class Y>
  static void multiply(const Matrix<T, N>& a, const X& x, Y& y) {
    for (Eigen::Index i = 0; i < a.rows(); ++i) {
      typename Y::Scalar sum(0);
      for (Eigen::Index j = 0; j < a.cols(); ++j) sum += x[j] * a(i, j);
      y[i] = sum;
    }
  }
  static std::string entry(Eigen::Index i, Eigen::Index j, const Matrix<T, N>& a) {
    std::string text = "(";
    text += std::to_string(i) + ", " + std::to_string(j) + ") is ";
    return text += detail::quote(smallest(a(i, j)));
  }
  /// Gauss-Jordan; a symmetric positive definite matrix needs no pivoting.
  static Matrix<T, N> invert(Matrix<T, N> a) {
    const Eigen::Index n = a.rows();
    if (a.cols() != n)
      throw InputError("mass", "the matrix must be square, got " + std::to_string(n) + " x " +
                                   std::to_string(a.cols()));
    for (Eigen::Index i = 0; i < n; ++i)
      for (Eigen::Index j = 0; j < i; ++j)
        if (magnitude(T(a(i, j) - a(j, i))) > 1e-14 * (magnitude(a(i, i)) + magnitude(a(j, j))))
          throw InputError("mass", "the matrix is not symmetric: entry " + entry(i, j, a) +
                                       ", entry " + entry(j, i, a));
    Matrix<T, N> inverse = Matrix<T, N>::Identity(n, n);
    for (Eigen::Index k = 0; k < n; ++k) {
      if (!(smallest(a(k, k)) > 0))
        throw InputError("mass", "the matrix is not positive definite: pivot " + std::to_string(k) +
                                     " is " + detail::quote(smallest(a(k, k))));
      const T scale = T(1) / a(k, k);
      a.row(k) *= scale;
      inverse.row(k) *= scale;
      for (Eigen::Index i = 0; i < n; ++i) {
        if (i == k) continue;
        const T factor = a(i, k);
        a.row(i) -= factor * a.row(k);
        inverse.row(i) -= factor * inverse.row(k);
      }
    }
    return inverse;
  }
  Matrix<T, N> matrix_;
  Matrix<T, N> inverse_;
};

/// mass(1.0, 2.0): a diagonal mass with its size known at compile time.
template <class... M>
  requires(sizeof...(M) > 0 && (std::is_arithmetic_v<M> && ...))
auto mass(M... m) {
  const std::array<double, sizeof...(M)> masses{static_cast<double>(m)...};
  return DiagonalMass<double, sizeof...(M)>(
      Eigen::Map<const Vector<double, sizeof...(M)>>(masses.data()));
}
/// A diagonal mass from a vector (a pack per entry gives every copy its own).
template <class T, int N>
auto mass(const Vector<T, N>& m) {
  return DiagonalMass<T, N>(m);
}
/// A full, constant mass matrix.
template <class T, int N>
auto mass_matrix(const Matrix<T, N, N>& m) {
  return FullMass<T, N>(m);
}

}  // namespace rattleback
