// A method bound to a system whose types are known at run time only, and the registry's entry.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "rattleback/integrators/advance.hpp"
#include "rattleback/integrators/method_info.hpp"
#include "rattleback/problem/any_system.hpp"
#include "rattleback/problem/pack.hpp"
#include "rattleback/solve/newton.hpp"

namespace rattleback {

template <class S>
class AnyStepper {
 public:
  virtual ~AnyStepper() = default;
  virtual Status step(const AnySystem& system, State<S>& z, const Real<S>& h) = 0;
  virtual Advance advance(const AnySystem& system, State<S>& z, const Real<S>& h, long count) = 0;
  /// Forget the last step: the state was changed from outside.
  virtual void reset() = 0;
  /// The next step is this substep of a composition: its first guess comes from its like.
  virtual void select(std::size_t) {}
  /// Makes a copy of the state fit to be looked at.
  virtual Status present(const AnySystem& system, State<S>& z) = 0;
  /// Position multipliers of the last step (p+ = p - G^T lambda); empty where there are none.
  virtual Vector<S, dynamic> lambda() const { return {}; }
  /// Done since the last call, in so many steps and looks (present()).
  virtual Projections projections(long, long) { return {}; }
};

template <class S>
using AnyStepperPointer = std::unique_ptr<AnyStepper<S>>;

namespace detail {

template <class Stepper, class S>
class ErasedStepper final : public AnyStepper<S> {
 public:
  explicit ErasedStepper(Stepper stepper) : stepper_(std::move(stepper)) {}
  Status step(const AnySystem& system, State<S>& z, const Real<S>& h) override {
    return stepper_.step(system, z, h);
  }
  Advance advance(const AnySystem& system, State<S>& z, const Real<S>& h, long count) override {
    return rattleback::advance(stepper_, system, z, h, count);
  }
  void reset() override { stepper_.reset(); }
  void select(std::size_t substep) override {
    if constexpr (requires { stepper_.select(substep); }) stepper_.select(substep);
  }
  Status present(const AnySystem& system, State<S>& z) override {
    return stepper_.present(system, z);
  }
  Vector<S, dynamic> lambda() const override {
    if constexpr (requires { stepper_.lambda(); })
      return stepper_.lambda();
    else
      return {};
  }
  Projections projections(long steps, long looks) override {
    if constexpr (requires { stepper_.projections(steps, looks); })
      return stepper_.projections(steps, looks);
    else
      return {};
  }

 private:
  Stepper stepper_;
};

}  // namespace detail

template <class S, class Stepper>
AnyStepperPointer<S> erase(Stepper stepper) {
  return std::make_unique<detail::ErasedStepper<Stepper, S>>(std::move(stepper));
}

/// One method with its options fixed: an entry of the registry.
class Method {
 public:
  using Options = std::map<std::string, std::string>;

  /// Make is a function object with a template operator()<S>(system, solve_options) that returns an
  /// AnyStepperPointer<S>.
  template <class Make>
  Method(std::string family, Options options, MethodInfo info, Make make)
      : family_(std::move(family)),
        options_(std::move(options)),
        info_(std::move(info)),
        make_double_([make](const AnySystem& s, const SolveOptions& o) {
          return make.template operator()<double>(s, o);
        }),
        make_dual_([make](const AnySystem& s, const SolveOptions& o) {
          return make.template operator()<Dual<double, 4>>(s, o);
        }),
        make_quad_([make](const AnySystem& s, const SolveOptions& o) {
          return make.template operator()<Quad>(s, o);
        }),
        make_pack_([make](const AnySystem& s, const SolveOptions& o) {
          return make.template operator()<Pack>(s, o);
        }) {}

  const std::string& family() const { return family_; }
  const Options& options() const { return options_; }
  const MethodInfo& info() const { return info_; }

  /// S is double, Dual<double, 4> (exact Jacobian of the step), Quad, or Pack (see
  /// packed_system()).
  template <class S>
  AnyStepperPointer<S> stepper(const AnySystem& system, const SolveOptions& options = {}) const {
    if constexpr (std::is_same_v<S, double>)
      return make_double_(system, options);
    else if constexpr (std::is_same_v<S, Quad>)
      return make_quad_(system, options);
    else if constexpr (std::is_same_v<S, Pack>)
      return make_pack_(system, options);
    else
      return make_dual_(system, options);
  }

 private:
  template <class S>
  using Factory = std::function<AnyStepperPointer<S>(const AnySystem&, const SolveOptions&)>;

  std::string family_;
  Options options_;
  MethodInfo info_;
  Factory<double> make_double_;
  Factory<Dual<double, 4>> make_dual_;
  Factory<Quad> make_quad_;
  Factory<Pack> make_pack_;
};

}  // namespace rattleback
