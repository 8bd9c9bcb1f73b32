// Driven fields on duals of double.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <type_traits>

#include "rattleback/integrators/driven_field.hpp"
#include "rattleback/problem/quad.hpp"

namespace rattleback {

/// The field on duals of double, which it takes for itself: the value in double, each partial
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
    for (auto& side : sides_)
      side = {Fine(n_), Fine(n_), Fine(std::max(k_, 1)), Fine(std::max(k_, 1))};
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
      if (Status s =
              fine_.evaluate(system, Quad(h), Quad(kappa), w.x, w.l.data(), w.a, w.kept.data());
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
using DrivenFieldFor = std::conditional_t<is_dual<S>, DualDrivenField<Sys, S>, DrivenField<Sys, S>>;

}  // namespace rattleback
