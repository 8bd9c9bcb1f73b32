// The stage equations of a Runge-Kutta method on a driven field, solved together:
//
//   Z_i = z + sum_j a_ij J a(Z_j, l_j),   0 = kept(Z_i)
//
// Unknowns of a stage are (Q_i - q, kappa (P_i - p), l_i): l = h lambda with kappa = 1, and
// l = h^2 lambda with kappa = h on the index-3 form. So scaled, the matrix has a limit as h -> 0:
//   [1 - A x J a'   -A x J driving^T;   kept'   0].
// The algebra has the field and that matrix: full, or sparse where the system tells its nonzeros.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "rattleback/integrators/full_driven.hpp"

namespace rattleback {

template <class Sys, class S, class Algebra = FullDriven<Sys, S>>
class DrivenStages {
 public:
  using State = StateOf<Sys, S>;
  using Unknown = Vector<S, dynamic>;

  DrivenStages(const Sys& system, Formulation form, const Tableau<Real<S>>& tableau,
               const SolveOptions& options)
      : form_(form),
        n_(system.dimension()),
        tableau_(tableau),
        algebra_(system, form, tableau, options),
        k_(algebra_.multipliers()),
        x_(Unknown::Zero(stages() * width())),
        point_(2 * n_),
        slopes_(stages(), Unknown(2 * n_)),
        unused_(std::max(k_, 1)) {}

  /// What is kept of the steps before.
  void forget() { algebra_.forget(); }
  int stages() const { return tableau_.stages(); }
  int width() const { return 2 * n_ + k_; }
  const Tableau<Real<S>>& tableau() const { return tableau_; }
  std::string structure() const { return algebra_.structure(); }
  /// Of the index-3 form momenta are scaled by h.
  Real<S> kappa(const Real<S>& h) const { return form_ == Formulation::index3 ? h : Real<S>(1); }
  /// What multipliers are scaled by: those of (8) are lambda itself.
  Real<S> impulse(const Real<S>& h) const {
    return form_ == Formulation::unconstrained ? Real<S>(1) : Real<S>(kappa(h) * h);
  }
  /// The unknowns, stage after stage: first guess before, solution after solve().
  Unknown& unknowns() { return x_; }
  const Unknown& unknowns() const { return x_; }

  Status solve(const Sys& system, const State& z, const Real<S>& h) {
    const double p = largest_magnitude(z.p) * magnitude(kappa(h));
    const double size = std::max({largest_magnitude(z.q), p, threshold::least_scale});
    return algebra_.solve(
        system, h, kappa(h), x_, 2 * epsilon<S> * size,
        [&](const Unknown& x, Unknown& r) { return residual(system, z, h, x, r); },
        [&](const Unknown& x, int j) {
          const S* l = stage(z, x, h, j);
          return std::pair<const Unknown&, const S*>(point_, l);
        });
  }
  /// z <- z + sum_j b_j J a(Z_j, l_j) of the solution.
  Status advance(const Sys& system, const Real<S>& h, State& z) {
    if (Status s = visit(system, z, h, x_, nullptr); !s) return s;
    const Real<S> inverse_kappa = Real<S>(1) / kappa(h);
    for (int j = 0; j < stages(); ++j)
      for (int i = 0; i < n_; ++i) {
        z.q[i] += slopes_[j][i] * tableau_.b[j];
        z.p[i] += slopes_[j][n_ + i] * Real<S>(tableau_.b[j] * inverse_kappa);
      }
    return {};
  }

 private:
  /// point_ = (Q, P) of stage j; its multipliers.
  const S* stage(const State& z, const Unknown& x, const Real<S>& h, int j) {
    const S* own = x.data() + j * width();
    const Real<S> inverse_kappa = Real<S>(1) / kappa(h);
    for (int i = 0; i < n_; ++i) {
      point_[i] = z.q[i] + own[i];
      point_[n_ + i] = z.p[i] + own[n_ + i] * inverse_kappa;
    }
    return own + 2 * n_;
  }
  /// slopes_[j] = J a of every stage; what is kept goes into its rows of r.
  Status visit(const Sys& system, const State& z, const Real<S>& h, const Unknown& x, S* r) {
    for (int j = 0; j < stages(); ++j) {
      const S* l = stage(z, x, h, j);
      Unknown& a = slopes_[j];
      S* kept = r == nullptr ? unused_.data() : r + j * width() + 2 * n_;
      if (Status s = algebra_.evaluate(system, h, kappa(h), point_, l, a, kept); !s) return s;
      for (int i = 0; i < n_; ++i) {
        const S a_q = a[i];
        a[i] = a[n_ + i], a[n_ + i] = -a_q;
      }
    }
    return {};
  }
  Status residual(const Sys& system, const State& z, const Real<S>& h, const Unknown& x,
                  Unknown& r) {
    if (Status s = visit(system, z, h, x, r.data()); !s) return s;
    for (int i = 0; i < stages(); ++i)
      for (int c = 0; c < 2 * n_; ++c) {
        S sum = x[i * width() + c];
        for (int j = 0; j < stages(); ++j) sum -= slopes_[j][c] * tableau_.a(i, j);
        r[i * width() + c] = sum;
      }
    return {};
  }

  Formulation form_;
  int n_;
  Tableau<Real<S>> tableau_;
  Algebra algebra_;
  int k_;
  Unknown x_, point_;
  std::vector<Unknown> slopes_;
  Unknown unused_;
};

}  // namespace rattleback
