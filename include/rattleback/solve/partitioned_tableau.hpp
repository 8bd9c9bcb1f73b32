// Partitioned Runge-Kutta tableaux for constraints on positions, g(q) = 0. With V_j = H_p(Q_j, P_j)
// and F_j = -H_q(Q_j, P_j) at the stages j, and positions X_k, the nodes, where multipliers act:
//
//   Q_i = q + h sum_j a_ij V_j,     P_i = p + h sum_j a^_ij F_j - sum_k f_ik G(X_k)^T Lambda_k
//   X_k = q + h sum_j x_kj V_j,     X_0 = q, the last X is q1
//   q1  = q + h sum_j b_j V_j,      p1  = p + h sum_j b^_j F_j  - sum_k w_k  G(X_k)^T Lambda_k
//   g(X_k) = 0 for k > 0,           G(q1) H_p(q1, p1) = 0
//
// symplectic on g = {g,H} = 0 where (the proof of [Reich93 Theorem 6.1], with the corrected sign)
//
//   b_i a^_ij + b^_j a_ji = b_i b^_j                                              [Reich93 (22)]
//   b_i = b^_i, unless H = T(p) + V(q)                                            [Reich93 (23)]
//   b_i f_ik + w_k x_ki = b_i w_k
//
// The last one makes f_ik = 0 for the last node: its multiplier belongs to p1 alone.
//
//   lobatto_pair     IIIA-IIIB, the nodes are the stages                        order 2s - 2 [Jay]
//   gauss_lobatto    Gauss stages, s + 1 Lobatto nodes (SPARK)                  order 2s     [Jay]
//   euler_pair       one stage at q or at q1, nodes q and q1                    order 1 [Reich93
//   (24)]
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "rattleback/solve/dense.hpp"
#include "rattleback/solve/tableau.hpp"

namespace rattleback {

template <class R>
struct PartitionedTableau {
  Matrix<R, dynamic> a, a_hat;  ///< stages x stages
  std::vector<R> b, b_hat;
  Matrix<R, dynamic> x;  ///< nodes x stages: where the multipliers act
  Matrix<R, dynamic> f;  ///< stages x nodes: what they do to the momenta of the stages
  std::vector<R> w;      ///< and to p1

  PartitionedTableau(int stages, int nodes)
      : a(stages, stages),
        a_hat(stages, stages),
        b(stages),
        b_hat(stages),
        x(nodes, stages),
        f(stages, nodes),
        w(nodes) {}

  int stages() const { return static_cast<int>(b.size()); }
  int nodes() const { return static_cast<int>(w.size()); }
  /// In the precision of a scalar.
  template <class T>
  PartitionedTableau<T> cast() const {
    PartitionedTableau<T> t(stages(), nodes());
    const auto numbers = [](const auto& from, auto& to) {
      for (decltype(from.size()) i = 0; i < from.size(); ++i)
        to.data()[i] = static_cast<T>(from.data()[i]);
    };
    numbers(a, t.a), numbers(a_hat, t.a_hat), numbers(b, t.b), numbers(b_hat, t.b_hat);
    numbers(x, t.x), numbers(f, t.f), numbers(w, t.w);
    return t;
  }
};

namespace detail {

/// f_ik = w_k (1 - x_ki/b_i)
template <class R>
void conjugate_forces(PartitionedTableau<R>& t) {
  for (int i = 0; i < t.stages(); ++i)
    for (int k = 0; k < t.nodes(); ++k) t.f(i, k) = t.w[k] * (R(1) - t.x(k, i) / t.b[i]);
}
/// The last node is q1, and its force is not felt by the stages: both to the last bit.
template <class R>
void end_at_q1(PartitionedTableau<R>& t) {
  for (int j = 0; j < t.stages(); ++j) {
    t.x(0, j) = t.f(j, t.nodes() - 1) = R(0);
    t.x(t.nodes() - 1, j) = t.b[j];
  }
}

}  // namespace detail

template <class R>
PartitionedTableau<R> lobatto_pair(int stages) {
  const Tableau<R> pair = lobatto_tableau<R>(stages);
  PartitionedTableau<R> t(stages, stages);
  t.a = t.x = pair.a;
  t.a_hat = t.f = pair.a_hat;
  t.b = t.b_hat = t.w = pair.b;
  detail::end_at_q1(t);
  for (int j = 0; j < stages; ++j) t.a(0, j) = R(0);
  return t;
}

/// x_kj is the integral of Gauss's Lagrange polynomial l_j to the k-th Lobatto node: see collocate.
template <class R>
PartitionedTableau<R> gauss_lobatto(int stages) {
  const Tableau<R> gauss = gauss_tableau<R>(stages), lobatto = lobatto_tableau<R>(stages + 1);
  PartitionedTableau<R> t(stages, stages + 1);
  t.a = t.a_hat = gauss.a;
  t.b = t.b_hat = gauss.b;
  t.w = lobatto.b;
  for (int k = 0; k <= stages; ++k) {
    const auto end = detail::legendre(stages, R(2 * lobatto.c[k] - 1));
    for (int j = 0; j < stages; ++j) {
      const auto node = detail::legendre(stages, R(2 * gauss.c[j] - 1));
      R sum = lobatto.c[k];
      for (int m = 1; m < stages; ++m) sum += node[m] * (end[m + 1] - end[m - 1]) / 2;
      t.x(k, j) = gauss.b[j] * sum;
    }
  }
  detail::conjugate_forces(t);
  detail::end_at_q1(t);
  return t;
}

/// H_q and H_p are taken at (q, P), or, of the adjoint, at (q1, P).
template <class R>
PartitionedTableau<R> euler_pair(bool adjoint) {
  PartitionedTableau<R> t(1, 2);
  t.b[0] = t.b_hat[0] = t.w[0] = t.w[1] = R(1);
  t.a(0, 0) = R(adjoint ? 1 : 0);
  t.a_hat(0, 0) = R(adjoint ? 0 : 1);
  t.f(0, 0) = R(1);
  detail::end_at_q1(t);
  return t;
}

/// A pair of one's own, on the formulation (2) of [Reich93]: a and b of the positions, a^ and b^ of
/// the momenta. Multipliers act at the stages where these begin at q and end at q1 (a_1j = 0, a_sj
/// = b_j, to round-off), as Lobatto's do; else at q and q1 only, as RATTLE's do over this base map.
/// Throws InputError where the sizes do not fit.
template <class R>
PartitionedTableau<R> partitioned_tableau(const Matrix<R, dynamic>& a, const std::vector<R>& b,
                                          const Matrix<R, dynamic>& a_hat,
                                          const std::vector<R>& b_hat) {
  const auto s = static_cast<int>(b.size());
  const auto size = [](const auto& matrix) {
    return std::to_string(matrix.rows()) + " x " + std::to_string(matrix.cols());
  };
  if (s < 1 || a.rows() != s || a.cols() != s || a_hat.rows() != s || a_hat.cols() != s ||
      b_hat.size() != b.size())
    throw InputError("tableau", "a is " + size(a) + ", a^ is " + size(a_hat) + ", with " +
                                    std::to_string(s) + " and " + std::to_string(b_hat.size()) +
                                    " weights");
  bool at_stages = s > 1;
  const auto small = [](const R& x) { return magnitude(x) <= 1e-14; };
  for (int j = 0; j < s; ++j)
    at_stages = at_stages && small(a(0, j)) && small(R(a(s - 1, j) - b[j]));
  PartitionedTableau<R> t(s, at_stages ? s : 2);
  t.a = a, t.a_hat = a_hat, t.b = b, t.b_hat = b_hat;
  t.f.setConstant(R(1));
  t.w.assign(2, R(1));
  if (at_stages) t.f = a_hat, t.w = b_hat, t.x = a;
  bool apart = true;  // the last multiplier from the stages
  for (int i = 0; i < s; ++i) apart = apart && (!at_stages || small(t.f(i, s - 1)));
  if (apart) detail::end_at_q1(t);
  for (int j = 0; at_stages && j < s; ++j) t.a(0, j) = R(0);
  return t;
}

/// What a tableau fulfils, each as its largest defect.
struct PartitionedConditions {
  double consistent = 0;     ///< sum b = sum b^ = 1
  double symplectic = 0;     ///< [Reich93 (22)]
  double equal_weights = 0;  ///< [Reich93 (23)]; not needed where H = T(p) + V(q)
  double forces = 0;         ///< (22) of the multipliers
  double lands = 0;          ///< the first node is q, the last one q1 and felt by p1 alone
  double pivot = 0;          ///< smallest of sum_i x_ki f_il, k > 0, l < last: not zero

  bool is_symplectic(bool separable, double tolerance = 1e-13) const {
    return symplectic <= tolerance && forces <= tolerance &&
           (separable || equal_weights <= tolerance);
  }
  /// Whether the multipliers exist, and both constraints are met.
  bool is_solvable(double tolerance = 1e-13) const {
    return consistent <= tolerance && lands <= tolerance && pivot > tolerance;
  }
};
std::string to_string(const PartitionedConditions& conditions);

template <class R>
PartitionedConditions conditions(const PartitionedTableau<R>& t) {
  PartitionedConditions found;
  const int s = t.stages(), r = t.nodes();
  const auto note = [](double& worst, const R& defect) {
    worst = std::max(worst, magnitude(defect));
  };
  R sum(-1), sum_hat(-1);
  for (int i = 0; i < s; ++i) {
    sum += t.b[i], sum_hat += t.b_hat[i];
    note(found.equal_weights, R(t.b[i] - t.b_hat[i]));
    for (int j = 0; j < s; ++j)
      note(found.symplectic,
           R(t.b[i] * t.a_hat(i, j) + t.b_hat[j] * t.a(j, i) - t.b[i] * t.b_hat[j]));
    for (int k = 0; k < r; ++k)
      note(found.forces, R(t.b[i] * t.f(i, k) + t.w[k] * t.x(k, i) - t.b[i] * t.w[k]));
    note(found.lands, t.x(0, i));
    note(found.lands, R(t.x(r - 1, i) - t.b[i]));
    note(found.lands, t.f(i, r - 1));
  }
  note(found.consistent, sum), note(found.consistent, sum_hat);
  DenseLu<R, dynamic> lu(r - 1);
  const FactorReport report = lu.factor([&](int k, int l) {
    R product(0);
    for (int i = 0; i < s; ++i) product += t.x(k + 1, i) * t.f(i, l);
    return product;
  });
  found.pivot = report.ok ? report.smallest_pivot : 0;
  return found;
}

/// The products of a tableau that a step on a natural system is made of (partitioned_natural.hpp).
template <class R>
struct PartitionedProducts {
  Matrix<R, dynamic> force_at_stage, push_at_stage;  ///< a a^, a f
  Matrix<R, dynamic> force_at_node, push_at_node;    ///< x a^, x f; node k is row k - 1
  Matrix<R, dynamic> inverse;                        ///< of x f
  std::vector<R> stage_time, node_time;

  explicit PartitionedProducts(const PartitionedTableau<R>& t)
      : stage_time(t.stages(), R(0)), node_time(t.nodes() - 1, R(0)) {
    const int s = t.stages(), r = t.nodes() - 1;
    const auto f = t.f.leftCols(r);
    const auto x = t.x.bottomRows(r);
    // Of a few rows: the blocked product of large matrices would take seconds to compile.
    force_at_stage = t.a.lazyProduct(t.a_hat), push_at_stage = t.a.lazyProduct(f);
    force_at_node = x.lazyProduct(t.a_hat), push_at_node = x.lazyProduct(f);
    for (int j = 0; j < s; ++j) {
      for (int i = 0; i < s; ++i) stage_time[i] += t.a(i, j);
      for (int k = 0; k < r; ++k) node_time[k] += x(k, j);
    }
    DenseLu<R, dynamic> lu(r);
    (void)lu.factor([&](int i, int j) { return push_at_node(i, j); });
    inverse.resize(r, r);
    Vector<R, dynamic> column(r);
    for (int k = 0; k < r; ++k) {
      for (int i = 0; i < r; ++i) column[i] = R(i == k ? 1 : 0);
      lu.solve(column);
      for (int i = 0; i < r; ++i) inverse(i, k) = column[i];
    }
  }
};

}  // namespace rattleback
