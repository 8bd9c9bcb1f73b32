// Runge-Kutta tableaux for any number of stages, in the precision of the scalar:
//   Q_i = q + h sum_j a_ij Q'_j,   P_i = p + h sum_j a^_ij P'_j,   (q1, p1) = (q, p) + h sum_i b_i
//   (Q'_i, P'_i)
//
//   Gauss             nodes are the zeros of P_s, a = a^ by collocation                order 2s
//   Lobatto IIIA-IIIB nodes are 0, 1 and the zeros of P'_{s-1}, a (IIIA) by collocation, a^ (IIIB)
//                     by b_i a^_ij + b_j a_ji = b_i b_j                                order 2s - 2
//   theta             one stage, a = theta, a^ = 1 - theta                     order 1; 2 for 1/2
// All are symplectic. P_k are Legendre polynomials of x = 2c - 1; every number comes from sums of
// products of them, so that none is larger than it need be.
#pragma once

#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "rattleback/problem/error.hpp"
#include "rattleback/problem/scalar.hpp"

namespace rattleback {

template <class R>
struct Tableau {
  std::vector<R> c, b;
  Matrix<R, dynamic> a;      ///< of the positions
  Matrix<R, dynamic> a_hat;  ///< of the momenta; the same as a where there is one tableau only

  explicit Tableau(int stages) : c(stages), b(stages), a(stages, stages), a_hat(stages, stages) {}
  int stages() const { return static_cast<int>(b.size()); }
};

namespace detail {

inline void require_stages(int stages, int fewest) {
  if (stages < fewest)
    throw InputError("stages", "there must be at least " + std::to_string(fewest) + ", not " +
                                   std::to_string(stages));
}

/// P_0(x), ..., P_degree(x).
template <class R>
std::vector<R> legendre(int degree, const R& x) {
  std::vector<R> p(degree + 1, R(1));
  if (degree > 0) p[1] = x;
  for (int k = 1; k < degree; ++k)
    p[k + 1] = (R(2 * k + 1) * x * p[k] - R(k) * p[k - 1]) / R(k + 1);
  return p;
}

/// Newton down to where corrections no longer shrink: correction(x) = f(x)/f'(x).
template <class R, class Correction>
R refine(R x, Correction&& correction) {
  double last = 1;
  for (int k = 0; k < 100; ++k) {
    const R d = correction(x);
    if (!(magnitude(d) < last)) break;
    last = magnitude(d);
    x -= d;
  }
  return x;
}

/// x in (0, 1) of the first half of the zeros of P_s, largest first.
template <class R>
R gauss_node(int s, int i) {
  return refine(R(std::cos(std::numbers::pi * (i + 0.75) / (s + 0.5))), [&](const R& x) {
    const std::vector<R> p = legendre(s, x);
    return R(p[s] * (x * x - R(1)) / (R(s) * (x * p[s] - p[s - 1])));
  });
}
/// The same of (x^2 - 1) P'_n: 1 and the zeros of P'_n, from
/// P'_n = n (x P_n - P_{n-1})/(x^2 - 1) and ((1 - x^2) P'_n)' = -n (n + 1) P_n.
template <class R>
R lobatto_node(int n, int i) {
  if (i == 0) return R(1);
  return refine(R(std::cos(std::numbers::pi * i / n)), [&](const R& x) {
    const std::vector<R> p = legendre(n, x);
    return R((x * p[n] - p[n - 1]) / (R(n + 1) * p[n]));
  });
}

/// Nodes that are symmetric to the last bit: x by node(i), largest first, for the upper half.
template <class R, class Node>
std::vector<R> symmetric_nodes(Tableau<R>& t, Node&& node) {
  const int s = t.stages();
  std::vector<R> x(s, R(0));
  for (int i = 0; i < s; ++i) t.c[i] = R(1) / 2;
  for (int i = 0; i < s / 2; ++i) {
    x[s - 1 - i] = node(i);
    x[i] = -x[s - 1 - i];
    t.c[s - 1 - i] = (R(1) + x[s - 1 - i]) / 2;
    t.c[i] = R(1) - t.c[s - 1 - i];  // exact: the other is between 1/2 and 1
  }
  return x;
}

/// a_ij = integral of the Lagrange polynomial l_j to c_i. With P_k orthogonal in the quadrature,
///   l_j = b_j sum_{k<s} P_k(x_j) P_k / w_k,   w_k = sum_i b_i P_k(x_i)^2,
/// w_k = 1/(2k+1) where the quadrature is exact for P_k^2, and
///   integral of P_k from 0 to c = (P_{k+1} - P_{k-1})(x)/(2 (2k+1)),  k > 0.
/// Lobatto's is not exact for k = s - 1, but there the integral vanishes at every node.
/// Sets a, and a^ by symplecticity: a^_ij = b_j (1 - a_ji/b_i).
template <class R>
void collocate(Tableau<R>& t, const std::vector<R>& x) {
  const int s = t.stages();
  std::vector<std::vector<R>> p;
  p.reserve(x.size());
  for (const R& node : x) p.push_back(legendre(s, node));
  for (int i = 0; i < s; ++i)
    for (int j = 0; j < s; ++j) {
      R sum = t.c[i];
      for (int k = 1; k < s; ++k) sum += p[j][k] * (p[i][k + 1] - p[i][k - 1]) / 2;
      t.a(i, j) = t.b[j] * sum;
      t.a_hat(j, i) = t.b[i] * (R(1) - sum);
    }
}

}  // namespace detail

template <class R>
Tableau<R> gauss_tableau(int stages) {
  detail::require_stages(stages, 1);
  Tableau<R> t(stages);
  const auto x =
      detail::symmetric_nodes(t, [&](int i) { return detail::gauss_node<R>(stages, i); });
  for (int i = 0; i < stages; ++i) {  // 1/b_i = sum_k (2k+1) P_k(x_i)^2
    const std::vector<R> p = detail::legendre(stages, x[i]);
    R sum(0);
    for (int k = 0; k < stages; ++k) sum += R(2 * k + 1) * p[k] * p[k];
    t.b[i] = R(1) / sum;
  }
  detail::collocate(t, x);
  t.a_hat = t.a;
  return t;
}

template <class R>
Tableau<R> lobatto_tableau(int stages) {
  detail::require_stages(stages, 2);
  Tableau<R> t(stages);
  const int n = stages - 1;
  const auto x = detail::symmetric_nodes(t, [&](int i) { return detail::lobatto_node<R>(n, i); });
  for (int i = 0; i < stages; ++i) {
    const R p = detail::legendre(n, x[i])[n];
    t.b[i] = R(1) / (R(stages * n) * p * p);
  }
  detail::collocate(t, x);
  return t;
}

template <class R>
Tableau<R> theta_tableau(const R& theta) {
  Tableau<R> t(1);
  t.b[0] = R(1);
  t.c[0] = t.a(0, 0) = theta;
  t.a_hat(0, 0) = R(1) - theta;
  return t;
}

extern template Tableau<double> gauss_tableau(int);
extern template Tableau<double> lobatto_tableau(int);

}  // namespace rattleback
