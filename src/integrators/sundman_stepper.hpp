// The steppers of sundman. Every scalar has a source of its own, so that they compile side by side.
#pragma once

#include "rattleback/integrators/density.hpp"
#include "rattleback/integrators/differenced_stepper.hpp"
#include "rattleback/integrators/sundman_field.hpp"

namespace rattleback {

/// S is double, Dual<double, 4> or Quad.
template <class S>
AnyStepperPointer<S> sundman_stepper(const AnySystem& system, const SundmanOptions& options);
template <>
AnyStepperPointer<double> sundman_stepper(const AnySystem& system, const SundmanOptions& options);

namespace detail {

/// On a system of any kind, in S and, for what is chosen at the start, in double.
template <class Sys, class S>
class EvaluatedSundman {
 public:
  EvaluatedSundman(const Sys& system, const SundmanOptions& options)
      : stepper_(EvaluatedField<Sys, S>(system, options.stages), options, pilot(system, options)) {}
  Status step(const Sys& system, StateOf<Sys, S>& z, const Real<S>& h) {
    return stepper_.step(system, z, h);
  }
  void reset() { stepper_.reset(); }
  Status present(const Sys&, StateOf<Sys, S>&) { return {}; }
  Clock* clock() { return stepper_.clock(); }
  void save(std::vector<double>& to) const { stepper_.save(to); }
  void restore(std::span<const double> saved) { stepper_.restore(saved); }
  std::string structure(const Sys& system) const { return stepper_.structure(system); }

 private:
  static std::shared_ptr<AnyStepper<double>> pilot(const Sys& system,
                                                   const SundmanOptions& options) {
    if constexpr (std::is_same_v<S, double>)
      return nullptr;
    else
      return sundman_stepper<double>(system, options);
  }
  SundmanStepper<EvaluatedField<Sys, S>, S> stepper_;
};

/// By compiled code where there is some.
template <class S>
AnyStepperPointer<S> make_sundman(const AnySystem& system, const SundmanOptions& options) {
  if (auto code = scaled_field(system)) {
    std::shared_ptr<AnyStepper<double>> pilot;
    if constexpr (!std::is_same_v<S, double>) pilot = sundman_stepper<double>(system, options);
    return erase<S>(SundmanStepper<CompiledField<S>, S>(
        CompiledField<S>(std::move(code), options.stages, diagonal_inverse_mass(system)), options,
        std::move(pilot)));
  }
  if constexpr (is_dual<S>)
    return erase<S>(Differenced<EvaluatedSundman, AnySystem, S>(system, options));
  else
    return erase<S>(EvaluatedSundman<AnySystem, S>(system, options));
}

/// The same field, for density.
template <class S, class Field>
ForceRate<S> force_rate_of(Field made) {
  struct Held {
    Field field;
    ForceScale<S> scale;
  };
  const int n = made.dimension();
  const auto held = std::make_shared<Held>(Held{std::move(made), ForceScale<S>(n)});
  ForceRate<S> all;
  all.rate = [held](const AnySystem& system, const State<S>& z, double floor, const S& eps) {
    return held->scale.rate(held->field, system, z.q, z.p, floor, eps);
  };
  if constexpr (std::is_same_v<S, double>)
    all.choose = [held](const AnySystem& system, const State<double>& z, double h) {
      // rho does not follow sharp peaks of 1/sigma: with a quarter, on the quartic at h = 1/16, it
      // fell to a fifth of what it should be within 80 steps.
      constexpr double part = 0.5;
      return choose_force_scale(held->field, system, z, h, part);
    };
  return all;
}
template <class S>
ForceRate<S> make_force_rate(const AnySystem& system) {
  constexpr int points = 2;
  if (auto code = scaled_field(system))
    return force_rate_of<S>(CompiledField<S>(std::move(code), points));
  return force_rate_of<S>(EvaluatedField<AnySystem, S>(system, points));
}

}  // namespace detail

}  // namespace rattleback
