// The fields that the formulations of [Reich93] integrate, at one point. With phi = (g, rho),
// rho = {g,H}, and multipliers l of h:
//
//   index2            a = h grad H + grad(l . phi),   0 = phi                        [Reich93 (6)]
//   index3            a = h grad H + grad(l . g),     0 = g                          [Reich93 (2)]
//   index2-momentum   a = h grad H + grad(l . g),     0 = rho                        [Reich93 (17)]
//   unconstrained     a = h grad H_o,  H_o = H + phi.lambda(z)                       [Reich93 (8)]
//
// and the stage's slope is h Z' = J a = (a_p, -a_q). All are made of first derivatives of H and g
// on duals: with F = nu.g frozen, grad(nu.rho) = grad{F,H} = D grad F [X_H] - D grad H [X_F].
//
// H_o: lambda = -C^-1 {phi,H}, C = {phi,phi}. With mu = -C^-1 phi, F = mu.phi and
// K = H + lambda.phi, multipliers frozen,
//   grad H_o = grad K - grad{F,K},   grad{F,K} = D grad F [X_K] - D grad K [X_F],
// where second derivatives of rho are third ones of H and g, which no dual gives. They stand beside
// mu and lambda', which vanish on phi = 0, and are central differences of order 8: their error,
// relative to a term that is small itself, is round-off.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "rattleback/integrators/constraint_slopes.hpp"
#include "rattleback/problem/formulation.hpp"
#include "rattleback/solve/dense.hpp"
#include "rattleback/solve/status.hpp"
#include "rattleback/solve/thresholds.hpp"

namespace rattleback {

template <class Sys, class S>
class DrivenField {
 public:
  using Values = Vector<S, dynamic>;
  using Rows = Matrix<S, dynamic>;
  static_assert(!is_dual<S>, "takes derivatives of its own; see dual_driven_field.hpp");

  DrivenField(const Sys& system, Formulation form)
      : form_(form),
        n_(system.dimension()),
        m_(system.constraint_count()),
        holonomic_(system.traits().holonomic),
        at_(system),
        phi_(2 * m_, 2 * n_),
        bracket_(2 * m_, 2 * m_),
        lambda_(2 * m_),
        mu_(2 * m_),
        along_k_(2 * n_),
        along_f_(2 * n_),
        sum_(2 * n_),
        shifted_(2 * n_),
        before_(2 * n_),
        after_(2 * n_),
        moved_(2 * n_),
        lu_(std::max(2 * m_, 1)) {}

  /// a = (a_q, a_p) and the constraints kept, at x = (q, p); momenta of a are `kappa` times as
  /// large.
  Status evaluate(const Sys& system, const Real<S>& h, const Real<S>& kappa, const Values& x,
                  const S* l, Values& a, S* kept) {
    if (form_ == Formulation::unconstrained) return unconstrained(system, h, x, a, false);
    at_.visit(system, x);
    driven(h, kappa, l, a);
    if (form_ == Formulation::index2) at_.add_hidden_slope(system, x, l + m_, S(1), a);
    write_kept(kept);
    return {};
  }

  /// a' (2n x 2n) and the derivatives of what drives and of what is kept (rows of 2n). Second
  /// derivatives of rho, whose multipliers are O(h^2), are differences of first order.
  Status differentiate(const Sys& system, const Real<S>& h, const Real<S>& kappa, const Values& x,
                       const S* l, Rows& slope, Rows& driving, Rows& kept) {
    if (form_ == Formulation::unconstrained) return difference(system, h, x, slope);
    sweep<ConstraintSlopes<Sys, S>::K>(2 * n_, [&](const auto& chunk) {
      at_.lift(system, chunk, x);
      for (int j = 0; j < chunk.count; ++j) {
        const int column = chunk.first + j;
        for (int i = 0; i < n_; ++i) {
          slope(i, column) = at_.lifted.h_q[i].partials[j] * Real<S>(h * kappa);
          slope(n_ + i, column) = at_.lifted.h_p[i].partials[j] * h;
          for (int k = 0; k < m_; ++k) {
            slope(i, column) += at_.lifted.g_q(k, i).partials[j] * l[k];
            if (!holonomic_) slope(n_ + i, column) += at_.lifted.g_p(k, i).partials[j] * l[k];
          }
        }
        for (int k = 0; k < m_; ++k) {
          const S g = at_.lifted.g[k].partials[j], rho = at_.rho(at_.lifted, k).partials[j];
          driving(k, column) = g;
          kept(k, column) = form_ == Formulation::index2_momentum ? rho : g;
          if (form_ == Formulation::index2) driving(m_ + k, column) = kept(m_ + k, column) = rho;
        }
      }
    });
    if (form_ == Formulation::index2) add_hidden_difference(system, x, l + m_, slope);
    return {};
  }

 private:
  /// h grad H + grad(l.g)
  void driven(const Real<S>& h, const Real<S>& kappa, const S* l, Values& a) const {
    for (int i = 0; i < n_; ++i) {
      a[i] = at_.plain.h_q[i] * Real<S>(h * kappa);
      a[n_ + i] = at_.plain.h_p[i] * h;
      for (int k = 0; k < m_; ++k) {
        a[i] += at_.plain.g_q(k, i) * l[k];
        if (!holonomic_) a[n_ + i] += at_.plain.g_p(k, i) * l[k];
      }
    }
  }
  void write_kept(S* kept) const {
    const bool positions = form_ != Formulation::index2_momentum;
    for (int k = 0; k < m_; ++k) {
      kept[k] = positions ? at_.plain.g[k] : at_.rho(at_.plain, k);
      if (form_ == Formulation::index2) kept[m_ + k] = at_.rho(at_.plain, k);
    }
  }
  /// a = h grad H_o; roughly: with differences of order 2, for matrices.
  Status unconstrained(const Sys& system, const Real<S>& h, const Values& x, Values& a,
                       bool roughly) {
    if (Status s = multipliers(system, x); !s) return s;
    for (int i = 0; i < n_; ++i) {
      S k_q = at_.plain.h_q[i], k_p = at_.plain.h_p[i], f_q(0), f_p(0);
      for (int k = 0; k < 2 * m_; ++k) {
        k_q += phi_(k, i) * lambda_[k], k_p += phi_(k, n_ + i) * lambda_[k];
        f_q += phi_(k, i) * mu_[k], f_p += phi_(k, n_ + i) * mu_[k];
      }
      along_k_[i] = k_p, along_k_[n_ + i] = -k_q;  // X_K
      along_f_[i] = f_p, along_f_[n_ + i] = -f_q;  // X_F
      a[i] = k_q, a[n_ + i] = k_p;
    }
    // mu.D grad g [X_K] - lambda.D grad g [X_F] - D grad H [X_F]
    at_.along(x, [&](int i) { return along_k_[i]; });
    subtract_slopes(system, mu_, S(1), false, a);
    at_.along(x, [&](int i) { return along_f_[i]; });
    subtract_slopes(system, lambda_, S(-1), true, a);
    subtract_difference(system, x, along_k_, mu_.data() + m_, S(1), roughly, a);
    subtract_difference(system, x, along_f_, lambda_.data() + m_, S(-1), roughly, a);
    for (int i = 0; i < 2 * n_; ++i) a[i] = a[i] * h;
    return {};
  }
  /// phi with its derivatives, lambda and mu at x, which is visited.
  Status multipliers(const Sys& system, const Values& x) {
    sweep<ConstraintSlopes<Sys, S>::K>(2 * n_, [&](const auto& chunk) {
      at_.lift(system, chunk, x);
      for (int k = 0; k < m_; ++k)
        for (int j = 0; j < chunk.count; ++j) {
          phi_(k, chunk.first + j) = at_.lifted.g[k].partials[j];
          phi_(m_ + k, chunk.first + j) = at_.rho(at_.lifted, k).partials[j];
        }
    });
    at_.visit(system, x);
    if (m_ == 0) return {};
    for (int k = 0; k < 2 * m_; ++k) {
      for (int l = 0; l < 2 * m_; ++l) {
        bracket_(k, l) = S(0);
        for (int i = 0; i < n_; ++i)
          bracket_(k, l) += phi_(k, i) * phi_(l, n_ + i) - phi_(k, n_ + i) * phi_(l, i);
      }
      lambda_[k] = S(0);
      for (int i = 0; i < n_; ++i)
        lambda_[k] += phi_(k, n_ + i) * at_.plain.h_q[i] - phi_(k, i) * at_.plain.h_p[i];
      mu_[k] = k < m_ ? S(-at_.plain.g[k]) : S(-at_.rho(at_.plain, k - m_));
    }
    const FactorReport report = lu_.factor([&](int i, int j) { return bracket_(i, j); });
    if (!report.ok) return {Outcome::rank_loss, 0, report.smallest_pivot};
    lu_.solve(lambda_);
    lu_.solve(mu_);
    return {};
  }
  /// a -= sign D grad(nu.g), and with `energy` sign D grad H, along the direction that is lifted.
  void subtract_slopes(const Sys& system, const Values& nu, const S& sign, bool energy, Values& a) {
    if (m_ > 0)
      system.linearise(at_.lifted.q, at_.lifted.p, at_.lifted.g, at_.lifted.g_q, at_.lifted.g_p);
    if (energy) system.energy_gradient(at_.lifted.q, at_.lifted.p, at_.lifted.h_q, at_.lifted.h_p);
    for (int i = 0; i < n_; ++i) {
      for (int k = 0; k < m_; ++k) {
        a[i] -= at_.lifted.g_q(k, i).partials[0] * S(nu[k] * sign);
        if (!holonomic_) a[n_ + i] -= at_.lifted.g_p(k, i).partials[0] * S(nu[k] * sign);
      }
      if (!energy) continue;
      a[i] -= at_.lifted.h_q[i].partials[0] * sign;
      a[n_ + i] -= at_.lifted.h_p[i].partials[0] * sign;
    }
  }
  /// a -= sign D grad(nu.rho) [v], by differences.
  void subtract_difference(const Sys& system, const Values& x, const Values& v, const S* nu,
                           const S& sign, bool roughly, Values& a) {
    double largest = 0;
    for (int k = 0; k < m_; ++k) largest = larger(largest, magnitude(nu[k]));
    if (largest == 0) return;
    const int pairs = roughly ? 1 : 4;
    const S step = difference_step(x, v, roughly ? 1. / 3 : 1. / 9);
    for (int i = 0; i < 2 * n_; ++i) sum_[i] = S(0);
    for (int k = 1; k <= pairs; ++k)
      for (const int side : {1, -1}) {
        for (int i = 0; i < 2 * n_; ++i) shifted_[i] = x[i] + v[i] * S(step * Real<S>(k * side));
        at_.visit(system, shifted_);
        const Real<S> weight = roughly ? Real<S>(0.5) : weight_of(k);
        at_.add_hidden_slope(system, shifted_, nu, S(Real<S>(weight * side)), sum_);
      }
    for (int i = 0; i < 2 * n_; ++i) a[i] -= sum_[i] * S(sign / step);
  }
  static Real<S> weight_of(int k) {
    constexpr std::array<int, 4> over{4, -1, 4, -1}, under{5, 5, 105, 280};
    return Real<S>(over[k - 1]) / Real<S>(under[k - 1]);
  }
  /// Moves x by eps^power of its size.
  S difference_step(const Values& x, const Values& v, double power) const {
    using std::sqrt;
    S size(std::numeric_limits<double>::min()), speed = size;
    for (int i = 0; i < 2 * n_; ++i) size += x[i] * x[i], speed += v[i] * v[i];
    return S(sqrt(S(size / S(speed * Real<S>(2 * n_)))) * Real<S>(std::pow(epsilon<S>, power)));
  }
  /// a' of H_o.
  Status difference(const Sys& system, const Real<S>& h, const Values& x, Rows& slope) {
    slope.setConstant(S(0));
    return add_difference(x, slope, [&](const Values& at, Values& a) {
      return unconstrained(system, h, at, a, true);
    });
  }
  /// a' of grad(nu.rho).
  void add_hidden_difference(const Sys& system, const Values& x, const S* nu, Rows& slope) {
    (void)add_difference(x, slope, [&](const Values& at, Values& a) {
      a.setConstant(S(0));
      at_.visit(system, at);
      at_.add_hidden_slope(system, at, nu, S(1), a);
      return Status{};
    });
  }
  /// slope += f', by differences of first order.
  template <class Function>
  Status add_difference(const Values& x, Rows& slope, Function&& f) {
    if (Status s = f(x, before_); !s) return s;
    const double size = std::max(largest_magnitude(x), threshold::least_scale);
    const Real<S> d(std::sqrt(epsilon<S>) * size);
    for (int j = 0; j < 2 * n_; ++j) {
      for (int i = 0; i < 2 * n_; ++i) moved_[i] = i == j ? S(x[i] + S(d)) : x[i];
      if (Status s = f(moved_, after_); !s) return s;
      for (int i = 0; i < 2 * n_; ++i)
        slope(i, j) += S(after_[i] - before_[i]) * Real<S>(Real<S>(1) / d);
    }
    return {};
  }

  Formulation form_;
  int n_, m_;
  bool holonomic_;
  ConstraintSlopes<Sys, S> at_;
  Rows phi_, bracket_;
  Values lambda_, mu_, along_k_, along_f_, sum_, shifted_;
  Values before_, after_, moved_;  // of matrices by differences
  DenseLu<S, dynamic> lu_;
};

}  // namespace rattleback
