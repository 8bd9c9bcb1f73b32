// Partitioned Runge-Kutta methods for any H(q, p) and g(q): one stepper for every tableau of
// partitioned_tableau.hpp, which has the equations.
//
// Unknowns are, with v = H_p(q, p) and c_i = sum_j a_ij,
//
//   (Q_i - q)/h - c_i v, where Q_i is not q itself;   P_i - p;   Lambda_k, k < last
//
// all O(h), and known to eps |q|/h; Lambda_k is h times that of [Reich93]. The equations are
//
//   (Q_i - q)/h - sum_j a_ij V_j = 0
//   P_i - p - h sum_j a^_ij F_j + sum_k f_ik G(X_k)^T Lambda_k = 0
//   g(X_k)/h = 0,   k > 0
//
// whose matrix tends to [1 0 0; 0 1 f G^T; 0 x G H_pp 0] as h -> 0: regular where x f without the
// first node's x and the last node's f is. Of the matrix the terms h Lambda_k g''(X_k), O(h^2), are
// left out. First guess: extrapolated from the last steps, stage by stage. The last multiplier is
// that of the projection onto G(q1) H_p(q1, p1) = 0.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "rattleback/integrators/method_info.hpp"
#include "rattleback/integrators/momentum_projection.hpp"
#include "rattleback/problem/energy_hessian.hpp"
#include "rattleback/problem/error.hpp"
#include "rattleback/problem/quad.hpp"
#include "rattleback/solve/histories.hpp"
#include "rattleback/solve/partitioned_tableau.hpp"
#include "rattleback/solve/predictor.hpp"
#include "rattleback/solve/structure.hpp"

namespace rattleback {

/// A step that fails leaves the state as it was.
template <class Sys, class S>
class PartitionedStepper {
 public:
  static constexpr int N = Sys::dimension_at_compile_time;
  static constexpr int M = Sys::constraints_at_compile_time;
  using T = Base<S>;
  using R = Real<S>;
  using State = StateOf<Sys, S>;
  using Position = Vector<S, N>;
  using Unknown = Vector<S, dynamic>;

  /// Throws InputError where the tableau does not determine the multipliers.
  PartitionedStepper(const Sys& system, const PartitionedTableau<R>& tableau,
                     SolveOptions options = {})
      : t_(tableau),
        n_(system.dimension()),
        m_(system.constraint_count()),
        stages_(t_.stages(), Stage(n_)),
        nodes_(t_.nodes(), Node(n_, m_)),
        unused_(m_, n_),
        v_(n_),
        h_q_(n_),
        lambda_(m_),
        next_{Position(n_), Position(n_)},
        hessian_(2 * n_, 2 * n_),
        projection_(system, options),
        x_(place_unknowns()),
        guess_(x_.size()),
        predictor_(x_.size()),
        solver_(static_cast<int>(x_.size()), options) {
    if (m_ > 0) inertia_.emplace(m_);
    if (const PartitionedConditions found = conditions(t_); m_ > 0 && !found.is_solvable())
      throw InputError("tableau", "the multipliers are not determined: " + to_string(found));
  }

  void reset() { predictor_.reset(), histories_.reset(); }
  /// The next step is substep k of a composition: its first guess comes from its like.
  void select(std::size_t k) { histories_.select(k, predictor_); }
  Status present(const Sys&, State&) { return {}; }
  /// What the constraints gave before the projection: sum_k w_k Lambda_k.
  const Vector<S, M>& lambda() const { return lambda_; }
  Projections projections(long steps, long) const { return {0, steps}; }
  std::string structure(const Sys&) const {
    return in_words(SolverKind::dense, static_cast<int>(x_.size())) + " with the stages";
  }

  Status step(const Sys& system, State& z, const R& h) {
    system.energy_gradient(z.q, z.p, h_q_, v_);
    system.linearise(z.q, z.p, nodes_[0].g, nodes_[0].jacobian, unused_);
    Status status = solve(system, z, h);
    if (!status && predictor_.known() > 0) {  // what was extrapolated may have led astray
      predictor_.reset();
      status = solve(system, z, h);
    }
    if (!status) return status;
    finish(z, h);
    if (Status s = projection_.project(system, next_); !s) return s;
    predictor_.record(h, x_);
    copy(next_.q, z.q), copy(next_.p, z.p);
    return status;
  }

 private:
  struct Stage {
    explicit Stage(int n) : q(n), p(n), h_q(n), h_p(n) {}
    Position q, p, h_q, h_p;
    int moved = -1;  // where its (Q - q)/h - c v is among the unknowns; -1 where Q = q
    R c{0};
  };
  struct Node {
    Node(int n, int m) : q(n), g(m), jacobian(m, n) {}
    Position q;
    Vector<S, M> g;
    Matrix<S, M, N> jacobian;
  };

  int momentum(int stage) const { return momenta_ + stage * n_; }
  int multiplier(int node) const { return multipliers_ + node * m_; }
  /// Where each unknown is; room for all.
  Unknown place_unknowns() {
    int count = 0;
    for (int i = 0; i < t_.stages(); ++i) {
      bool moves = false;
      for (int j = 0; j < t_.stages(); ++j) {
        moves = moves || t_.a(i, j) != 0;
        stages_[i].c += t_.a(i, j);
      }
      if (!moves) continue;
      stages_[i].moved = count;
      count += n_;
    }
    momenta_ = count;
    multipliers_ = count + t_.stages() * n_;
    return Unknown(multiplier(t_.nodes() - 1));
  }

  Status solve(const Sys& system, const State& z, const R& h) {
    predictor_.predict(h, x_);
    copy(x_, guess_);
    const double reach = largest_magnitude(z.q) / magnitude(h);
    const double size = std::max({largest_magnitude(z.p), reach, threshold::least_scale});
    Status status = solver_.solve(
        x_, 2 * epsilon<S> * size,
        [&](OnUnknowns, const Unknown& x, Unknown& r) { return residual(system, z, h, x, r); },
        [&](const Unknown& x, auto& out) { matrix(system, z, h, x, out); });
    if (!status) return status;
    evaluate(system, z, h, x_);
    if (!same_branch(system)) status.outcome = Outcome::branch_jump;
    return status;
  }

  /// Stages, their slopes and the nodes of these unknowns.
  void evaluate(const Sys& system, const State& z, const R& h, const Unknown& x) {
    for (int i = 0; i < t_.stages(); ++i) {
      Stage& stage = stages_[i];
      for (int k = 0; k < n_; ++k) {
        stage.q[k] = z.q[k];
        if (stage.moved >= 0) stage.q[k] += (v_[k] * stage.c + x[stage.moved + k]) * h;
        stage.p[k] = z.p[k] + x[momentum(i) + k];
      }
      system.energy_gradient(stage.q, stage.p, stage.h_q, stage.h_p);
    }
    if (m_ == 0) return;
    for (int k = 1; k < t_.nodes(); ++k) {
      Node& node = nodes_[k];
      copy(z.q, node.q);
      for (int j = 0; j < t_.stages(); ++j) add_scaled(R(h * t_.x(k, j)), stages_[j].h_p, node.q);
      system.linearise(node.q, z.p, node.g, node.jacobian, unused_);
    }
  }

  Status residual(const Sys& system, const State& z, const R& h, const Unknown& x, Unknown& r) {
    evaluate(system, z, h, x);
    for (int i = 0; i < t_.stages(); ++i) {
      const int q = stages_[i].moved, p = momentum(i);
      for (int k = 0; k < n_; ++k) {
        S rate = v_[k] * stages_[i].c + (q >= 0 ? x[q + k] : S(0)), kick = x[p + k];
        for (int j = 0; j < t_.stages(); ++j) {
          rate -= stages_[j].h_p[k] * t_.a(i, j);
          kick += stages_[j].h_q[k] * R(h * t_.a_hat(i, j));
        }
        for (int l = 0; l + 1 < t_.nodes(); ++l)
          for (int e = 0; e < m_; ++e)
            kick += nodes_[l].jacobian(e, k) * x[multiplier(l) + e] * t_.f(i, l);
        if (q >= 0) r[q + k] = rate;
        r[p + k] = kick;
      }
    }
    for (int l = 0; l + 1 < t_.nodes(); ++l)
      for (int e = 0; e < m_; ++e) r[multiplier(l) + e] = nodes_[l + 1].g[e] * R(R(1) / h);
    return {};
  }

  template <class Square>
  void matrix(const Sys& system, const State& z, const R& h, const Unknown& x, Square& out) {
    evaluate(system, z, h, x);
    for (Eigen::Index i = 0; i < out.size(); ++i) out.data()[i] = T(0);
    for (int j = 0; j < t_.stages(); ++j) {
      energy_hessian(system, stages_[j].q, stages_[j].p, hessian_);
      if (stages_[j].moved >= 0) add_columns(h, j, stages_[j].moved, 0, T(h), out);
      add_columns(h, j, momentum(j), n_, T(1), out);
    }
    for (int k = 0; k < multipliers_; ++k) out(k, k) += T(1);
    for (int i = 0; i < t_.stages(); ++i)
      for (int l = 0; l + 1 < t_.nodes(); ++l)
        for (int k = 0; k < n_; ++k)
          for (int e = 0; e < m_; ++e)
            out(momentum(i) + k, multiplier(l) + e) =
                base(nodes_[l].jacobian(e, k)) * T(t_.f(i, l));
  }
  /// What n unknowns of stage j do through H at that stage: its q (from = 0) or p (from = n), each
  /// `scale` times the unknown.
  template <class Square>
  void add_columns(const R& h, int j, int column, int from, const T& scale, Square& out) {
    for (int d = 0; d < n_; ++d) {
      for (int i = 0; i < t_.stages(); ++i) {
        const T rate = scale * T(t_.a(i, j)), kick = scale * T(R(h * t_.a_hat(i, j)));
        const int q = stages_[i].moved, p = momentum(i);
        for (int k = 0; k < n_; ++k) {
          if (q >= 0) out(q + k, column + d) -= rate * hessian_(n_ + k, from + d);
          out(p + k, column + d) += kick * hessian_(k, from + d);
        }
      }
      for (int l = 0; l + 1 < t_.nodes(); ++l)
        for (int e = 0; e < m_; ++e) {
          T sum(0);
          for (int k = 0; k < n_; ++k)
            sum += base(nodes_[l + 1].jacobian(e, k)) * hessian_(n_ + k, from + d);
          out(multiplier(l) + e, column + d) = sum * scale * T(t_.x(l + 1, j));
        }
    }
  }

  /// q1, and p1 before its projection.
  void finish(const State& z, const R& h) {
    copy(z.q, next_.q), copy(z.p, next_.p);
    lambda_.setConstant(S(0));
    for (int j = 0; j < t_.stages(); ++j) {
      add_scaled(R(h * t_.b[j]), stages_[j].h_p, next_.q);
      subtract_scaled(R(h * t_.b_hat[j]), stages_[j].h_q, next_.p);
    }
    for (int l = 0; l + 1 < t_.nodes(); ++l)
      for (int e = 0; e < m_; ++e) {
        const S impulse = x_[multiplier(l) + e] * t_.w[l];
        lambda_[e] += impulse;
        for (int k = 0; k < n_; ++k) next_.p[k] -= nodes_[l].jacobian(e, k) * impulse;
      }
  }

  /// A root far from the first guess may lie on another branch: from node to node G H_pp G^T then
  /// has another inertia than at q.
  bool same_branch(const Sys& system) {
    double moved = 0;
    for (Eigen::Index k = 0; k < multipliers_; ++k)
      moved = larger(moved, magnitude(T(base(x_[k]) - base(guess_[k]))));
    if (m_ == 0 || moved <= threshold::near_guess * largest_magnitude(v_)) return true;
    energy_hessian(system, stages_[0].q, stages_[0].p, hessian_);
    const int expected = inertia(nodes_[0], nodes_[0]);
    for (int l = 0; l + 1 < t_.nodes(); ++l)
      if (inertia(nodes_[l], nodes_[l + 1]) != expected) return false;
    return true;
  }
  /// Negative eigenvalues of the symmetric part of G H_pp G'^T.
  int inertia(const Node& from, const Node& to) {
    return inertia_
        ->factor([&](int e, int d) {
          T sum(0);
          for (int i = 0; i < n_; ++i)
            for (int j = 0; j < n_; ++j)
              sum +=
                  hessian_(n_ + i, n_ + j) * (base(from.jacobian(e, i)) * base(to.jacobian(d, j)) +
                                              base(from.jacobian(d, i)) * base(to.jacobian(e, j)));
          return sum;
        })
        .negative;
  }

  PartitionedTableau<R> t_;
  int n_, m_;
  int momenta_ = 0, multipliers_ = 0;  // where they begin among the unknowns
  std::vector<Stage> stages_;
  std::vector<Node> nodes_;
  Matrix<S, M, N> unused_;
  Position v_, h_q_;
  Vector<S, M> lambda_;
  State next_;
  Matrix<T, dynamic> hessian_;
  std::optional<DenseLdlt<T, dynamic>> inertia_;
  MomentumProjection<Sys, S> projection_;
  Unknown x_, guess_;
  MultiplierPredictor<Unknown> predictor_;
  Histories<MultiplierPredictor<Unknown>> histories_;  // of the other substeps
  Implicit<S, dynamic> solver_;
};

}  // namespace rattleback
