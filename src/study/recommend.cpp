#include "rattleback/study/recommend.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "rattleback/integrators/registry.hpp"
#include "rattleback/study/counting.hpp"
#include "rattleback/study/plan.hpp"
#include "rattleback/study/timescale.hpp"
#include "rattleback/study/verdict.hpp"

namespace rattleback::study {

namespace {

constexpr double pilot_radians = 20;      ///< some three periods of the fastest motion
constexpr double coarsest_radians = 0.8;  ///< the first step that is tried
constexpr int most_halvings = 12;
constexpr long steps_counted = 50;
/// Errors are estimated from one halving and one part of the motion. With this factor those at t =
/// 40 were 0.07 to 0.56 of what was asked for (pendulum, magnetic; 1e-3 to 1e-9).
constexpr double safety = 2;

class Pilot {
 public:
  Pilot(const Problem& problem, const RecommendationWishes& wishes)
      : problem_(problem), start_(require_start(problem)), wishes_(wishes) {
    const double rate = fastest_rate(problem.system, start_);
    const double scale = rate > 1e-9 && rate < 1e30 ? 1 / rate : wishes.time / pilot_radians;
    time_ = std::min(wishes.time, pilot_radians * scale);
    first_ = wishes.step ? *wishes.step : std::min(coarsest_radians * scale, time_ / 2);
    goal_ = wishes.accuracy * time_ / wishes.time / safety;
  }
  double time() const { return time_; }

  /// Nothing more is tried once it costs more than `cheapest`.
  Candidate tried(const Method& method, double cheapest) const {
    Candidate candidate{.method = method.info().name};
    long steps = std::max(2L, std::lround(std::ceil(time_ / first_)));
    std::optional<std::vector<double>> coarse = final(method, steps);
    double last = std::numeric_limits<double>::infinity();
    for (int k = 0; k < most_halvings; ++k, steps *= 2) {
      std::optional<std::vector<double>> fine = final(method, 2 * steps);
      const double error = coarse && fine ? distance(*coarse, *fine) : last;
      if (error <= goal_ || wishes_.step) return settle(candidate, method, steps, error);
      if (cost(method, time_ / static_cast<double>(steps)) > 4 * cheapest) {
        candidate.obstacle = "costs more than others";
        return candidate;
      }
      if (error < 1e-9 && !(error < 0.7 * last)) break;
      last = error;
      coarse = std::move(fine);
    }
    candidate.error = last * wishes_.time / time_ * safety;
    candidate.obstacle = "does not get there";
    return candidate;
  }

 private:
  /// With the step that would just reach the goal, by the order of the method.
  Candidate settle(Candidate& candidate, const Method& method, long steps, double error) const {
    const double h = time_ / static_cast<double>(steps);
    const double order = std::max(1, method.info().order);
    const double larger =
        error > 0 ? std::clamp(std::pow(goal_ / error, 1 / order), 1.0, 2.0) : 1.0;
    candidate.step = wishes_.step ? *wishes_.step : h * larger;
    candidate.error = error * std::pow(candidate.step / h, order) * wishes_.time / time_ * safety;
    candidate.cost = cost(method, candidate.step);
    if (!(candidate.error <= 1.001 * wishes_.accuracy)) candidate.obstacle = "does not get there";
    return candidate;
  }
  double cost(const Method& method, double h) const {
    const long steps = std::min(steps_counted, std::max(1L, std::lround(time_ / h)));
    const Evaluations all =
        evaluations_of(problem_.system, method, start_, h, steps, plan(method).solve);
    const double n = static_cast<double>(problem_.system.dimension());
    const double sum =
        static_cast<double>(all.force + all.constraint) + n * static_cast<double>(all.hessian);
    return sum / (static_cast<double>(steps) * h);
  }
  Plan plan(const Method& method) const {
    return {.method = method, .solve = {.tolerance = problem_.file.run.tolerance.value_or(0)}};
  }
  std::optional<std::vector<double>> final(const Method& method, long steps) const {
    RunOptions<AnyMotion::Point> options;
    options.step = time_ / static_cast<double>(steps);
    options.steps = options.every = steps;
    options.keep_states = false;
    const auto run = run_motion(*motion_of(problem_, plan(method)), options);
    if (!run.ok()) return std::nullopt;
    return run.final;
  }
  static double distance(const std::vector<double>& a, const std::vector<double>& b) {
    double most = 0;
    for (std::size_t i = 0; i < a.size(); ++i) most = larger(most, std::abs(a[i] - b[i]));
    return most;
  }

  const Problem& problem_;
  const State<double>& start_;
  RecommendationWishes wishes_;
  double time_ = 0, first_ = 0, goal_ = 0;
};

}  // namespace

std::vector<std::string> candidate_methods(const Traits& traits) {
  if (traits.natural && traits.holonomic)
    return {"multistep:order=8",
            "rattle:compose=kahanli8",
            "multistep:order=6",
            "rattle:compose=kahanli6",
            "multistep:order=4",
            "rattle:compose=suzuki4",
            "rattle"};
  if (traits.holonomic)
    return {"spark:stages=4",
            "lobatto:stages=4",
            "spark:stages=3",
            "lobatto:stages=3",
            "rattle:base=midpoint,compose=suzuki4",
            "rattle:base=midpoint"};
  return {"rattle:base=midpoint,compose=kahanli8", "rattle:base=midpoint,compose=kahanli6",
          "rattle:base=midpoint,compose=suzuki4", "rattle:base=midpoint"};
}

Recommendation recommend(const Problem& problem, const RecommendationWishes& wishes) {
  const Pilot pilot(problem, wishes);
  Recommendation result{.pilot_time = pilot.time()};
  double cheapest = std::numeric_limits<double>::infinity();
  for (const std::string& name : candidate_methods(problem.system.traits())) {
    const Method method = find_method(name);
    if (std::string reason = obstacle_of_form(method, problem); !reason.empty()) {
      result.candidates.push_back({.method = name, .obstacle = std::move(reason)});
      continue;
    }
    result.candidates.push_back(pilot.tried(method, cheapest));
    if (result.candidates.back().obstacle.empty())
      cheapest = std::min(cheapest, result.candidates.back().cost);
  }
  std::ranges::stable_sort(result.candidates, {}, [](const Candidate& c) {
    return std::pair(!c.obstacle.empty(), c.obstacle.empty() ? c.cost : c.error);
  });
  return result;
}

}  // namespace rattleback::study
