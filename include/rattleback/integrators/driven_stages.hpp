// The stage equations of a Runge-Kutta method on a driven field, solved together:
//
//   Z_i = z + sum_j a_ij J a(Z_j, l_j),   0 = kept(Z_i)
//
// Unknowns of a stage are (Q_i - q, kappa (P_i - p), l_i): l = h lambda with kappa = 1, and
// l = h^2 lambda with kappa = h on the index-3 form. So scaled, the matrix has a limit as h -> 0:
//   [1 - A x J a'   -A x J driving^T;   kept'   0].
#pragma once

#include <algorithm>

#include "rattleback/integrators/dual_driven_field.hpp"
#include "rattleback/solve/implicit.hpp"
#include "rattleback/solve/tableau.hpp"

namespace rattleback {

template <class Sys, class S>
class DrivenStages {
 public:
  using T = Base<S>;
  using State = StateOf<Sys, S>;
  using Unknown = Vector<S, dynamic>;

  DrivenStages(const Sys& system, Formulation form, const Tableau<Real<S>>& tableau,
               const SolveOptions& options)
      : form_(form),
        n_(system.dimension()),
        k_(multiplier_count(form, system.constraint_count())),
        tableau_(tableau),
        x_(Unknown::Zero(stages() * width())),
        point_(2 * n_),
        slopes_(stages(), Unknown(2 * n_)),
        base_point_(2 * n_),
        base_multipliers_(std::max(k_, 1)),
        slope_(2 * n_, 2 * n_),
        driving_(k_, 2 * n_),
        kept_(k_, 2 * n_),
        field_(system, form),
        equations_(stages() * width(), options) {}

  int stages() const { return tableau_.stages(); }
  int width() const { return 2 * n_ + k_; }
  int multipliers() const { return k_; }
  const Tableau<Real<S>>& tableau() const { return tableau_; }
  /// Of the index-3 form momenta are scaled by h.
  Real<S> kappa(const Real<S>& h) const { return form_ == Formulation::index3 ? h : Real<S>(1); }
  /// The unknowns, stage after stage: first guess before, solution after solve().
  Unknown& unknowns() { return x_; }
  const Unknown& unknowns() const { return x_; }

  Status solve(const Sys& system, const State& z, const Real<S>& h) {
    const double p = largest_magnitude(z.p) * magnitude(kappa(h));
    const double size = std::max({largest_magnitude(z.q), p, threshold::least_scale});
    return equations_.solve(
        x_, 2 * epsilon<S> * size,
        [&](OnUnknowns, const Unknown& x, Unknown& r) { return residual(system, z, h, x, r); },
        [&](const Unknown& x, auto& out) { return matrix(system, z, h, x, out); });
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
  /// The point (Q, P) of stage j, and its multipliers.
  template <class At, class R>
  const R* stage(const At& at, const State& z, const Vector<R, dynamic>& x, const Real<S>& h, int j,
                 Vector<R, dynamic>& point) const {
    const R* own = x.data() + j * width();
    const Real<S> inverse_kappa = Real<S>(1) / kappa(h);
    for (int i = 0; i < n_; ++i) {
      point[i] = at(z.q[i]) + own[i];
      point[n_ + i] = at(z.p[i]) + own[n_ + i] * inverse_kappa;
    }
    return own + 2 * n_;
  }
  /// slopes_[j] = J a of every stage; what is kept goes into its rows of r.
  Status visit(const Sys& system, const State& z, const Real<S>& h, const Unknown& x, S* r) {
    for (int j = 0; j < stages(); ++j) {
      const S* l = stage(OnUnknowns{}, z, x, h, j, point_);
      Unknown& a = slopes_[j];
      S* kept = r == nullptr ? unused_.data() : r + j * width() + 2 * n_;
      if (Status s = field_.evaluate(system, h, kappa(h), point_, l, a, kept); !s) return s;
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
  template <class Square>
  bool matrix(const Sys& system, const State& z, const Real<S>& h, const Unknown& x, Square& out) {
    out.setConstant(T(0));
    for (int j = 0; j < stages(); ++j) {
      base_stage(z, x, h, j);
      if (!field_.differentiate(system, h, kappa(h), base_point_, base_multipliers_.data(), slope_,
                                driving_, kept_))
        return false;
      for (int i = 0; i < stages(); ++i) put_block(i, j, h, out);
      put_kept(j, h, out);
    }
    for (int i = 0; i < stages(); ++i)
      for (int c = 0; c < 2 * n_; ++c) out(i * width() + c, i * width() + c) += T(1);
    return true;
  }
  void base_stage(const State& z, const Unknown& x, const Real<S>& h, int j) {
    const S* l = stage(OnUnknowns{}, z, x, h, j, point_);
    for (int i = 0; i < 2 * n_; ++i) base_point_[i] = base(point_[i]);
    for (int k = 0; k < k_; ++k) base_multipliers_[k] = base(l[k]);
  }
  /// -a_ij J (a', driving^T): J a = (a_p, -a_q).
  template <class Square>
  void put_block(int i, int j, const Real<S>& h, Square& out) const {
    const T weight = T(tableau_.a(i, j)), inverse_kappa = T(Real<S>(Real<S>(1) / kappa(h)));
    const int row = i * width(), column = j * width();
    for (int c = 0; c < n_; ++c) {
      for (int l = 0; l < 2 * n_; ++l) {
        const T scaled = l < n_ ? weight : T(weight * inverse_kappa);
        out(row + c, column + l) = -scaled * slope_(n_ + c, l);
        out(row + n_ + c, column + l) = scaled * slope_(c, l);
      }
      for (int k = 0; k < k_; ++k) {
        out(row + c, column + 2 * n_ + k) = -weight * driving_(k, n_ + c);
        out(row + n_ + c, column + 2 * n_ + k) = weight * driving_(k, c);
      }
    }
  }
  template <class Square>
  void put_kept(int j, const Real<S>& h, Square& out) const {
    const T inverse_kappa = T(Real<S>(Real<S>(1) / kappa(h)));
    const int at = j * width();
    for (int k = 0; k < k_; ++k)
      for (int l = 0; l < 2 * n_; ++l)
        out(at + 2 * n_ + k, at + l) = l < n_ ? kept_(k, l) : T(kept_(k, l) * inverse_kappa);
  }

  Formulation form_;
  int n_, k_;
  Tableau<Real<S>> tableau_;
  Unknown x_, point_;
  std::vector<Unknown> slopes_;
  Vector<T, dynamic> base_point_, base_multipliers_;
  Matrix<T, dynamic> slope_, driving_, kept_;
  DrivenFieldFor<Sys, S> field_;
  Implicit<S, dynamic> equations_;
  Unknown unused_ = Unknown(std::max(k_, 1));
};

}  // namespace rattleback
