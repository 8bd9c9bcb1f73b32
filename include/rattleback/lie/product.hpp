// G x H, each with its own law.
#pragma once

#include "rattleback/lie/lie_group.hpp"

namespace rattleback::lie {

template <LieGroup G, LieGroup H>
struct Product {
  using Scalar = typename G::Scalar;
  static constexpr int dimension = G::dimension + H::dimension;
  using Algebra = Vector<Scalar, dimension>;
  using Tangent = Matrix<Scalar, dimension>;

  G first{};
  H second{};

  friend Product operator*(const Product& a, const Product& b) {
    return {a.first * b.first, a.second * b.second};
  }
  Product inverse() const { return {first.inverse(), second.inverse()}; }
  Product normalized() const { return {first.normalized(), second.normalized()}; }
  auto matrix() const { return diagonal(first.matrix(), second.matrix()); }
  static auto hat(const Algebra& xi) { return diagonal(G::hat(head(xi)), H::hat(tail(xi))); }
  Tangent Ad() const { return diagonal(first.Ad(), second.Ad()); }
  static Tangent ad(const Algebra& xi) { return diagonal(G::ad(head(xi)), H::ad(tail(xi))); }
  static Product exp(const Algebra& xi) { return {G::exp(head(xi)), H::exp(tail(xi))}; }
  static Product cay(const Algebra& xi) { return {G::cay(head(xi)), H::cay(tail(xi))}; }
  static Tangent dexp(const Algebra& xi) { return diagonal(G::dexp(head(xi)), H::dexp(tail(xi))); }
  static Tangent dexp_inverse(const Algebra& xi) {
    return diagonal(G::dexp_inverse(head(xi)), H::dexp_inverse(tail(xi)));
  }
  static Tangent dcay(const Algebra& xi) { return diagonal(G::dcay(head(xi)), H::dcay(tail(xi))); }
  static Tangent dcay_inverse(const Algebra& xi) {
    return diagonal(G::dcay_inverse(head(xi)), H::dcay_inverse(tail(xi)));
  }

 private:
  static typename G::Algebra head(const Algebra& xi) { return xi.template head<G::dimension>(); }
  static typename H::Algebra tail(const Algebra& xi) { return xi.template tail<H::dimension>(); }
  template <int M, int N>
  static Matrix<Scalar, M + N> diagonal(const Matrix<Scalar, M>& a, const Matrix<Scalar, N>& b) {
    Matrix<Scalar, M + N> all = Matrix<Scalar, M + N>::Constant(Scalar(0));
    all.template topLeftCorner<M, M>() = a;
    all.template bottomRightCorner<N, N>() = b;
    return all;
  }
};

}  // namespace rattleback::lie
