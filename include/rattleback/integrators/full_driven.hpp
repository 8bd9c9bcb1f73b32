// The stages of a driven field with full matrices, for systems of any kind; see driven_stages.hpp.
#pragma once

#include <algorithm>
#include <string>
#include <type_traits>

#include "rattleback/integrators/dual_driven_field.hpp"
#include "rattleback/solve/implicit.hpp"
#include "rattleback/solve/structure.hpp"
#include "rattleback/solve/tableau.hpp"

namespace rattleback {

template <class Sys, class S>
class FullDriven {
 public:
  using T = Base<S>;
  using Unknown = Vector<S, dynamic>;

  FullDriven(const Sys& system, Formulation form, const Tableau<Real<S>>& tableau,
             const SolveOptions& options)
      : n_(system.dimension()),
        k_(multiplier_count(form, system.constraint_count())),
        tableau_(tableau),
        base_point_(2 * n_),
        base_multipliers_(std::max(k_, 1)),
        slope_(2 * n_, 2 * n_),
        driving_(k_, 2 * n_),
        kept_(k_, 2 * n_),
        field_(system, form),
        equations_(tableau.stages() * width(), options) {}

  /// Nothing is kept from step to step.
  void forget() {}
  int multipliers() const { return k_; }
  std::string structure() const { return in_words(SolverKind::dense, tableau_.stages() * width()); }
  /// See DrivenField.
  Status evaluate(const Sys& system, const Real<S>& h, const Real<S>& kappa, const Unknown& x,
                  const S* l, Unknown& a, S* kept) {
    return field_.evaluate(system, h, kappa, x, l, a, kept);
  }
  /// residual(x, r); point(x, j) is that of stage j, with a pointer to its multipliers; end(x, j),
  /// where there is one, that at which its constraints are kept.
  template <class Residual, class Point, class End = AtStages>
  Status solve(const Sys& system, const Real<S>& h, const Real<S>& kappa, Unknown& x, double floor,
               Residual&& residual, Point&& point, End end = {}) {
    return equations_.solve(
        x, floor, [&](OnUnknowns, const Unknown& at, Unknown& r) { return residual(at, r); },
        [&](const Unknown& at, auto& out) {
          return matrix(system, h, kappa, at, point, end, out);
        });
  }

 private:
  int width() const { return 2 * n_ + k_; }

  template <class Point, class End, class Square>
  bool matrix(const Sys& system, const Real<S>& h, const Real<S>& kappa, const Unknown& x,
              Point&& point, End&& end, Square& out) {
    const T inverse_kappa = T(Real<S>(Real<S>(1) / kappa));
    const int s = tableau_.stages();
    out.setConstant(T(0));
    for (int j = 0; j < s; ++j) {
      if (!differentiate(system, h, kappa, point(x, j))) return false;
      for (int i = 0; i < s; ++i) put_block(i, j, inverse_kappa, out);
      if constexpr (!std::is_same_v<std::decay_t<End>, AtStages>)
        if (!differentiate(system, h, kappa, end(x, j))) return false;
      put_kept(j, inverse_kappa, out);
    }
    for (int i = 0; i < s; ++i)
      for (int c = 0; c < 2 * n_; ++c) out(i * width() + c, i * width() + c) += T(1);
    return true;
  }
  template <class Place>
  Status differentiate(const Sys& system, const Real<S>& h, const Real<S>& kappa,
                       const Place& place) {
    const auto& [at, l] = place;
    for (int i = 0; i < 2 * n_; ++i) base_point_[i] = base(at[i]);
    for (int k = 0; k < k_; ++k) base_multipliers_[k] = base(l[k]);
    return field_.differentiate(system, h, kappa, base_point_, base_multipliers_.data(), slope_,
                                driving_, kept_);
  }
  /// -a_ij J (a', driving^T): J a = (a_p, -a_q).
  template <class Square>
  void put_block(int i, int j, const T& inverse_kappa, Square& out) const {
    const T weight = T(tableau_.a(i, j));
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
  void put_kept(int j, const T& inverse_kappa, Square& out) const {
    const int at = j * width();
    for (int k = 0; k < k_; ++k)
      for (int l = 0; l < 2 * n_; ++l)
        out(at + 2 * n_ + k, at + l) = l < n_ ? kept_(k, l) : T(kept_(k, l) * inverse_kappa);
  }

  int n_, k_;
  Tableau<Real<S>> tableau_;
  Vector<T, dynamic> base_point_, base_multipliers_;
  Matrix<T, dynamic> slope_, driving_, kept_;
  DrivenFieldFor<Sys, S> field_;
  Implicit<S, dynamic> equations_;
};

}  // namespace rattleback
