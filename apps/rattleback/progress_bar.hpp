// A bar with rate and time left on standard error, where that is a terminal.
#pragma once

#include <string>

namespace rattleback::app {

class ProgressBar {
 public:
  /// `unit` is what is counted: "steps".
  ProgressBar(std::string unit, bool wanted);
  ~ProgressBar() { clear(); }
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void show(double done, double all, double seconds);
  /// Leaves no trace of it.
  void clear();

 private:
  std::string unit_;
  bool shown_;
  bool drawn_ = false;
  double first_done_ = -1;  // a resumed run begins in the middle
  double first_seconds_ = 0;
};

/// "43 %  1.2e+06 steps/s  0:12 left"
std::string progress_text(const std::string& unit, double done, double all, double rate);

}  // namespace rattleback::app
