#include "rattleback/study/plan.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "rattleback/integrators/registry.hpp"
#include "rattleback/multibody/mechanism_motion.hpp"
#include "rattleback/study/timescale.hpp"
#include "rattleback/study/verdict.hpp"
#include "redundant_stepper.hpp"

namespace rattleback::study {

namespace {

constexpr double radians_per_step = 0.1;  // some sixty steps per period of the fastest motion
constexpr double fallback_step = 0.01;
constexpr long default_steps = 10'000;

/// The wanted error of "auto:accuracy=1e-8"; nothing where it is not said.
std::optional<double> wanted_accuracy(const std::string& specification) {
  if (specification == "auto") return std::nullopt;
  const std::string prefix = "auto:accuracy=";
  const char* end = specification.data() + specification.size();
  double value = 0;
  if (specification.rfind(prefix, 0) == 0)
    if (const auto [stop, error] =
            std::from_chars(specification.data() + prefix.size(), end, value);
        error == std::errc{} && stop == end && value > 0 && value < 1)
      return value;
  throw InputError("method",
                   "'auto' takes accuracy = a number between 0 and 1, got '" + specification + "'");
}

struct Choice {
  std::string name, why;
};

/// The simplest symplectic method of at least this order, or of the highest there is.
const Method* of_order(const Problem& problem, int order) {
  const Method* best = nullptr;
  for (const Method& m : law_methods()) {
    const MethodInfo& info = m.info();
    if (info.symplectic_on != SymplecticOn::state_manifold || !info.symmetric || info.order < 4)
      continue;
    if (best && (best->info().order >= order || info.order <= best->info().order)) continue;
    if (obstacle_of_form(m, problem).empty()) best = &m;
  }
  return best;
}

Choice automatic(const Problem& problem, std::optional<double> accuracy) {
  const Traits t = problem.system.traits();
  if (accuracy && *accuracy < 1e-4)
    if (const Method* m = of_order(problem, *accuracy < 1e-8 ? 6 : 4))
      return {m->info().name, "order " + std::to_string(m->info().order) +
                                  " pays at the accuracy asked for; symplectic and symmetric"};
  if (problem.system.constraint_count() == 0)
    return t.separable ? Choice{"rattle",
                                "without constraints this is the Verlet method: symplectic, "
                                "symmetric, explicit as H is separable"}
                       : Choice{"rattle:base=midpoint",
                                "without constraints this is the implicit midpoint rule: "
                                "symplectic and symmetric for any H"};
  if (t.natural && t.holonomic)
    return {"rattle",
            "natural H and constraints on positions: the cheapest symplectic, symmetric method "
            "that keeps both constraints"};
  return {"rattle:base=midpoint",
          std::string(t.holonomic ? "H is not natural" : "constraints on momenta") +
              ": symplectic and symmetric for any H, where constraints are coisotropic and "
              "nondegenerate"};
}

struct Length {
  std::optional<double> time;
  std::optional<long> steps;
};

/// Wishes go before the file.
Length wanted_length(const ModelFile::Run& run, const Wishes& wishes) {
  if (wishes.steps && wishes.time) throw InputError("time", "give steps or time, not both");
  if (wishes.steps || wishes.time) return {wishes.time, wishes.steps};
  return {run.time, run.steps};
}

void positive(const std::string& name, double value) {
  if (!(value > 0) || !std::isfinite(value))
    throw InputError(name, "must be positive, got " + detail::quote(value));
}

/// rate() is asked where nobody says a step.
template <class Rate>
void decide_step(const ModelFile::Run& run, const Wishes& wishes, const Length& length,
                 const Rate& fastest, Plan& plan) {
  if (wishes.step || run.step) {
    plan.step = wishes.step ? *wishes.step : *run.step;
    if (plan.step == 0 || !std::isfinite(plan.step))
      throw InputError("step", "must be finite and not zero, got " + detail::quote(plan.step));
    return;
  }
  const double rate = fastest();
  plan.step = rate > 1e-9 && rate < 1e30 ? round_down(radians_per_step / rate) : fallback_step;
  if (length.time) {
    positive("time", *length.time);
    plan.step = *length.time / std::ceil(*length.time / plan.step);
  }
  plan.notes.push_back("step " + detail::quote(plan.step) +
                       (rate > 1e-9 ? ": the fastest motion at the start turns at about " +
                                          detail::quote(std::round(rate * 1000) / 1000) +
                                          " radians per time"
                                    : ": no time scale could be read off the start"));
}

template <class Rate>
void decide_run(const ModelFile::Run& run, const Wishes& wishes, const Rate& fastest, Plan& plan) {
  plan.solve.tolerance = run.tolerance.value_or(0);
  const Length length = wanted_length(run, wishes);
  decide_step(run, wishes, length, fastest, plan);
  if (!length.steps && !length.time) {
    plan.steps = default_steps;
    plan.notes.emplace_back("length " + std::to_string(default_steps) + " steps: none was given");
  } else {
    plan.time = length.time;
    plan.steps =
        detail::step_count(plan.step, length.steps.value_or(0), length.time.value_or(0), 0);
  }
  plan.every = wishes.every.value_or(run.every.value_or(0));
  if (plan.every < 0)
    throw InputError("every", "must be positive, got " + std::to_string(plan.every));
  if (plan.every == 0) plan.every = std::max(1L, plan.steps / 1000);
}

/// Of the bodies at the start, and of a pendulum of the mechanism's size.
double fastest_rate(const Mechanism& mechanism) {
  double rate = 0, size = 0;
  for (const Body& body : mechanism.bodies) rate = std::max(rate, body.angular_velocity.norm());
  for (const Joint& joint : mechanism.joints)
    for (const Vector3& point : joint.points)
      if (point.norm() > 0) size = size > 0 ? std::min(size, point.norm()) : point.norm();
  return size > 0 ? std::max(rate, std::sqrt(mechanism.gravity.norm() / size)) : rate;
}

/// The simplest method for the wanted error.
Choice automatic_for_bodies(std::optional<double> accuracy) {
  const Family& plain = mechanism_families().front();
  const int order = !accuracy || *accuracy >= 1e-4 ? 2 : *accuracy < 1e-8 ? 8 : 4;
  Choice best{plain.name, "symplectic, symmetric, joints closed in every step"};
  int best_order = 2;
  for (const OptionValue& scheme : plain.find("compose")->samples) {
    const Method method(plain, plain.values({{"compose", scheme}}));
    if (best_order >= order || method.info().order <= best_order) continue;
    best_order = method.info().order;
    best = {method.info().name, "order " + std::to_string(best_order) +
                                    " pays at the accuracy asked for; symplectic and symmetric"};
  }
  return best;
}

}  // namespace

double round_down(double x) {
  const double power = std::pow(10, std::floor(std::log10(x)));
  for (const double digit : {5.0, 2.0})
    if (digit * power <= x * (1 + 1e-9)) return digit * power;
  return power;
}

Method choose_method(const Problem& problem, const std::string& specification,
                     std::vector<std::string>& notes) {
  std::string name = specification;
  if (specification == "auto" || specification.rfind("auto:", 0) == 0) {
    const Choice choice = automatic(problem, wanted_accuracy(specification));
    notes.push_back("method " + choice.name + ": " + choice.why);
    name = choice.name;
  }
  for (const Family& family : mechanism_families())
    if (name.substr(0, name.find(':')) == family.name)
      throw ModelError(problem.file.path + ": method " + family.name + " does not apply to '" +
                       problem.system.name() + "': it moves bodies and joints");
  Method method = find_method(name, {"auto"});
  if (const std::string reason = obstacle_of_form(method, problem); !reason.empty())
    throw ModelError(problem.file.path + ": method " + method.info().name + " does not apply to '" +
                     problem.system.name() + "': " + reason);
  return method;
}

std::string wanted_method(const Problem& problem, const Wishes& wishes) {
  if (wishes.method) return *wishes.method;
  return problem.file.method ? problem.file.method->specification : "auto";
}

Plan make_plan(const Problem& problem, const Wishes& wishes) {
  Plan plan;
  plan.notes = problem.notes;
  plan.method = choose_method(problem, wanted_method(problem, wishes), plan.notes);
  const auto fastest = [&] { return study::fastest_rate(problem.system, *problem.start); };
  decide_run(problem.file.run, wishes, fastest, plan);
  return plan;
}

Plan mechanism_plan(const ModelFile& file, const Wishes& wishes) {
  Plan plan;
  std::string wanted = wishes.method ? *wishes.method
                       : file.method ? file.method->specification
                                     : "auto";
  if (wanted == "auto" || wanted.starts_with("auto:")) {
    const Choice choice = automatic_for_bodies(wanted_accuracy(wanted));
    plan.notes.push_back("method " + choice.name + ": " + choice.why);
    wanted = choice.name;
  }
  if (find_family(wanted.substr(0, wanted.find(':'))))
    throw ModelError(file.path + ": method " + wanted + " does not apply to bodies and joints; " +
                     mechanism_families().front().name + " does");
  plan.method = find_mechanism_method(wanted);
  decide_run(
      file.run, wishes, [&] { return fastest_rate(*file.mechanism); }, plan);
  return plan;
}

AnyMotionPointer motion_of(const Problem& problem, const Plan& plan) {
  if (problem.complete && plan.method->info().varies_steps)
    throw ModelError(problem.file.path + ": method " + plan.method->info().name +
                     " does not take redundant constraints; leave those out that " +
                     "rattleback check names");
  if (problem.complete)
    return phase_space_motion(*problem.complete, plan.method->info().name,
                              std::make_unique<RedundantStepper>(problem, *plan.method, plan.solve),
                              problem.start.value(), problem.form.source.coordinates);
  return phase_space_motion(problem.system, *plan.method, problem.start.value(),
                            problem.form.source.coordinates, plan.solve);
}

}  // namespace rattleback::study
