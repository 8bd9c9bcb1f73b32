#include "rattleback/study/plan.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "rattleback/integrators/registry.hpp"
#include "rattleback/multibody/mechanism_motion.hpp"
#include "rattleback/study/recommend.hpp"
#include "rattleback/study/timescale.hpp"
#include "rattleback/study/verdict.hpp"
#include "redundant_stepper.hpp"

namespace rattleback::study {

namespace {

constexpr double radians_per_step = 0.1;  // some sixty steps per period of the fastest motion
constexpr double fallback_step = 0.01;
constexpr long default_steps = 10'000;

bool is_auto(const std::string& specification) {
  return specification == "auto" || specification.rfind("auto:", 0) == 0;
}

/// The wanted error of "auto:accuracy=1e-8"; nothing where it is not said.
std::optional<double> wanted_accuracy(const std::string& specification) {
  if (specification == "auto" || !is_auto(specification)) return std::nullopt;
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

/// By class alone, where no accuracy is wanted.
Choice automatic(const Problem& problem) {
  const Traits t = problem.system.traits();
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

double two_digits(double x) {
  const double unit = std::pow(10, std::floor(std::log10(x)) - 1);
  return std::floor(x / unit * (1 + 1e-12)) * unit;
}

void positive(const std::string& name, double value) {
  if (!(value > 0) || !std::isfinite(value))
    throw InputError(name, "must be positive, got " + detail::quote(value));
}

std::optional<double> wanted_step(const ModelFile::Run& run, const Wishes& wishes) {
  const std::optional<double> step = wishes.step ? wishes.step : run.step;
  if (step && (*step == 0 || !std::isfinite(*step)))
    throw InputError("step", "must be finite and not zero, got " + detail::quote(*step));
  return step;
}

double usual_step(double rate) {
  return rate > 1e-9 && rate < 1e30 ? round_down(radians_per_step / rate) : fallback_step;
}

/// At most the step, and a whole number of times in the length where there is one.
double fitted(double step, const Length& length) {
  if (!length.time) return step;
  positive("time", *length.time);
  return *length.time / std::ceil(*length.time / step);
}

/// rate() is asked where nobody says a step.
template <class Rate>
void decide_step(const ModelFile::Run& run, const Wishes& wishes, const Length& length,
                 const Rate& fastest, Plan& plan) {
  if (const auto step = wanted_step(run, wishes)) {
    plan.step = *step;
    return;
  }
  const double rate = fastest();
  plan.step = fitted(usual_step(rate), length);
  plan.notes.push_back("step " + detail::quote(plan.step) +
                       (rate > 1e-9 ? ": the fastest motion at the start turns at about " +
                                          detail::quote(std::round(rate * 1000) / 1000) +
                                          " radians per time"
                                    : ": no time scale could be read off the start"));
}

/// What is not decided yet.
template <class Rate>
void decide_run(const ModelFile::Run& run, const Wishes& wishes, const Rate& fastest, Plan& plan) {
  plan.solve.tolerance = run.tolerance.value_or(0);
  const Length length = wanted_length(run, wishes);
  if (plan.step == 0) decide_step(run, wishes, length, fastest, plan);
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
double rate_of(const Mechanism& mechanism) {
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

std::string costs(const Candidate& candidate) {
  return detail::quote(std::round(candidate.cost)) + " evaluations per unit of time";
}

/// Method and step, by trying: the cheapest that has this error at the end.
void decide_by_accuracy(const Problem& problem, const Wishes& wishes, double accuracy, Plan& plan) {
  const Length length = wanted_length(problem.file.run, wishes);
  const std::optional<double> step = wanted_step(problem.file.run, wishes);
  const double usual =
      step ? std::abs(*step) : usual_step(fastest_rate(problem.system, require_start(problem)));
  if (length.time) positive("time", *length.time);
  const double time =
      length.time.value_or(static_cast<double>(length.steps.value_or(default_steps)) * usual);
  const Recommendation tried =
      recommend(problem, {.accuracy = accuracy, .time = time, .step = step});
  const Candidate* best = tried.best();
  if (!best)
    throw InputError("accuracy", detail::quote(accuracy) + " at t = " + detail::quote(time) +
                                     " is not reached; the closest is " +
                                     tried.candidates.front().method + " with an error of " +
                                     detail::quote(tried.candidates.front().error));
  plan.method = find_method(best->method);
  plan.step = step ? *step : fitted(two_digits(best->step), length);
  std::string note = "method " + best->method +
                     ": tried over t = " + detail::quote(tried.pilot_time) +
                     ", the cheapest for an error of " + detail::quote(accuracy) +
                     " at t = " + detail::quote(time) + ", " + costs(*best);
  if (tried.candidates.size() > 1 && tried.candidates[1].obstacle.empty())
    note += "; next " + tried.candidates[1].method + ", " + costs(tried.candidates[1]);
  plan.notes.push_back(std::move(note));
  if (!step)
    plan.notes.push_back("step " + detail::quote(plan.step) + ": for an error of about " +
                         detail::quote(two_digits(best->error)));
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
  if (wanted_accuracy(specification)) {
    const Plan plan = make_plan(problem, {.method = specification});
    notes.insert(notes.end(), plan.notes.begin() + std::ssize(problem.notes), plan.notes.end());
    return *plan.method;
  }
  std::string name = specification;
  if (is_auto(specification)) {
    const Choice choice = automatic(problem);
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
  const std::string specification = wanted_method(problem, wishes);
  if (const auto accuracy = wanted_accuracy(specification))
    decide_by_accuracy(problem, wishes, *accuracy, plan);
  else
    plan.method = choose_method(problem, specification, plan.notes);
  const auto fastest = [&] { return fastest_rate(problem.system, *problem.start); };
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
      file.run, wishes, [&] { return rate_of(*file.mechanism); }, plan);
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
