// The average vector field with constraints: H, g and rho = {g,H} are kept to round-off, the form
// is not. With phi = (g, rho),
//
//   z1 = z + J (h avg H_z + avg phi_z^T l),   0 = phi(z1),
//   avg f = integral_0^1 f(z + s (z1 - z)) ds
//
// avg f_z . (z1 - z) is f(z1) - f(z), and so with F = h H + l.phi, as J is skew,
//
//   h (H(z1) - H(z)) = avg F_z . J avg F_z - l . (phi(z1) - phi(z)) = 0.
//
// With g alone this is the method of [Gonzalez99], the average as in [Quispel08]. The averages are
// Gauss-Legendre sums: with s nodes they are those of polynomials of degree 2s - 1, and H is off by
// h^(2s) in a unit of time where it is none.
#pragma once

#include <algorithm>
#include <string>
#include <utility>

#include "rattleback/integrators/gauss.hpp"

namespace rattleback {

inline MethodInfo avf_info() {
  return {.name = "avf",
          .order = 2,
          .symmetric = true,
          .preserves_primary = true,
          .preserves_hidden = true,
          .nearly_keeps_energy = true,
          .cite = "[Quispel08], [Gonzalez99]"};
}

/// One stage for GaussStepper: the end of the step. Unknowns are (z1 - z, 2 l): then their matrix
/// is up to h^2 that of a midpoint step, but with phi_z of the end.
template <class Sys, class S, class Algebra = FullDriven<Sys, S>>
class AveragedStages {
 public:
  using State = StateOf<Sys, S>;
  using Unknown = Vector<S, dynamic>;

  AveragedStages(const Sys& system, Formulation form, const Tableau<Real<S>>& nodes,
                 const SolveOptions& options)
      : n_(system.dimension()),
        nodes_(nodes),
        end_(theta_tableau(Real<S>(1))),
        algebra_(system, form, gauss_tableau<Real<S>>(1), options),
        k_(algebra_.multipliers()),
        x_(Unknown::Zero(width())),
        r_(width()),
        point_(2 * n_),
        slope_(2 * n_),
        l_(std::max(k_, 1)),
        unused_(std::max(k_, 1)) {}

  void forget() { algebra_.forget(); }
  int stages() const { return 1; }
  int width() const { return 2 * n_ + k_; }
  const Tableau<Real<S>>& tableau() const { return end_; }
  std::string structure() const { return algebra_.structure(); }
  Real<S> kappa(const Real<S>&) const { return Real<S>(1); }
  Real<S> impulse(const Real<S>& h) const { return h; }
  Unknown& unknowns() { return x_; }
  const Unknown& unknowns() const { return x_; }

  Status solve(const Sys& system, const State& z, const Real<S>& h) {
    const double size =
        std::max({largest_magnitude(z.q), largest_magnitude(z.p), threshold::least_scale});
    return algebra_.solve(
        system, h, kappa(h), x_, 2 * epsilon<S> * size,
        [&](const Unknown& x, Unknown& r) { return residual(system, z, h, x, r); },
        [&](const Unknown& x, int) { return visit(z, x, Real<S>(0.5)); },
        [&](const Unknown& x, int) { return visit(z, x, Real<S>(1)); });
  }
  /// z <- z1, momenta by the averages: of what the iteration left elsewhere they have h times.
  Status advance(const Sys& system, const Real<S>& h, State& z) {
    if (Status s = residual(system, z, h, x_, r_); !s) return s;
    for (int i = 0; i < n_; ++i) {
      z.q[i] += x_[i];
      z.p[i] += x_[n_ + i] - r_[n_ + i];
    }
    return {};
  }

 private:
  /// z + c (z1 - z), and the multipliers.
  std::pair<const Unknown&, const S*> visit(const State& z, const Unknown& x, const Real<S>& c) {
    for (int i = 0; i < n_; ++i) {
      point_[i] = z.q[i] + x[i] * c;
      point_[n_ + i] = z.p[i] + x[n_ + i] * c;
    }
    for (int k = 0; k < k_; ++k) l_[k] = x[2 * n_ + k] * Real<S>(0.5);
    return {point_, l_.data()};
  }
  /// r = z1 - z - J (h avg H_z + avg phi_z^T l), phi(z1); the slopes are h H_z + phi_z^T l.
  Status residual(const Sys& system, const State& z, const Real<S>& h, const Unknown& x,
                  Unknown& r) {
    copy(x, r);
    for (int j = 0; j < nodes_.stages(); ++j) {
      visit(z, x, nodes_.c[j]);
      const Status s =
          algebra_.evaluate(system, h, kappa(h), point_, l_.data(), slope_, unused_.data());
      if (!s) return s;
      for (int i = 0; i < n_; ++i) {
        r[i] -= slope_[n_ + i] * nodes_.b[j];
        r[n_ + i] += slope_[i] * nodes_.b[j];
      }
    }
    visit(z, x, Real<S>(1));
    return algebra_.evaluate(system, h, kappa(h), point_, l_.data(), slope_, r.data() + 2 * n_);
  }

  int n_;
  Tableau<Real<S>> nodes_, end_;
  Algebra algebra_;
  int k_;
  Unknown x_, r_, point_, slope_, l_, unused_;
};

inline GaussChoice avf_choice(int nodes) { return {.stages = nodes, .form = Formulation::index2}; }

/// The method at the top of this file.
struct Avf {
  int nodes = 4;
  SolveOptions solve{};
  MethodInfo info() const { return avf_info(); }
  template <class S, class Sys>
  auto stepper(const Sys& system) const {
    return GaussStepper<Sys, S, AveragedStages<Sys, S>>(system, avf_choice(nodes), solve);
  }
};

}  // namespace rattleback
