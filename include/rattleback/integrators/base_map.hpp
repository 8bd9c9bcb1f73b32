// Base maps: one-step methods phi_h for z' = X_H(z) without constraints, for any H(q, p).
//   euler-a   p1 = p - h H_q(q, p1),  q1 = q + h H_p(q, p1)
//   euler-b   q1 = q + h H_p(q1, p),  p1 = p - h H_q(q1, p)
//   verlet    euler-b(h/2) after euler-a(h/2)                             [McLachlan12 5.1.3]
//   verlet-b  euler-a(h/2) after euler-b(h/2)
//   midpoint, gauss2, gauss3   Gauss collocation with 1, 2, 3 stages
//   exact     the model's own flow, else integrated to round-off
// Implicit equations are solved by Newton to round-off; explicit where H = T(p) + V(q).
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "rattleback/geometry/flow.hpp"
#include "rattleback/problem/derivatives.hpp"
#include "rattleback/problem/dual.hpp"
#include "rattleback/problem/energy_hessian.hpp"
#include "rattleback/problem/error.hpp"
#include "rattleback/solve/dense.hpp"
#include "rattleback/solve/newton.hpp"

namespace rattleback {

enum class BaseMap { verlet, verlet_b, midpoint, euler_a, euler_b, gauss2, gauss3, exact };

struct BaseMapInfo {
  BaseMap map;
  std::string_view name;
  int order;  ///< 0: exact
  bool symmetric;
};
inline constexpr std::array<BaseMapInfo, 8> base_maps{{{BaseMap::verlet, "verlet", 2, true},
                                                       {BaseMap::verlet_b, "verlet-b", 2, true},
                                                       {BaseMap::midpoint, "midpoint", 2, true},
                                                       {BaseMap::euler_a, "euler-a", 1, false},
                                                       {BaseMap::euler_b, "euler-b", 1, false},
                                                       {BaseMap::gauss2, "gauss2", 4, true},
                                                       {BaseMap::gauss3, "gauss3", 6, true},
                                                       {BaseMap::exact, "exact", 0, true}}};

inline const BaseMapInfo& info(BaseMap map) {
  for (const auto& entry : base_maps)
    if (entry.map == map) return entry;
  throw InputError("base", "unknown base map");
}

/// Gauss-Legendre collocation: nodes c, weights b, matrix a, in the precision of R.
template <class R>
struct GaussTableau {
  int stages;
  std::array<std::array<R, 3>, 3> a{};
  std::array<R, 3> b{};

  explicit GaussTableau(int s) : stages(s) {
    using std::sqrt;
    const R one(1);
    if (s == 1) {
      a[0][0] = one / 2;
      b[0] = one;
    } else if (s == 2) {
      const R r = sqrt(R(3)) / 6, q = one / 4;
      a[0] = {q, q - r, R(0)};
      a[1] = {q + r, q, R(0)};
      b = {one / 2, one / 2, R(0)};
    } else {
      const R w = sqrt(R(15));
      a[0] = {R(5) / 36, R(2) / 9 - w / 15, R(5) / 36 - w / 30};
      a[1] = {R(5) / 36 + w / 24, R(2) / 9, R(5) / 36 - w / 24};
      a[2] = {R(5) / 36 + w / 30, R(2) / 9 + w / 15, R(5) / 36};
      b = {R(5) / 18, R(4) / 9, R(5) / 18};
    }
  }
};

template <class Sys, class S>
class BaseStepper {
 public:
  static constexpr int N = Sys::dimension_at_compile_time;
  static constexpr int D = N == dynamic ? dynamic : 2 * N;
  using T = Base<S>;
  using Position = Vector<S, N>;

  BaseStepper(const Sys& system, BaseMap map, SolveOptions options = {})
      : map_(map),
        options_(options),
        n_(system.dimension()),
        h_q_(n_),
        h_p_(n_),
        r_(n_),
        start_(n_),
        hessian_(2 * n_, 2 * n_),
        lu_(n_) {
    if (map == BaseMap::midpoint) stages_.emplace(*this, 1);
    if (map == BaseMap::gauss2) stages_.emplace(*this, 2);
    if (map == BaseMap::gauss3) stages_.emplace(*this, 3);
    if (map == BaseMap::exact) flow_.emplace(2 * n_), point_.resize(2 * n_);
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
      case BaseMap::midpoint:
      case BaseMap::gauss2:
      case BaseMap::gauss3:
        return gauss(system, h, z);
      case BaseMap::exact:
        return exact(system, h, z);
    }
    return {Outcome::not_finite};
  }

 private:
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
      start_ = first;
      const double floor = 2 * epsilon<S> * std::max(largest_magnitude(first), 1e-3);
      status = newton(
          first, r_, floor, options_,
          [&](const Position& x, Position& r) {
            system.energy_gradient(z.q, z.p, h_q_, h_p_);
            for (int i = 0; i < n_; ++i) r[i] = x[i] - start_[i] - first_slope[i] * forward;
            return Status{};
          },
          [&](const Position&) {  // I + h H_qp, or I - h H_pq
            energy_hessian(system, z.q, z.p, hessian_);
            return lu_
                .factor([&](int i, int j) {
                  return T(T(i == j) - T(forward) * hessian_(n_ - offset + i, offset + j));
                })
                .ok;
          },
          lu_);
      if (!status) return status;
    }
    system.energy_gradient(z.q, z.p, h_q_, h_p_);
    subtract_scaled(forward, second_slope, second);
    return status;
  }

  /// Stages Z_i = z + h sum_j a_ij X_H(Z_j), unknowns the increments Z_i - z.
  Status gauss(const Sys& system, const Real<S>& h, State<S, N>& z) {
    Stages& w = *stages_;
    const int s = w.tableau.stages, d = 2 * n_;
    // Start: Z_i = z + c_i h X_H(z), with c_i = sum_j a_ij.
    slope(system, z, w.x, w.f[0]);
    for (int i = 0; i < s; ++i) {
      Real<S> c(0);
      for (int j = 0; j < s; ++j) c += w.tableau.a[i][j];
      for (int k = 0; k < d; ++k) w.x[i * d + k] = w.f[0][k] * Real<S>(c * h);
    }
    const double scale = std::max({largest_magnitude(z.q), largest_magnitude(z.p), 1e-3});
    Status status = newton(
        w.x, w.r, 2 * epsilon<S> * scale, options_,
        [&](const Dynamic& x, Dynamic& r) {
          stage_slopes(system, z, x);
          for (int i = 0; i < s; ++i)
            for (int k = 0; k < d; ++k) {
              S sum = x[i * d + k];
              for (int j = 0; j < s; ++j) sum -= w.f[j][k] * Real<S>(h * w.tableau.a[i][j]);
              r[i * d + k] = sum;
            }
          return Status{};
        },
        [&](const Dynamic& x) { return factor_stages(system, h, z, x); }, w.lu);
    if (!status) return status;
    stage_slopes(system, z, w.x);
    for (int k = 0; k < n_; ++k)
      for (int j = 0; j < s; ++j) {
        z.q[k] += w.f[j][k] * Real<S>(h * w.tableau.b[j]);
        z.p[k] += w.f[j][n_ + k] * Real<S>(h * w.tableau.b[j]);
      }
    return status;
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
          for (int i = 0; i < n_; ++i) r_[i] = y[i], start_[i] = y[n_ + i];
          system.energy_gradient(r_, start_, h_q_, h_p_);
          for (int i = 0; i < n_; ++i) out[i] = h_p_[i], out[n_ + i] = -h_q_[i];
        },
        h, x);
    for (int i = 0; i < n_; ++i) z.q[i] = x[i], z.p[i] = x[n_ + i];
    return status;
  }

  using Dynamic = Vector<S, dynamic>;
  struct Stages {
    Stages(const BaseStepper& owner, int s)
        : tableau(s), x(2 * owner.n_ * s), r(x), matrix(x.size(), x.size()), lu(int(x.size())) {
      for (auto& slope : f) slope.resize(2 * owner.n_);
    }
    GaussTableau<Real<S>> tableau;
    Dynamic x, r;
    std::array<Dynamic, 3> f;
    Matrix<T, dynamic> matrix;
    DenseLu<T, dynamic> lu;
  };

  /// X_H at (q, p) = z, or at z plus a stage increment.
  void slope(const Sys& system, const State<S, N>& z, const Dynamic&, Dynamic& f) {
    system.energy_gradient(z.q, z.p, h_q_, h_p_);
    for (int i = 0; i < n_; ++i) f[i] = h_p_[i], f[n_ + i] = -h_q_[i];
  }
  void stage_slopes(const Sys& system, const State<S, N>& z, const Dynamic& x) {
    for (int j = 0; j < stages_->tableau.stages; ++j) {
      for (int i = 0; i < n_; ++i) {
        r_[i] = z.q[i] + x[j * 2 * n_ + i];
        start_[i] = z.p[i] + x[j * 2 * n_ + n_ + i];
      }
      system.energy_gradient(r_, start_, h_q_, h_p_);
      for (int i = 0; i < n_; ++i) {
        stages_->f[j][i] = h_p_[i];
        stages_->f[j][n_ + i] = -h_q_[i];
      }
    }
  }
  /// I - h a_ij J H_zz(Z_j)
  bool factor_stages(const Sys& system, const Real<S>& h, const State<S, N>& z, const Dynamic& x) {
    Stages& w = *stages_;
    const int s = w.tableau.stages, d = 2 * n_;
    for (int j = 0; j < s; ++j) {
      for (int i = 0; i < n_; ++i) {
        r_[i] = z.q[i] + x[j * d + i];
        start_[i] = z.p[i] + x[j * d + n_ + i];
      }
      energy_hessian(system, r_, start_, hessian_);
      for (int i = 0; i < s; ++i) {
        const T factor = T(Real<S>(h * w.tableau.a[i][j]));
        for (int k = 0; k < n_; ++k)
          for (int l = 0; l < d; ++l) {
            w.matrix(i * d + k, j * d + l) = -factor * hessian_(n_ + k, l);
            w.matrix(i * d + n_ + k, j * d + l) = factor * hessian_(k, l);
          }
      }
    }
    return w.lu.factor([&](int i, int j) { return T(T(i == j) + w.matrix(i, j)); }).ok;
  }

  BaseMap map_;
  SolveOptions options_;
  int n_;
  Position h_q_, h_p_, r_, start_;
  Matrix<T, D> hessian_;
  DenseLu<T, N> lu_;
  std::optional<Stages> stages_;
  std::optional<RoundOffFlow<S, D>> flow_;
  Vector<S, D> point_;  // of that flow
};

}  // namespace rattleback
