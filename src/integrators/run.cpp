#include "rattleback/integrators/run.hpp"

#include <cmath>
#include <cstdarg>
#include <cstdio>

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
  line(text, "time taken         %.3g s (%.3g us a step)", seconds,
       steps > 0 ? 1e6 * seconds / static_cast<double>(steps) : 0.0);
  if (stopped) line(text, "stopped            before the end, as asked");
  if (!failure.empty()) line(text, "FAILED             %s", failure.c_str());
  return text;
}

}  // namespace rattleback
