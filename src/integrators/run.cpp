#include "rattleback/integrators/run.hpp"

#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <limits>

#include "rattleback/problem/error.hpp"

namespace rattleback {

namespace {

void line(std::string& text, const char* format, ...) {
  char buffer[512];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(buffer, sizeof buffer, format, arguments);
  va_end(arguments);
  text += buffer;
  text += '\n';
}

}  // namespace

long detail::step_count(double step, long steps, double time, long every) {
  if (!(std::abs(step) > 0) || !std::isfinite(step))
    throw InputError("step", "must be finite and not zero, got " + std::to_string(step));
  // Steppers divide by h and by its square.
  if (constexpr double least = 1e-150; std::abs(step) < least)
    throw InputError("step",
                     quote(step) + " is too small: at least " + quote(least) + " is needed");
  if (steps < 0) throw InputError("steps", "must not be negative, got " + std::to_string(steps));
  if (every < 0) throw InputError("every", "must not be negative, got " + std::to_string(every));
  if (steps > 0 && time != 0) throw InputError("steps", "give steps or time, not both");
  if (steps > 0) return steps;
  const double count = std::round(time / step);
  if (!(count >= 1) || count > 9e15)
    throw InputError("time", "time " + std::to_string(time) + " is no positive number of steps " +
                                 std::to_string(step));
  return static_cast<long>(count);
}

long detail::restart_interval(long restart_every) {
  if (restart_every < 0)
    throw InputError("restart_every", "must not be negative, got " + std::to_string(restart_every));
  return restart_every > 0 ? restart_every : std::numeric_limits<long>::max() / 2;
}

void detail::require_continues(const RunFigures& past, const std::string& method, double step,
                               long wanted, long restart_every) {
  if (past.method != method)
    throw InputError("resume", "the run was made with '" + past.method +
                                   "' and cannot be continued with '" + method + "'");
  if (past.step != step)
    throw InputError("resume", "the run has step " + quote(past.step) +
                                   " and cannot be continued with step " + quote(step));
  if (wanted < past.steps)
    throw InputError("steps", "the run to be continued is at step " + std::to_string(past.steps) +
                                  " already, beyond the " + std::to_string(wanted) + " asked for");
  if (past.steps % restart_interval(restart_every) != 0)
    throw InputError("restart_every", "step " + std::to_string(past.steps) + " is no multiple of " +
                                          std::to_string(restart_every));
}

std::string RunFigures::summary() const {
  std::string text;
  line(text, "method             %s", method.c_str());
  line(text, "steps              %ld of %ld, h = %.9g, t = %.9g", steps, wanted, step, time());
  line(text, "energy             %.17g -> %.17g", initial_energy, final_energy);
  line(text, "  largest error    %.3g", energy_error);
  line(text, "  drift per time   %.3g", energy_drift);
  line(text, "constraint         max |g| = %.3g", constraint);
  line(text, "hidden constraint  max |{g,H}| = %.3g", hidden);
  line(text, "Newton             %.2f iterations a step, at most %d", newton_mean, newton_max);
  if (projections.position + projections.momentum > 0)
    line(text, "projections        %ld of positions, %ld of momenta", projections.position,
         projections.momentum);
  if (divided.steps > 0)
    line(text,
         "divided            %ld of %ld steps, at the end into %d: larger ones had no solution",
         divided.steps, steps, divided.parts);
  line(text, "time taken         %.3g s (%.3g us a step)", seconds,
       steps > 0 ? 1e6 * seconds / static_cast<double>(steps) : 0.0);
  if (stopped) line(text, "stopped            before the end, as asked");
  if (!failure.empty()) line(text, "FAILED             %s", failure.text().c_str());
  return text;
}

}  // namespace rattleback
