// Why a run ended before its end. As values, so that whoever knows more can say a better cause.
#pragma once

#include <iosfwd>
#include <string>

#include "rattleback/solve/status.hpp"

namespace rattleback {

/// Sentences without their full stop. Of a failed step all are there; of anything else, such as a
/// file that may not grow, or a run read back, `what` says it all.
struct Failure {
  std::string what;               ///< happened; empty: nothing
  std::string cause;              ///< the likely one
  std::string place;              ///< the figures at the last good state
  Outcome outcome = Outcome::ok;  ///< of the step that failed; ok: it was no step
  double step = 0;                ///< its size
  double time = 0;                ///< at its start

  bool empty() const { return what.empty(); }
  /// All of it, for a person.
  std::string text() const;
};

std::ostream& operator<<(std::ostream& out, const Failure& failure);

}  // namespace rattleback
