// SHAKE and RATTLE on a natural system that is known by its type, for those who know it as an
// AnySystem only: a chain in disguise keeps its kernel.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "rattleback/integrators/any_stepper.hpp"
#include "rattleback/integrators/multistep.hpp"
#include "rattleback/integrators/shake_rattle.hpp"

namespace rattleback {

/// What SystemModel::natural_steps() gives out.
template <class S>
class NaturalSteps {
 public:
  virtual ~NaturalSteps() = default;
  /// Null where the base map neither kicks nor has stages.
  virtual AnyStepperPointer<S> stepper(const BaseMapChoice& base, Projection project,
                                       const SolveOptions& options) const = 0;
  virtual AnyStepperPointer<S> multistep(int order, const SolveOptions& options) const = 0;
};

namespace detail {

/// A stepper on a system of its own, whatever AnySystem it is called with.
template <class S, class Sys, class Stepper>
class BoundStepper final : public HeldStepper<Stepper, S> {
 public:
  template <class Map>
  BoundStepper(std::shared_ptr<const Sys> system, const Map& map, Projection project,
               const SolveOptions& options)
      : HeldStepper<Stepper, S>(Stepper(*system, map, project, options)),
        system_(std::move(system)) {}

  BoundStepper(std::shared_ptr<const Sys> system, Stepper stepper)
      : HeldStepper<Stepper, S>(std::move(stepper)), system_(std::move(system)) {}

  Status step(const AnySystem&, State<S>& z, const Real<S>& h) override {
    return with_static_size(z, [&](auto& point) { return stepper_.step(*system_, point, h); });
  }
  Advance advance(const AnySystem&, State<S>& z, const Real<S>& h, long count) override {
    return with_static_size(
        z, [&](auto& point) { return rattleback::advance(stepper_, *system_, point, h, count); });
  }
  Status present(const AnySystem&, State<S>& z) override {
    return with_static_size(z, [&](auto& point) { return stepper_.present(*system_, point); });
  }
  std::string structure(const AnySystem&) const override { return stepper_.structure(*system_); }

 private:
  static constexpr int N = Sys::dimension_at_compile_time;

  /// f on a copy of static size, where there is one.
  template <class F>
  static auto with_static_size(State<S>& z, F&& f) {
    if constexpr (N == dynamic) {
      return f(z);
    } else {
      State<S, N> small;
      for (int i = 0; i < N; ++i) small.q[i] = z.q[i], small.p[i] = z.p[i];
      const auto result = f(small);
      for (int i = 0; i < N; ++i) z.q[i] = small.q[i], z.p[i] = small.p[i];
      return result;
    }
  }

  using HeldStepper<Stepper, S>::stepper_;
  std::shared_ptr<const Sys> system_;
};

template <class S, class Sys>
AnyStepperPointer<S> bound_stepper(std::shared_ptr<const Sys> system, const BaseMapChoice& base,
                                   Projection project, const SolveOptions& options) {
  if (const auto kick = kicks(base.map))
    return std::make_unique<BoundStepper<S, Sys, NaturalStepper<Sys, S>>>(std::move(system), *kick,
                                                                          project, options);
  if (has_stages(base.map))
    return std::make_unique<BoundStepper<S, Sys, StagedStepper<Sys, S>>>(std::move(system), base,
                                                                         project, options);
  return nullptr;
}
template <class S, class Sys>
AnyStepperPointer<S> bound_multistep(std::shared_ptr<const Sys> system, int order,
                                     const SolveOptions& options) {
  return std::make_unique<BoundStepper<S, Sys, MultistepStepper<Sys, S>>>(
      std::move(system), order, Projection::output, options);
}

}  // namespace detail

/// Of a system that brings its own kernel.
template <class Sys, class S>
class TypedNaturalSteps final : public NaturalSteps<S> {
 public:
  explicit TypedNaturalSteps(std::shared_ptr<const Sys> system) : system_(std::move(system)) {}

  AnyStepperPointer<S> stepper(const BaseMapChoice& base, Projection project,
                               const SolveOptions& options) const override {
    return detail::bound_stepper<S>(system_, base, project, options);
  }
  AnyStepperPointer<S> multistep(int order, const SolveOptions& options) const override {
    return detail::bound_multistep<S>(system_, order, options);
  }

 private:
  std::shared_ptr<const Sys> system_;
};

}  // namespace rattleback
