// The laws of lie::LieGroup, measured at elements of the algebra that one names. G is a template
// over its scalar: derivatives come from dual numbers, truth from quad precision.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "rattleback/lie/lie_group.hpp"
#include "rattleback/problem/dual.hpp"
#include "rattleback/problem/quad.hpp"

namespace rattleback::testing {

/// Largest defects over the samples, of matrices of size one: 1e-16 is round-off.
struct LieResult {
  double product = 0;   ///< g e, g g^-1, (g h) k and the representation of g h
  double adjoint = 0;   ///< hat(Ad_g eta) - g hat(eta) g^-1, Ad_gh - Ad_g Ad_h
  double bracket = 0;   ///< hat(ad_xi eta) - [hat(xi), hat(eta)]
  double formula = 0;   ///< exp by its series, (1 - xi/2) cay - (1 + xi/2), both by matrices
  double opposite = 0;  ///< tau(xi) tau(-xi) - e
  double tangent = 0;   ///< d^R tau against the derivative of tau by dual numbers
  double sides = 0;     ///< d^R tau - Ad_tau d^L tau, and T_0 tau - 1
  double inverse = 0;   ///< d^R tau (d^R tau)^-1 - 1
  double accuracy = 0;  ///< tau and its tangents in double against quad precision, relative

  double largest() const {
    return std::max(
        {product, adjoint, bracket, formula, opposite, tangent, sides, inverse, accuracy});
  }
  std::string text() const;
};

namespace detail {

/// Laws are judged in quad precision, whatever was computed in double.
using Wide = Matrix<Quad, dynamic>;

template <class Derived>
Wide wide(const Eigen::MatrixBase<Derived>& m) {
  Wide all(m.rows(), m.cols());
  for (Eigen::Index i = 0; i < m.rows(); ++i)
    for (Eigen::Index j = 0; j < m.cols(); ++j) all(i, j) = Quad(m.derived().coeff(i, j));
  return all;
}
void raise(double& most, const Wide& a, const Wide& b);
/// Of a matrix: Taylor's series at x/64, squared six times.
Wide exponential(const Wide& x);

template <template <class> class G>
class LieLaws {
 public:
  using Group = G<double>;
  using Algebra = typename Group::Algebra;
  using Tangent = typename Group::Tangent;
  static constexpr int n = Group::dimension;

  explicit LieLaws(const std::vector<Algebra>& samples) : samples_(samples) {}

  LieResult measure() {
    for (const Algebra& xi : samples_) {
      for (const Algebra& eta : samples_) pair(xi, eta);
      formulas(xi);
      retraction<lie::Exponential>(xi);
      retraction<lie::Cayley>(xi);
    }
    at_zero<lie::Exponential>();
    at_zero<lie::Cayley>();
    return result_;
  }

 private:
  static Wide matrix(const Group& g) { return wide(g.matrix()); }
  static Wide hat(const Algebra& xi) { return wide(Group::hat(xi)); }

  void pair(const Algebra& xi, const Algebra& eta) {
    const Group g = Group::exp(xi), h = Group::cay(eta), e{};
    const Wide a = matrix(g), b = matrix(h), x = hat(xi), y = hat(eta);
    raise(result_.product, matrix(g * e), a);
    raise(result_.product, matrix(g * g.inverse()), matrix(e));
    raise(result_.product, matrix((g * h) * g), matrix(g * (h * g)));
    raise(result_.product, matrix(g * h), a * b);
    raise(result_.product, matrix(g.normalized()), a);
    const Algebra moved = g.Ad() * eta, bracket = Group::ad(xi) * eta;
    raise(result_.adjoint, hat(moved), a * y * matrix(g.inverse()));
    raise(result_.adjoint, wide((g * h).Ad()), wide(g.Ad()) * wide(h.Ad()));
    raise(result_.bracket, hat(bracket), x * y - y * x);
  }
  void formulas(const Algebra& xi) {
    const Wide one = matrix(Group()), half = hat(xi) / Quad(2);
    raise(result_.formula, matrix(Group::exp(xi)), exponential(hat(xi)));
    raise(result_.formula, (one - half) * matrix(Group::cay(xi)), one + half);
  }
  template <class Tau>
  void retraction(const Algebra& xi) {
    const Group g = Tau::template at<Group>(xi);
    const Algebra opposite = -xi;
    const Wide right = wide(Tau::template right<Group>(xi)),
               inverse = wide(Tau::template right_inverse<Group>(xi));
    raise(result_.opposite, matrix(g * Tau::template at<Group>(opposite)), matrix(Group()));
    derivative<Tau>(xi, right, matrix(g));
    raise(result_.sides, right, wide(g.Ad()) * wide(lie::left<Tau, Group>(xi)));
    raise(result_.inverse, right * inverse, Wide::Identity(n, n));

    using Q = G<Quad>;
    typename Q::Algebra x;
    for (int i = 0; i < n; ++i) x[i] = Quad(xi[i]);
    compare(matrix(g), wide(Tau::template at<Q>(x).matrix()));
    compare(right, wide(Tau::template right<Q>(x)));
    compare(inverse, wide(Tau::template right_inverse<Q>(x)));
  }
  /// T tau(xi) e_k = hat(d^R tau e_k) tau(xi)
  template <class Tau>
  void derivative(const Algebra& xi, const Wide& right, const Wide& g) {
    using D = Dual<double, n>;
    Vector<D, n> moved;
    for (int k = 0; k < n; ++k) moved[k] = D::variable(xi[k], k);
    const auto image = Tau::template at<G<D>>(moved).matrix();
    for (int k = 0; k < n; ++k) {
      Wide slope(g.rows(), g.cols());
      for (Eigen::Index i = 0; i < slope.rows(); ++i)
        for (Eigen::Index j = 0; j < slope.cols(); ++j) slope(i, j) = image(i, j).partials[k];
      Algebra direction;
      for (int i = 0; i < n; ++i) direction[i] = static_cast<double>(right(i, k));
      raise(result_.tangent, slope, hat(direction) * g);
    }
  }
  void compare(const Wide& a, const Wide& truth) {
    double defect = 0;
    raise(defect, a, truth);
    result_.accuracy = larger(result_.accuracy, defect / std::max(1.0, largest_magnitude(truth)));
  }
  template <class Tau>
  void at_zero() {
    const Algebra zero = Algebra::Zero();
    raise(result_.sides, matrix(Tau::template at<Group>(zero)), matrix(Group()));
    raise(result_.sides, wide(Tau::template right<Group>(zero)), Wide::Identity(n, n));
  }

  const std::vector<Algebra>& samples_;
  LieResult result_;
};

}  // namespace detail

/// check_lie_group<lie::SO3>({zero, tiny, just_below_pi}).
template <template <class> class G>
LieResult check_lie_group(const std::vector<typename G<double>::Algebra>& samples) {
  static_assert(lie::LieGroup<G<double>> && lie::LieGroup<G<Quad>>);
  return detail::LieLaws<G>(samples).measure();
}

}  // namespace rattleback::testing
