// What an ensemble is asked for, and what it gives back.
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "rattleback/integrators/run.hpp"

namespace rattleback {

struct EnsembleProgress {
  long steps, wanted;  ///< of all copies together
  double seconds;
};

template <class State>
struct EnsembleOptions {
  double step = 0;
  long steps = 0;      ///< or
  double time = 0;     ///< a length that is rounded to whole steps
  long every = 0;      ///< figures are taken at every k-th state; 0: about a hundred times in all
  bool store = false;  ///< keep these states: copies x samples x 2n numbers of memory
  int threads = 0;     ///< 0: as many as the machine has
  bool allow_inconsistent = false;
  double consistency = 1e-9;  ///< largest |g| and |{g,H}| of a start that is taken as it is
  /// Called at every k-th state of every copy: in order for one copy, in any order between copies,
  /// and by one thread at a time.
  std::function<void(long copy, long step, double t, const State&)> observe{};
  /// Called about ten times a second; false ends the run.
  std::function<bool(const EnsembleProgress&)> progress{};
  /// Ends the run from outside.
  std::stop_token interrupt{};
};

/// What became of one copy. Newton iterations and seconds are its share of those of its pack.
template <int N>
struct Copy : RunFigures {
  bool alone = false;                    ///< run by itself: its pack failed, or there was none
  State<double, N> final;                ///< the last good state, as looked at
  std::vector<State<double, N>> states;  ///< where stored
};

struct EnsembleFigures {
  std::string method;
  double step = 0;
  long wanted = 0, every = 0;
  double seconds = 0;
};

template <int N>
struct Ensemble : EnsembleFigures {
  std::vector<Copy<N>> copies;
  long failed() const {
    long count = 0;
    for (const auto& c : copies) count += !c.ok();
    return count;
  }
  /// A few lines for a person.
  std::string summary() const;
};

}  // namespace rattleback
