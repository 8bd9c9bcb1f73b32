#include "rattleback/integrators/sundman.hpp"

#include "../common_options.hpp"
#include "rattleback/problem/error.hpp"

namespace rattleback {

// sundman_stepper.hpp
template <class S>
AnyStepperPointer<S> sundman_stepper(const AnySystem& system, const SundmanOptions& options);
template <>
AnyStepperPointer<double> sundman_stepper(const AnySystem&, const SundmanOptions&);
template <>
AnyStepperPointer<Dual<double, 4>> sundman_stepper(const AnySystem&, const SundmanOptions&);
template <>
AnyStepperPointer<Quad> sundman_stepper(const AnySystem&, const SundmanOptions&);

namespace {

/// Of G. A chain of 100 links has 20 000, and takes 0.9 s to compile.
constexpr long most_entries = 40'000;

struct MakeSundman {
  template <class S>
  AnyStepperPointer<S> operator()(const Values& values, const AnySystem& system,
                                  const SolveOptions& solve) const {
    const SundmanOptions options{.stages = static_cast<int>(values.whole("stages")),
                                 .accuracy = values.number("accuracy"),
                                 .tolerance = solve.tolerance};
    if (!sundman_info(options.stages).applies(system.traits()))
      throw ModelError("sundman: " + system.name() +
                       " is not a natural system with constraints on positions");
    if (const long entries = long{system.constraint_count()} * system.dimension();
        entries > most_entries)
      throw ModelError("sundman: full matrices for the " +
                       std::to_string(system.constraint_count()) + " constraints of " +
                       system.name() + " on " + std::to_string(system.dimension()) +
                       " coordinates; it is a method for few");
    if constexpr (std::is_same_v<S, Pack>) {
      throw ModelError("sundman: every copy of " + system.name() +
                       " varies its steps, and those in a pack have the same ones");
    } else {
      return sundman_stepper<S>(system, options);
    }
  }
};

}  // namespace

Family sundman_family(FamilyScalars) {
  return {.name = "sundman",
          .text = "Gauss stages in fictive time: reversible steps that vary with the force",
          .options = {{.name = "stages",
                       .text = "of the Gauss method, solved for all at once",
                       .standard = long{most_stages},
                       .samples = {2L, 3L},
                       .least = 1,
                       .most = most_stages},
                      {.name = "accuracy",
                       .text = "wanted error at the end, by which the step is chosen; 0: as given",
                       .standard = 0.0,
                       .samples = {},
                       .least = 0,
                       .most = 1}},
          .claims = [](const Values& v) -> Claims {
            return sundman_info(static_cast<int>(v.whole("stages")));
          },
          .make = steppers(MakeSundman{})};
}

}  // namespace rattleback
