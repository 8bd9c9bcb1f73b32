// Ordinary methods for ordinary differential equations on the underlying equations of a constrained
// system (underlying_field.hpp), and projections onto its manifold where residuals have grown:
//
//   position   the nearest point of g = 0 in the metric of H_pp, momenta as they are
//   momentum   p <- p - G^T mu with {g,H} = 0, along the fibre; positions as they are. By Newton
//              mu <- mu + (G H_pp G^T)^-1 {g,H}(q, p - G^T mu)  [Seiler (36), with its sign
//              corrected]; it changes the energy by -{g,H}^T (G H_pp G^T)^-1 {g,H}/2 only  [Seiler
//              7]
//
// after every step, or after those that leave the largest |g_i|, or |{g_i,H}|, above a threshold.
//
// The state of `impetus` is (q, p*), and is shown as (q, p). Its momentum projection is the gauge
// transformation p* <- p, which no observable sees; the normal part of p* that it removes is what
// {g,H}(q, p*) measures. Off the threshold or on request: reset_gauge().
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "rattleback/geometry/hidden_constraint.hpp"
#include "rattleback/integrators/differenced_stepper.hpp"
#include "rattleback/integrators/explicit_runge_kutta.hpp"
#include "rattleback/integrators/gauss_on_field.hpp"
#include "rattleback/integrators/method_info.hpp"
#include "rattleback/integrators/position_projection.hpp"
#include "rattleback/integrators/underlying_field.hpp"
#include "rattleback/solve/structure.hpp"

namespace rattleback {

enum class OdeMethod { rk4, dopri5, dop853, midpoint, gauss2, gauss3 };

struct OdeMethodInfo {
  OdeMethod method;
  std::string_view name;
  int order;
  int gauss_stages;  ///< 0: explicit
};
inline constexpr std::array<OdeMethodInfo, 6> ode_methods{{{OdeMethod::rk4, "rk4", 4, 0},
                                                           {OdeMethod::dopri5, "dopri5", 5, 0},
                                                           {OdeMethod::dop853, "dop853", 8, 0},
                                                           {OdeMethod::midpoint, "midpoint", 2, 1},
                                                           {OdeMethod::gauss2, "gauss2", 4, 2},
                                                           {OdeMethod::gauss3, "gauss3", 6, 3}}};

constexpr const OdeMethodInfo& info(OdeMethod method) {
  return ode_methods[static_cast<std::size_t>(method)];
}

struct UnderlyingOptions {
  UnderlyingFormulation formulation = UnderlyingFormulation::dirac;
  OdeMethod ode = OdeMethod::rk4;
  bool position = false, momentum = false;  ///< what is projected
  double threshold = 0;                     ///< of the residuals; 0: in every step
  double tolerance = 0;  ///< of dopri5 and dop853: substeps by their estimated error; 0: none
};

MethodInfo underlying_info(const UnderlyingOptions& options);

template <class R>
ExplicitTableau<R> explicit_tableau(OdeMethod method) {
  return method == OdeMethod::rk4      ? rk4_tableau<R>()
         : method == OdeMethod::dopri5 ? dopri5_tableau<R>()
                                       : dop853_tableau<R>();
}

/// A step that fails leaves the state as it was.
template <class Sys, class S>
class UnderlyingStepper {
 public:
  static constexpr int N = Sys::dimension_at_compile_time;
  static constexpr int M = Sys::constraints_at_compile_time;
  using State = StateOf<Sys, S>;

  UnderlyingStepper(const Sys& system, const UnderlyingOptions& options, SolveOptions solve = {})
      : options_(options),
        m_(system.constraint_count()),
        field_(system, options.formulation, solve),
        work_{Vector<S, N>(system.dimension()), Vector<S, N>(system.dimension())},
        projected_(work_),
        residual_(m_),
        hidden_(system),
        momenta_(system, solve) {
    const int n = system.dimension(), stages = info(options.ode).gauss_stages;
    if (stages > 0)
      gauss_.emplace(stages, n, solve);
    else
      explicit_.emplace(explicit_tableau<Real<S>>(options.ode), n);
    if (options.position) positions_.emplace(system, solve);
  }

  void reset() {}
  Status present(const Sys& system, State& z) {
    return options_.formulation == UnderlyingFormulation::impetus ? physical(system, z) : Status{};
  }
  /// p* <- p, and no observable changes. Counted as a projection of momenta.
  Status reset_gauge(const Sys& system, State& z) {
    ++count_.momentum;
    return physical(system, z);
  }
  Projections projections(long, long) { return std::exchange(count_, {}); }
  static std::string structure(const Sys& system) {
    return "by elimination, " + in_words(SolverKind::dense, system.constraint_count());
  }

  Status step(const Sys& system, State& z, const Real<S>& h) {
    assign(z, work_);
    Status status = gauss_ ? gauss_->step(field_, system, work_, h)
                    : options_.tolerance > 0
                        ? explicit_->advance(field_, system, work_, h, options_.tolerance)
                        : explicit_->step(field_, system, work_, h);
    if (!status) return status;
    const Projections before = count_;
    if (m_ > 0)
      if (Status s = project(system, status); !s) {
        count_ = before;
        return s;
      }
    assign(work_, z);
    return status;
  }

 private:
  static void assign(const State& from, State& to) { copy(from.q, to.q), copy(from.p, to.p); }

  /// p of a p* whose normal part may be large: the second time without its round-off.
  Status physical(const Sys& system, State& z) {
    if (Status s = momenta_.project_from_afar(system, z); !s) return s;
    return momenta_.project(system, z);
  }
  Status project(const Sys& system, Status& step) {
    if (options_.position) {
      system.constraint(work_.q, work_.p, residual_);
      if (Status s = project_beyond(system, *positions_, count_.position, step); !s) return s;
    }
    if (options_.momentum) {
      hidden_.evaluate(system, work_.q, work_.p, residual_);
      if (Status s = project_beyond(system, momenta_, count_.momentum, step); !s) return s;
    }
    return {};
  }
  /// Lanes of a pack are projected where their own residual is beyond the threshold.
  template <class Projection>
  Status project_beyond(const Sys& system, Projection& projection, long& count, Status& step) {
    using L = detail::Lanes<S>;
    S most(0);
    for (int k = 0; k < m_; ++k) most = L::greater(L::absolute(residual_[k]), most);
    const auto beyond = most > S(options_.threshold);
    const bool every = options_.threshold == 0;
    if constexpr (L::packed) {
      if (!every && !any_of(beyond)) return {};
    } else {
      if (!every && !beyond) return {};
    }
    assign(work_, projected_);
    Status status;
    if constexpr (std::is_same_v<Projection, MomentumProjection<Sys, S>>)
      status = physical(system, projected_);
    else
      status = projection.project(system, projected_);
    if (!status) return status;
    step.iterations += status.iterations;
    ++count;
    if constexpr (L::packed) {
      for (Eigen::Index i = 0; !every && i < work_.q.size(); ++i) {
        where(!beyond, projected_.q[i]) = work_.q[i];
        where(!beyond, projected_.p[i]) = work_.p[i];
      }
    }
    assign(projected_, work_);
    return {};
  }

  UnderlyingOptions options_;
  int m_;
  UnderlyingField<Sys, S> field_;
  std::optional<ExplicitRungeKutta<Sys, S>> explicit_;
  std::optional<GaussOnField<Sys, S>> gauss_;
  State work_, projected_;
  Vector<S, M> residual_;
  HiddenConstraint<Sys, S> hidden_;
  std::optional<PositionProjection<Sys, S>> positions_;
  MomentumProjection<Sys, S> momenta_;
  Projections count_;
};

/// On duals: the field takes second derivatives already, so that its own come from differences.
template <template <class, class> class Stepper, class Sys, class S>
class UnderlyingOnDuals : public Differenced<Stepper, Sys, S> {
 public:
  UnderlyingOnDuals(const Sys& system, const UnderlyingOptions& options, SolveOptions solve = {})
      : Differenced<Stepper, Sys, S>(system, options, solve),
        shows_momenta_(options.formulation == UnderlyingFormulation::impetus),
        momenta_(system, solve) {}
  Status present(const Sys& system, StateOf<Sys, S>& z) {
    if (!shows_momenta_) return {};
    if (Status s = momenta_.project_from_afar(system, z); !s) return s;
    return momenta_.project(system, z);
  }

 private:
  bool shows_momenta_;
  MomentumProjection<Sys, S> momenta_;
};

/// As a method, for any system with constraints on positions.
struct Underlying {
  UnderlyingOptions options{};
  SolveOptions solve{};
  MethodInfo info() const { return underlying_info(options); }
  template <class S, class Sys>
  auto stepper(const Sys& system) const {
    if constexpr (is_dual<S>)
      return UnderlyingOnDuals<UnderlyingStepper, Sys, S>(system, options, solve);
    else
      return UnderlyingStepper<Sys, S>(system, options, solve);
  }
};

}  // namespace rattleback
