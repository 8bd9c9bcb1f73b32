#include "rattleback/integrators/sundman_field.hpp"

#include "common_options.hpp"
#include "rattleback/integrators/differenced_stepper.hpp"
#include "rattleback/problem/error.hpp"

namespace rattleback {

namespace {

/// On a system of any kind, in S and, for what is chosen at the start, in double.
template <class Sys, class S>
class EvaluatedSundman {
 public:
  EvaluatedSundman(const Sys& system, int stages, double accuracy)
      : stepper_(EvaluatedField<Sys, S>(system, stages), stages, accuracy,
                 pilot(system, stages, accuracy)) {}
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
  static std::shared_ptr<AnyStepper<double>> pilot(const Sys& system, int stages, double accuracy) {
    if constexpr (std::is_same_v<S, double>)
      return nullptr;
    else
      return erase<double>(EvaluatedSundman<Sys, double>(system, stages, accuracy));
  }
  SundmanStepper<EvaluatedField<Sys, S>, S> stepper_;
};

/// Of G. A chain of 100 links has 20 000, and takes 0.9 s to compile.
constexpr long most_entries = 40'000;

struct MakeSundman {
  template <class S>
  AnyStepperPointer<S> operator()(const Values& values, const AnySystem& system,
                                  const SolveOptions& solve) const {
    const int stages = static_cast<int>(values.whole("stages"));
    const double accuracy = values.number("accuracy");
    if (!sundman_info(stages).applies(system.traits()))
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
    } else if (auto code = scaled_field(system)) {
      std::shared_ptr<AnyStepper<double>> pilot;
      if constexpr (!std::is_same_v<S, double>)
        pilot = (*this).template operator()<double>(values, system, solve);
      return erase<S>(SundmanStepper<CompiledField<S>, S>(CompiledField<S>(std::move(code), stages),
                                                          stages, accuracy, std::move(pilot)));
    } else if constexpr (is_dual<S>) {
      return erase<S>(Differenced<EvaluatedSundman, AnySystem, S>(system, stages, accuracy));
    } else {
      return erase<S>(EvaluatedSundman<AnySystem, S>(system, stages, accuracy));
    }
  }
};

}  // namespace

Family sundman_family() {
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
          .make = MakeSundman{}};
}

}  // namespace rattleback
