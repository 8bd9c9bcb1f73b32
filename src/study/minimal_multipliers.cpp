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

MinimalMultipliers::MinimalMultipliers(AnySystem complete, RunSink& sink)
    : complete_(std::move(complete)), sink_(sink), solver_(rank_tolerance) {}

void MinimalMultipliers::add(const Sample& sample) {
  Sample full = sample;
  Eigen::VectorXd lambda;
  if (!sample.multipliers.empty()) {
    const Eigen::Map<const Eigen::VectorXd> in_use(sample.multipliers.data(),
                                                   static_cast<long>(sample.multipliers.size()));
    lambda.setConstant(in_use.size(), std::numeric_limits<double>::quiet_NaN());
    if (in_use.allFinite()) {  // else before the first step
      const Eigen::MatrixXd dg = slopes(complete_, phase_point(sample.values)).transpose();
      if (solver_.factor(dg).finite) lambda = solver_.solve(dg * in_use);
    }
    full.multipliers = {lambda.data(), static_cast<std::size_t>(lambda.size())};
  }
  sink_.add(full);
}

}  // namespace rattleback::study
