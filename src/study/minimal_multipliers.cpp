#include "rattleback/study/minimal_multipliers.hpp"

#include <cmath>
#include <limits>
#include <utility>

#include "rattleback/integrators/phase_space_motion.hpp"
#include "rattleback/study/problem.hpp"

namespace rattleback::study {

namespace {

/// On the constraints, dependent gradients differ by what the states are off them.
constexpr double rank_tolerance = 1e-8;

}  // namespace

MinimalMultipliers::MinimalMultipliers(AnySystem complete, AnySystem kept, RunSink& sink)
    : complete_(std::move(complete)),
      kept_(std::move(kept)),
      sink_(sink),
      solver_(rank_tolerance) {}

void MinimalMultipliers::add(const Sample& sample) {
  Sample full = sample;
  Eigen::VectorXd lambda;
  if (!sample.multipliers.empty()) {
    const Eigen::Map<const Eigen::VectorXd> kept(sample.multipliers.data(),
                                                 static_cast<long>(sample.multipliers.size()));
    const int m = complete_.constraint_count();
    lambda.setConstant(m, std::numeric_limits<double>::quiet_NaN());  // before the first step
    if (kept.allFinite()) {
      const State<double> z = phase_point(sample.values);
      const Eigen::VectorXd force = slopes(kept_, z).transpose() * kept;
      if (solver_.factor(slopes(complete_, z).transpose()).finite) lambda = solver_.solve(force);
    }
    full.multipliers = {lambda.data(), static_cast<std::size_t>(m)};
  }
  sink_.add(full);
}

}  // namespace rattleback::study
