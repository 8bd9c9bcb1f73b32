#include "progress_bar.hpp"

#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <utility>

namespace rattleback::app {

namespace {

std::string duration(double seconds) {
  if (!(seconds < 1e7)) return "very long";
  const long s = std::lround(seconds);
  char text[40];
  if (s < 3600)
    std::snprintf(text, sizeof text, "%ld:%02ld", s / 60, s % 60);
  else
    std::snprintf(text, sizeof text, "%ld:%02ld:%02ld", s / 3600, s / 60 % 60, s % 60);
  return text;
}

}  // namespace

std::string progress_text(const std::string& unit, double done, double all, double rate) {
  const double fraction = all > 0 ? done / all : 1;
  char text[120];
  std::snprintf(text, sizeof text, "%3.0f %%  %.3g %s/s  %s left", 100 * fraction, rate,
                unit.c_str(), rate > 0 ? duration((all - done) / rate).c_str() : "?");
  return text;
}

ProgressBar::ProgressBar(std::string unit, bool wanted)
    : unit_(std::move(unit)), shown_(wanted && isatty(STDERR_FILENO) == 1) {}

void ProgressBar::show(double done, double all, double seconds) {
  if (!shown_) return;
  if (first_done_ < 0) first_done_ = done, first_seconds_ = seconds;
  const double passed = seconds - first_seconds_;
  const double rate = passed > 0 ? (done - first_done_) / passed : 0;
  constexpr int width = 30;
  const int filled = all > 0 ? static_cast<int>(width * done / all) : width;
  const std::string bar = std::string(filled, '#') + std::string(width - filled, '.');
  std::fprintf(stderr, "\r\033[K[%s] %s", bar.c_str(),
               progress_text(unit_, done, all, rate).c_str());
  std::fflush(stderr);
  drawn_ = true;
}

void ProgressBar::clear() {
  if (!drawn_) return;
  std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
  drawn_ = false;
}

}  // namespace rattleback::app
