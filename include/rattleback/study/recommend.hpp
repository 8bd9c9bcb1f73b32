// Which method, with which step, is the cheapest for an accuracy: measured in short runs of each.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rattleback/study/problem.hpp"

namespace rattleback::study {

struct RecommendationWishes {
  double accuracy = 0;         ///< largest error of q and p at the end
  double time = 0;             ///< the end
  std::optional<double> step;  ///< where it is given, only the method is chosen
};

/// A method that was tried. Costs are evaluations of forces and constraints, a Hessian counting as
/// one for each coordinate: unlike seconds they are the same wherever and whenever it is run.
struct Candidate {
  std::string method;
  double step = 0;       ///< that reaches the accuracy
  double error = 0;      ///< expected at the end
  double cost = 0;       ///< evaluations per unit of time
  std::string obstacle;  ///< why it is out of the question; empty where it is not
};

struct Recommendation {
  std::vector<Candidate> candidates;  ///< the cheapest first, then those that do not get there
  double pilot_time = 0;              ///< length of the runs tried

  const Candidate* best() const {
    return candidates.empty() || !candidates.front().obstacle.empty() ? nullptr
                                                                      : &candidates.front();
  }
};

/// The methods that are tried on a problem of this form.
std::vector<std::string> candidate_methods(const Traits& traits);

/// Runs each candidate for a few periods of the fastest motion with smaller and smaller steps,
/// until what the last halving changed, carried on to the end in proportion to time, is below the
/// accuracy. The problem is well posed (see require_well_posed).
Recommendation recommend(const Problem& problem, const RecommendationWishes& wishes);

}  // namespace rattleback::study
