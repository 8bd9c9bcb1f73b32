// Base maps: one-step methods phi_h for z' = X_H(z) without constraints, for any H(q, p).
//   euler-a   p1 = p - h H_q(q, p1),  q1 = q + h H_p(q, p1)
//   euler-b   q1 = q + h H_p(q1, p),  p1 = p - h H_q(q1, p)
//   verlet    euler-b(h/2) after euler-a(h/2)                             [McLachlan12 5.1.3]
//   verlet-b  euler-a(h/2) after euler-b(h/2)
//   midpoint, gauss2, gauss3   Gauss collocation with 1, 2, 3 stages
//   theta     q1 = q + h H_p(Q, P),  p1 = p - h H_q(Q, P)  with
//             Q = (1 - theta) q + theta q1,  P = theta p + (1 - theta) p1:
//             euler-a for 0, midpoint for 1/2, euler-b for 1; its adjoint is that of 1 - theta
//   exact     the model's own flow, else integrated to round-off
// Implicit equations are solved by Newton to round-off; explicit where H = T(p) + V(q).
#pragma once

#include <optional>
#include <vector>

#include "rattleback/geometry/flow.hpp"
#include "rattleback/integrators/base_map_choice.hpp"
#include "rattleback/problem/energy_hessian.hpp"
#include "rattleback/problem/error.hpp"
#include "rattleback/solve/implicit.hpp"

namespace rattleback {

template <class Sys, class S>
class BaseStepper {
 public:
  static constexpr int N = Sys::dimension_at_compile_time;
  static constexpr int D = twice<N>;
  using T = Base<S>;
  using Position = Vector<S, N>;

  BaseStepper(const Sys& system, BaseMapChoice choice, SolveOptions options = {})
      : map_(choice.map),
        n_(system.dimension()),
        h_q_(n_),
        h_p_(n_),
        q_(n_),
        p_(n_),
        hessian_(2 * n_, 2 * n_),
        euler_(n_, options) {
    if (const auto tableau = detail::stages_of<Real<S>>(choice))
      stages_.emplace(*tableau, n_, options);
    if (map_ == BaseMap::exact) flow_.emplace(2 * n_), point_.resize(2 * n_);
  }

  /// z <- phi_h(z)
  Status apply(const Sys& system, const Real<S>& h, State<S, N>& z) {
    const Real<S> half = h / 2;
    switch (map_) {
      case BaseMap::euler_a:
        return euler(system, h, true, z);
      case BaseMap::euler_b:
        return euler(system, h, false, z);
      case BaseMap::verlet:
        if (Status s = euler(system, half, true, z); !s) return s;
        return euler(system, half, false, z);
      case BaseMap::verlet_b:
        if (Status s = euler(system, half, false, z); !s) return s;
        return euler(system, half, true, z);
      case BaseMap::exact:
        return exact(system, h, z);
      default:
        return runge_kutta(system, h, z);
    }
  }

 private:
  using Dynamic = Vector<S, dynamic>;
  struct Stages {
    Stages(const Tableau<Real<S>>& tableau, int n, const SolveOptions& options)
        : tableau(tableau),
          x(2 * n * tableau.stages()),
          slope(tableau.stages(), Dynamic(2 * n)),
          equations(static_cast<int>(x.size()), options) {}
    Tableau<Real<S>> tableau;
    Dynamic x;  // increments of the stages
    std::vector<Dynamic> slope;
    Implicit<S, dynamic> equations;
  };

  /// One half of (q, p) is solved for, then the other follows:
  ///   euler-a  p1 = p - h H_q(q, p1),   q1 = q + h H_p(q, p1)
  ///   euler-b  q1 = q + h H_p(q1, p),   p1 = p - h H_q(q1, p)
  Status euler(const Sys& system, const Real<S>& h, bool momentum_first, State<S, N>& z) {
    Position &first = momentum_first ? z.p : z.q, &second = momentum_first ? z.q : z.p;
    Position &first_slope = momentum_first ? h_q_ : h_p_,
             &second_slope = momentum_first ? h_p_ : h_q_;
    const Real<S> forward = momentum_first ? Real<S>(-h) : h;  // the other half has the other sign
    const int offset = momentum_first ? n_ : 0;                // of the first half in z
    Status status;
    if (system.traits().separable) {
      system.energy_gradient(z.q, z.p, h_q_, h_p_);
      add_scaled(forward, first_slope, first);
    } else {
      Position& start = q_;
      copy(first, start);
      const double floor =
          2 * epsilon<S> * std::max(largest_magnitude(first), threshold::least_scale);
      status = euler_.solve(
          first, floor,
          [&](OnUnknowns, const Position& x, Position& r) {
            system.energy_gradient(z.q, z.p, h_q_, h_p_);
            for (int i = 0; i < n_; ++i) r[i] = x[i] - start[i] - first_slope[i] * forward;
            return Status{};
          },
          [&](const Position&, auto& matrix) {  // I + h H_qp, or I - h H_pq
            energy_hessian(system, z.q, z.p, hessian_);
            for (int i = 0; i < n_; ++i)
              for (int j = 0; j < n_; ++j)
                matrix(i, j) = T(T(i == j) - T(forward) * hessian_(n_ - offset + i, offset + j));
          });
      if (!status) return status;
    }
    system.energy_gradient(z.q, z.p, h_q_, h_p_);
    subtract_scaled(forward, second_slope, second);
    return status;
  }

  /// Stages Q_i = q + h sum_j a_ij H_p(Q_j, P_j), P_i = p - h sum_j a^_ij H_q(Q_j, P_j); unknowns
  /// are the increments (Q_i - q, P_i - p).
  Status runge_kutta(const Sys& system, const Real<S>& h, State<S, N>& z) {
    Stages& w = *stages_;
    first_guess(system, h, z);
    const double scale =
        std::max({largest_magnitude(z.q), largest_magnitude(z.p), threshold::least_scale});
    Status status = w.equations.solve(
        w.x, 2 * epsilon<S> * scale,
        [&](OnUnknowns, const Dynamic& x, Dynamic& r) {
          stage_slopes(system, z, x);
          copy(x, r);
          for (int i = 0; i < w.tableau.stages(); ++i)
            for (int j = 0; j < w.tableau.stages(); ++j) {
              const Real<S> position = h * w.tableau.a(i, j), momentum = h * w.tableau.a_hat(i, j);
              S* increment = r.data() + 2 * n_ * i;
              for (int k = 0; k < n_; ++k) increment[k] -= w.slope[j][k] * position;
              for (int k = n_; k < 2 * n_; ++k) increment[k] -= w.slope[j][k] * momentum;
            }
          return Status{};
        },
        [&](const Dynamic& x, auto& matrix) { stage_matrix(system, h, z, x, matrix); });
    if (!status) return status;
    stage_slopes(system, z, w.x);
    for (int j = 0; j < w.tableau.stages(); ++j) {
      const Real<S> weight = h * w.tableau.b[j];
      for (int k = 0; k < n_; ++k) {
        z.q[k] += w.slope[j][k] * weight;
        z.p[k] += w.slope[j][n_ + k] * weight;
      }
    }
    return status;
  }
  /// Stages on the tangent: increments h sum_j a_ij X_H(z).
  void first_guess(const Sys& system, const Real<S>& h, const State<S, N>& z) {
    Stages& w = *stages_;
    system.energy_gradient(z.q, z.p, h_q_, h_p_);
    for (int i = 0; i < w.tableau.stages(); ++i) {
      Real<S> position(0), momentum(0);
      for (int j = 0; j < w.tableau.stages(); ++j) {
        position += h * w.tableau.a(i, j);
        momentum += h * w.tableau.a_hat(i, j);
      }
      for (int k = 0; k < n_; ++k) {
        w.x[2 * n_ * i + k] = h_p_[k] * position;
        w.x[2 * n_ * i + n_ + k] = h_q_[k] * Real<S>(-momentum);
      }
    }
  }
  /// The point of stage j, in (q_, p_).
  void visit(const State<S, N>& z, const Dynamic& x, int j) {
    for (int i = 0; i < n_; ++i) {
      q_[i] = z.q[i] + x[j * 2 * n_ + i];
      p_[i] = z.p[i] + x[j * 2 * n_ + n_ + i];
    }
  }
  void stage_slopes(const Sys& system, const State<S, N>& z, const Dynamic& x) {
    for (int j = 0; j < stages_->tableau.stages(); ++j) {
      visit(z, x, j);
      system.energy_gradient(q_, p_, h_q_, h_p_);
      Dynamic& slope = stages_->slope[j];
      for (int i = 0; i < n_; ++i) slope[i] = h_p_[i], slope[n_ + i] = -h_q_[i];
    }
  }
  /// I - h a_ij J H_zz(Z_j): one Hessian for each stage, where duals of the residual would visit
  /// every stage for every unknown.
  template <class Square>
  void stage_matrix(const Sys& system, const Real<S>& h, const State<S, N>& z, const Dynamic& x,
                    Square& matrix) {
    const int s = stages_->tableau.stages(), d = 2 * n_;
    for (int j = 0; j < s; ++j) {
      visit(z, x, j);
      energy_hessian(system, q_, p_, hessian_);
      for (int i = 0; i < s; ++i) {
        const T position = T(Real<S>(h * stages_->tableau.a(i, j)));
        const T momentum = T(Real<S>(h * stages_->tableau.a_hat(i, j)));
        for (int l = 0; l < d; ++l)
          for (int k = 0; k < n_; ++k) {
            matrix(i * d + k, j * d + l) = -position * hessian_(n_ + k, l);
            matrix(i * d + n_ + k, j * d + l) = momentum * hessian_(k, l);
          }
      }
    }
    for (int k = 0; k < s * d; ++k) matrix(k, k) += T(1);
  }

  Status exact(const Sys& system, const Real<S>& h, State<S, N>& z) {
    if constexpr (requires { system.flow(z.q, z.p, h); }) {
      if constexpr (std::is_same_v<decltype(system.flow(z.q, z.p, h)), bool>) {
        if (system.flow(z.q, z.p, h)) return {};
      } else {
        system.flow(z.q, z.p, h);
        return {};
      }
    }
    Vector<S, D>& x = point_;
    for (int i = 0; i < n_; ++i) x[i] = z.q[i], x[n_ + i] = z.p[i];
    Status status = flow_->advance(
        [&](const Vector<S, D>& y, Vector<S, D>& out) {
          for (int i = 0; i < n_; ++i) q_[i] = y[i], p_[i] = y[n_ + i];
          system.energy_gradient(q_, p_, h_q_, h_p_);
          for (int i = 0; i < n_; ++i) out[i] = h_p_[i], out[n_ + i] = -h_q_[i];
        },
        h, x);
    for (int i = 0; i < n_; ++i) z.q[i] = x[i], z.p[i] = x[n_ + i];
    return status;
  }

  BaseMap map_;
  int n_;
  Position h_q_, h_p_, q_, p_;
  Matrix<T, D> hessian_;
  Implicit<S, N> euler_;
  std::optional<Stages> stages_;
  std::optional<RoundOffFlow<S, D>> flow_;
  Vector<S, D> point_;  // of that flow
};

}  // namespace rattleback
