// A family of methods: its options, what it claims for each choice of them, and its steppers. The
// registry lists the families; the laws, the command line and the docs are made from that list.
#pragma once

#include <functional>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "rattleback/integrators/any_stepper.hpp"
#include "rattleback/integrators/method_info.hpp"
#include "rattleback/integrators/option.hpp"
#include "rattleback/problem/pack.hpp"
#include "rattleback/solve/newton.hpp"

namespace rattleback {

/// Why a combination of values is not offered.
struct Refusal {
  std::string reason;
};
using Claims = std::variant<MethodInfo, Refusal>;

template <class... S>
struct Scalars {};

/// Steppers in the four scalars of run-time systems: double, Dual<double, 4> (exact Jacobian of the
/// step), Quad, and Pack (see packed_system()).
class Factories {
 public:
  using All = Scalars<double, Dual<double, 4>, Quad, Pack>;
  template <class S>
  using Factory =
      std::function<AnyStepperPointer<S>(const Values&, const AnySystem&, const SolveOptions&)>;

  /// Make has an operator()(values, system, solve), a template over the scalar S, that returns an
  /// AnyStepperPointer for S. It may throw ModelError where a system does not fit.
  template <class Make, class... S>
  Factories(const Make& make, Scalars<S...>) {
    ((std::get<Factory<S>>(all_) = of<S>(make)), ...);
  }
  template <class Make>
  Factories(const Make& make) : Factories(make, All{}) {}

  template <class S>
  bool has() const {
    return static_cast<bool>(std::get<Factory<S>>(all_));
  }
  template <class S>
  AnyStepperPointer<S> stepper(const Values& values, const AnySystem& system,
                               const SolveOptions& solve) const {
    return std::get<Factory<S>>(all_)(values, system, solve);
  }

 private:
  template <class S, class Make>
  static Factory<S> of(const Make& make) {
    return [make](const Values& values, const AnySystem& system, const SolveOptions& solve) {
      return make.template operator()<S>(values, system, solve);
    };
  }

  std::tuple<Factory<double>, Factory<Dual<double, 4>>, Factory<Quad>, Factory<Pack>> all_;
};

struct Family {
  std::string name;
  std::string text;  ///< one line
  std::vector<Option> options;
  /// Of a value for every option; without the name, which follows from the values.
  std::function<Claims(const Values&)> claims;
  Factories make;
  /// Values that the laws run together, besides each sample of each option alone.
  std::vector<Values> together{};

  const Option* find(const std::string& option) const;
  /// The standard values, and these instead of some.
  Values values(const Values& chosen = {}) const;
  /// "rattle:base=midpoint"
  std::string name_of(const Values& all) const;
};

/// The steppers of a registered family in Dual<double, 4> and Quad, which the library
/// rattleback_testing has: nothing runs in them but laws and references.
const Factories& exact_factories(const Family& family);

/// A family with a value for every option.
class Method {
 public:
  /// Throws InputError where the family refuses the values. The family must outlive the method.
  Method(const Family& family, Values values);

  const Family& family() const { return *family_; }
  const Values& values() const { return values_; }
  const MethodInfo& info() const { return info_; }
  /// The same method with another value of one option.
  Method with(const std::string& option, OptionValue value) const;

  /// S is one of the four scalars of Factories.
  template <class S>
  AnyStepperPointer<S> stepper(const AnySystem& system, const SolveOptions& solve = {}) const {
    if constexpr (!std::is_same_v<S, double> && !std::is_same_v<S, Pack>)
      if (!family_->make.has<S>())
        return exact_factories(*family_).stepper<S>(values_, system, solve);
    return family_->make.stepper<S>(values_, system, solve);
  }
  /// Of families as they are registered.
  friend bool operator==(const Method& a, const Method& b) {
    return a.family_ == b.family_ && a.values_ == b.values_;
  }

 private:
  const Family* family_;
  Values values_;
  MethodInfo info_;
};

/// What the family claims for these values, named; or why it refuses them.
Claims claims_of(const Family& family, const Values& values);

}  // namespace rattleback
