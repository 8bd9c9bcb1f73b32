// The fields that the formulations of [Reich93] integrate, at one point. With phi = (g, rho),
// rho = {g,H}, and multipliers l of h:
//
//   index2            a = h grad H + grad(l . phi),   0 = phi                        [Reich93 (6)]
//   index3            a = h grad H + grad(l . g),     0 = g                          [Reich93 (2)]
//   index2-momentum   a = h grad H + grad(l . g),     0 = rho                        [Reich93 (17)]
//   unconstrained     a = h grad H_o,  H_o = H + phi.lambda(z)                       [Reich93 (8)]
//
// and the stage's slope is h Z' = J a = (a_p, -a_q). All are made of first derivatives of H and g on
// duals: with F = nu.g frozen, grad(nu.rho) = grad{F,H} = D grad F [X_H] - D grad H [X_F].
//
// H_o: lambda = -C^-1 {phi,H}, C = {phi,phi}. With mu = -C^-1 phi, F = mu.phi and
// K = H + lambda.phi, multipliers frozen,
//   grad H_o = grad K - grad{F,K},   grad{F,K} = D grad F [X_K] - D grad K [X_F],
// where second derivatives of rho are third ones of H and g, which no dual gives. They stand beside
// mu and lambda', which vanish on phi = 0, and are central differences of order 8: their error,
// relative to a term that is small itself, is round-off.
#pragma once

#include <array>
#include <cmath>
#include <limits>
#include <type_traits>

#include "rattleback/problem/quad.hpp"
#include "rattleback/problem/sweep.hpp"
#include "rattleback/problem/system.hpp"
#include "rattleback/solve/dense.hpp"
#include "rattleback/solve/status.hpp"
#include "rattleback/solve/thresholds.hpp"

namespace rattleback {

enum class Formulation { index2, index3, index2_momentum, unconstrained };

/// Multipliers of a stage.
inline int multiplier_count(Formulation form, int constraints) {
  if (form == Formulation::unconstrained) return 0;
  return form == Formulation::index2 ? 2 * constraints : constraints;
}

template <class Sys, class S>
class DrivenField {
 public:
  static constexpr int N = Sys::dimension_at_compile_time;
  static constexpr int M = Sys::constraints_at_compile_time;
  using Values = Vector<S, dynamic>;
  using Rows = Matrix<S, dynamic>;
  static_assert(!is_dual<S>, "takes derivatives of its own; see DualDrivenField");

  DrivenField(const Sys& system, Formulation form)
      : form_(form),
        n_(system.dimension()),
        m_(system.constraint_count()),
        holonomic_(system.traits().holonomic),
        plain_(n_, m_),
        lifted_(n_, m_),
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

  /// a = (a_q, a_p) and the constraints kept, at x = (q, p); momenta of a are `kappa` times as large.
  Status evaluate(const Sys& system, const Real<S>& h, const Real<S>& kappa, const Values& x,
                  const S* l, Values& a, S* kept) {
    if (form_ == Formulation::unconstrained) return unconstrained(system, h, x, a, false);
    visit(system, x);
    driven(h, kappa, l, a);
    if (form_ == Formulation::index2) add_hidden_slope(system, x, l + m_, S(1), a);
    write_kept(kept);
    return {};
  }

  /// a' (2n x 2n) and the derivatives of what drives and of what is kept (rows of 2n). Second
  /// derivatives of rho, whose multipliers are O(h^2), are differences of first order.
  Status differentiate(const Sys& system, const Real<S>& h, const Real<S>& kappa, const Values& x,
                       const S* l, Rows& slope, Rows& driving, Rows& kept) {
    if (form_ == Formulation::unconstrained) return difference(system, h, x, slope);
    sweep<K>(2 * n_, [&](const auto& chunk) {
      lift(system, chunk, x);
      for (int j = 0; j < chunk.count; ++j) {
        const int column = chunk.first + j;
        for (int i = 0; i < n_; ++i) {
          slope(i, column) = lifted_.h_q[i].partials[j] * Real<S>(h * kappa);
          slope(n_ + i, column) = lifted_.h_p[i].partials[j] * h;
          for (int k = 0; k < m_; ++k) {
            slope(i, column) += lifted_.g_q(k, i).partials[j] * l[k];
            if (!holonomic_) slope(n_ + i, column) += lifted_.g_p(k, i).partials[j] * l[k];
          }
        }
        for (int k = 0; k < m_; ++k) {
          const S g = lifted_.g[k].partials[j], rho = lifted_rho(k).partials[j];
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
  static constexpr int K = 4;
  using Lifted = Dual<S, K>;
  template <class R>
  struct Room {
    Room(int n, int m) : q(n), p(n), h_q(n), h_p(n), g(m), g_q(m, n), g_p(m, n) {
      g_p.setConstant(R(0));
    }
    Vector<R, N> q, p, h_q, h_p;
    Vector<R, M> g;
    Matrix<R, M, N> g_q, g_p;
  };

  void visit(const Sys& system, const Values& x) {
    for (int i = 0; i < n_; ++i) plain_.q[i] = x[i], plain_.p[i] = x[n_ + i];
    if (m_ > 0) system.linearise(plain_.q, plain_.p, plain_.g, plain_.g_q, plain_.g_p);
    system.energy_gradient(plain_.q, plain_.p, plain_.h_q, plain_.h_p);
  }
  /// The same on duals that carry the unit directions of a chunk.
  template <class Chunk>
  void lift(const Sys& system, const Chunk& chunk, const Values& x) {
    for (int i = 0; i < n_; ++i) plain_.q[i] = x[i], plain_.p[i] = x[n_ + i];
    chunk.seed(plain_.q, lifted_.q);
    chunk.seed(plain_.p, lifted_.p, n_);
    if (m_ > 0) system.linearise(lifted_.q, lifted_.p, lifted_.g, lifted_.g_q, lifted_.g_p);
    system.energy_gradient(lifted_.q, lifted_.p, lifted_.h_q, lifted_.h_p);
  }
  /// {g_k,H} of the point last visited.
  template <class R>
  R rho(const Room<R>& at, int k) const {
    R sum(0);
    for (int i = 0; i < n_; ++i) sum += at.g_q(k, i) * at.h_p[i];
    if (!holonomic_)
      for (int i = 0; i < n_; ++i) sum -= at.g_p(k, i) * at.h_q[i];
    return sum;
  }
  Lifted lifted_rho(int k) const { return rho(lifted_, k); }

  /// h grad H + grad(l.g)
  void driven(const Real<S>& h, const Real<S>& kappa, const S* l, Values& a) const {
    for (int i = 0; i < n_; ++i) {
      a[i] = plain_.h_q[i] * Real<S>(h * kappa);
      a[n_ + i] = plain_.h_p[i] * h;
      for (int k = 0; k < m_; ++k) {
        a[i] += plain_.g_q(k, i) * l[k];
        if (!holonomic_) a[n_ + i] += plain_.g_p(k, i) * l[k];
      }
    }
  }
  void write_kept(S* kept) const {
    const bool positions = form_ != Formulation::index2_momentum;
    for (int k = 0; k < m_; ++k) {
      kept[k] = positions ? plain_.g[k] : rho(plain_, k);
      if (form_ == Formulation::index2) kept[m_ + k] = rho(plain_, k);
    }
  }
  /// a += weight grad(nu.rho) at x, which was visited: D grad F [X_H] - D grad H [X_F], F = nu.g.
  void add_hidden_slope(const Sys& system, const Values& x, const S* nu, const S& weight,
                        Values& a) {
    along(x, [&](int i) { return i < n_ ? plain_.h_p[i] : S(-plain_.h_q[i - n_]); });
    system.linearise(lifted_.q, lifted_.p, lifted_.g, lifted_.g_q, lifted_.g_p);
    for (int i = 0; i < n_; ++i)
      for (int k = 0; k < m_; ++k) {
        a[i] += lifted_.g_q(k, i).partials[0] * S(nu[k] * weight);
        if (!holonomic_) a[n_ + i] += lifted_.g_p(k, i).partials[0] * S(nu[k] * weight);
      }
    along(x, [&](int i) {
      S sum(0);
      for (int k = 0; k < m_; ++k)
        sum += i < n_ ? S(plain_.g_p(k, i) * nu[k]) : S(-plain_.g_q(k, i - n_) * nu[k]);
      return sum;
    });
    system.energy_gradient(lifted_.q, lifted_.p, lifted_.h_q, lifted_.h_p);
    for (int i = 0; i < n_; ++i) {
      a[i] -= lifted_.h_q[i].partials[0] * weight;
      a[n_ + i] -= lifted_.h_p[i].partials[0] * weight;
    }
  }
  /// The lifted point carries one direction.
  template <class Direction>
  void along(const Values& x, Direction&& direction) {
    for (int i = 0; i < n_; ++i) {
      lifted_.q[i] = Lifted(x[i]), lifted_.p[i] = Lifted(x[n_ + i]);
      lifted_.q[i].partials[0] = direction(i);
      lifted_.p[i].partials[0] = direction(n_ + i);
    }
  }

  /// a = h grad H_o; roughly: with differences of order 2, for matrices.
  Status unconstrained(const Sys& system, const Real<S>& h, const Values& x, Values& a,
                       bool roughly) {
    if (Status s = multipliers(system, x); !s) return s;
    for (int i = 0; i < n_; ++i) {
      S k_q = plain_.h_q[i], k_p = plain_.h_p[i], f_q(0), f_p(0);
      for (int k = 0; k < 2 * m_; ++k) {
        k_q += phi_(k, i) * lambda_[k], k_p += phi_(k, n_ + i) * lambda_[k];
        f_q += phi_(k, i) * mu_[k], f_p += phi_(k, n_ + i) * mu_[k];
      }
      along_k_[i] = k_p, along_k_[n_ + i] = -k_q;  // X_K
      along_f_[i] = f_p, along_f_[n_ + i] = -f_q;  // X_F
      a[i] = k_q, a[n_ + i] = k_p;
    }
    // mu.D grad g [X_K] - lambda.D grad g [X_F] - D grad H [X_F]
    along(x, [&](int i) { return along_k_[i]; });
    subtract_slopes(system, mu_, S(1), false, a);
    along(x, [&](int i) { return along_f_[i]; });
    subtract_slopes(system, lambda_, S(-1), true, a);
    subtract_difference(system, x, along_k_, mu_.data() + m_, S(1), roughly, a);
    subtract_difference(system, x, along_f_, lambda_.data() + m_, S(-1), roughly, a);
    for (int i = 0; i < 2 * n_; ++i) a[i] = a[i] * h;
    return {};
  }
  /// phi with its derivatives, lambda and mu at x, which is visited.
  Status multipliers(const Sys& system, const Values& x) {
    sweep<K>(2 * n_, [&](const auto& chunk) {
      lift(system, chunk, x);
      for (int k = 0; k < m_; ++k)
        for (int j = 0; j < chunk.count; ++j) {
          phi_(k, chunk.first + j) = lifted_.g[k].partials[j];
          phi_(m_ + k, chunk.first + j) = lifted_rho(k).partials[j];
        }
    });
    visit(system, x);
    if (m_ == 0) return {};
    for (int k = 0; k < 2 * m_; ++k) {
      for (int l = 0; l < 2 * m_; ++l) {
        bracket_(k, l) = S(0);
        for (int i = 0; i < n_; ++i)
          bracket_(k, l) += phi_(k, i) * phi_(l, n_ + i) - phi_(k, n_ + i) * phi_(l, i);
      }
      lambda_[k] = S(0);
      for (int i = 0; i < n_; ++i)
        lambda_[k] += phi_(k, n_ + i) * plain_.h_q[i] - phi_(k, i) * plain_.h_p[i];
      mu_[k] = k < m_ ? S(-plain_.g[k]) : S(-rho(plain_, k - m_));
    }
    const FactorReport report = lu_.factor([&](int i, int j) { return bracket_(i, j); });
    if (!report.ok) return {Outcome::rank_loss, 0, report.smallest_pivot};
    lu_.solve(lambda_);
    lu_.solve(mu_);
    return {};
  }
  /// a -= sign D grad(nu.g), and with `energy` sign D grad H, along the direction that is lifted.
  void subtract_slopes(const Sys& system, const Values& nu, const S& sign, bool energy, Values& a) {
    if (m_ > 0) system.linearise(lifted_.q, lifted_.p, lifted_.g, lifted_.g_q, lifted_.g_p);
    if (energy) system.energy_gradient(lifted_.q, lifted_.p, lifted_.h_q, lifted_.h_p);
    for (int i = 0; i < n_; ++i) {
      for (int k = 0; k < m_; ++k) {
        a[i] -= lifted_.g_q(k, i).partials[0] * S(nu[k] * sign);
        if (!holonomic_) a[n_ + i] -= lifted_.g_p(k, i).partials[0] * S(nu[k] * sign);
      }
      if (!energy) continue;
      a[i] -= lifted_.h_q[i].partials[0] * sign;
      a[n_ + i] -= lifted_.h_p[i].partials[0] * sign;
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
        visit(system, shifted_);
        const Real<S> weight = roughly ? Real<S>(0.5) : weight_of(k);
        add_hidden_slope(system, shifted_, nu, S(Real<S>(weight * side)), sum_);
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
      visit(system, at);
      add_hidden_slope(system, at, nu, S(1), a);
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
  Room<S> plain_;
  Room<Lifted> lifted_;
  Rows phi_, bracket_;
  Values lambda_, mu_, along_k_, along_f_, sum_, shifted_;
  Values before_, after_, moved_;  // of matrices by differences
  DenseLu<S, dynamic> lu_;
};

/// The same on duals of double, which the field takes for itself: the value in double, each partial
/// a central difference in quad precision, whose error is nothing in double.
template <class Sys, class S>
class DualDrivenField {
 public:
  using Values = Vector<S, dynamic>;

  DualDrivenField(const Sys& system, Formulation form)
      : n_(2 * system.dimension()),
        k_(multiplier_count(form, system.constraint_count())),
        plain_(system, form),
        fine_(system, form),
        x_(n_),
        a_(n_),
        l_(std::max(k_, 1)),
        kept_(std::max(k_, 1)) {
    for (auto& side : sides_) side = {Fine(n_), Fine(n_), Fine(std::max(k_, 1)), Fine(std::max(k_, 1))};
  }

  Status evaluate(const Sys& system, double h, double kappa, const Values& x, const S* l, Values& a,
                  S* kept) {
    for (int i = 0; i < n_; ++i) x_[i] = x[i].value;
    for (int k = 0; k < k_; ++k) l_[k] = l[k].value;
    if (Status s = plain_.evaluate(system, h, kappa, x_, l_.data(), a_, kept_.data()); !s) return s;
    for (int i = 0; i < n_; ++i) a[i] = S(a_[i]);
    for (int k = 0; k < k_; ++k) kept[k] = S(kept_[k]);
    for (int j = 0; j < 4; ++j)
      if (Status s = differentiate(system, h, kappa, x, l, j, a, kept); !s) return s;
    return {};
  }
  template <class Rows>
  Status differentiate(const Sys& system, double h, double kappa, const Vector<double, dynamic>& x,
                       const double* l, Rows& slope, Rows& driving, Rows& kept) {
    return plain_.differentiate(system, h, kappa, x, l, slope, driving, kept);
  }

 private:
  using Fine = Vector<Quad, dynamic>;
  struct Side {
    Fine x, a, l, kept;
  };

  /// Partial j of the results.
  Status differentiate(const Sys& system, double h, double kappa, const Values& x, const S* l,
                       int j, Values& a, S* kept) {
    double size = 0;
    for (int i = 0; i < n_; ++i) size = larger(size, std::abs(x[i].partials[j]));
    for (int k = 0; k < k_; ++k) size = larger(size, std::abs(l[k].partials[j]));
    if (size == 0) return {};
    const Quad d = Quad(1e-11) / Quad(size);
    for (const int side : {0, 1}) {
      const Quad by = side == 0 ? d : Quad(-d);
      Side& w = sides_[side];
      for (int i = 0; i < n_; ++i) w.x[i] = Quad(x[i].value) + by * x[i].partials[j];
      for (int k = 0; k < k_; ++k) w.l[k] = Quad(l[k].value) + by * l[k].partials[j];
      if (Status s = fine_.evaluate(system, Quad(h), Quad(kappa), w.x, w.l.data(), w.a,
                                    w.kept.data());
          !s)
        return s;
    }
    const auto slope = [&](const Quad& plus, const Quad& minus) {
      return static_cast<double>(Quad((plus - minus) / (2 * d)));
    };
    for (int i = 0; i < n_; ++i) a[i].partials[j] = slope(sides_[0].a[i], sides_[1].a[i]);
    for (int k = 0; k < k_; ++k) kept[k].partials[j] = slope(sides_[0].kept[k], sides_[1].kept[k]);
    return {};
  }

  int n_, k_;
  DrivenField<Sys, double> plain_;
  DrivenField<Sys, Quad> fine_;
  Vector<double, dynamic> x_, a_, l_, kept_;
  std::array<Side, 2> sides_;
};

template <class Sys, class S>
using DrivenFieldFor =
    std::conditional_t<is_dual<S>, DualDrivenField<Sys, S>, DrivenField<Sys, S>>;

}  // namespace rattleback
