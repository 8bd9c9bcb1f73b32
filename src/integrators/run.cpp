#include "rattleback/integrators/run.hpp"

#include <cstdarg>
#include <cstdio>

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
