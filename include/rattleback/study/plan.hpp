// A run with everything decided, and in words what the program decided by itself.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rattleback/integrators/run_motion.hpp"
#include "rattleback/study/problem.hpp"

namespace rattleback::study {

/// Goes before what the model file says.
struct Wishes {
  std::optional<std::string> method;
  std::optional<double> step, time;
  std::optional<long> steps, every;
};

struct Plan {
  std::optional<Method> method;  ///< decided
  double step = 0;
  long steps = 0, every = 0;
  std::optional<double> time{};  ///< where that was wished for, in so many steps
  SolveOptions solve{};
  std::vector<std::string> notes;
};

/// The method that is wished for, else that of the file, else "auto".
std::string wanted_method(const Problem& problem, const Wishes& wishes = {});
/// Throws InputError for an unknown method and ModelError for one that does not apply.
Method choose_method(const Problem& problem, const std::string& specification,
                     std::vector<std::string>& notes);

Plan make_plan(const Problem& problem, const Wishes& wishes);
/// Of a model of bodies and joints.
Plan mechanism_plan(const ModelFile& file, const Wishes& wishes);

/// The problem's start, moved by the plan's method. The start is taken as it is.
AnyMotionPointer motion_of(const Problem& problem, const Plan& plan);

/// States as the layout of the motion has them.
using FinishedRun = MotionRun<AnyMotion::Point>;

/// 1, 2 or 5 times a power of ten, at most x.
double round_down(double x);

}  // namespace rattleback::study
