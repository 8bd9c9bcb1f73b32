#include "rattleback/integrators/run_motion.hpp"

#include "rattleback/integrators/phase_space_motion.hpp"
#include "rattleback/problem/error.hpp"

namespace rattleback {

MotionRun<AnyMotion::Point> run_motion(AnyMotion& motion,
                                       const RunOptions<AnyMotion::Point>& options) {
  return run_motion<AnyMotion>(motion, options);
}

void detail::require_numbers(std::size_t given, std::size_t needed) {
  if (given != needed)
    throw InputError("resume", "the saved state has " + std::to_string(given) +
                                   " numbers, the motion needs " + std::to_string(needed));
}

}  // namespace rattleback
