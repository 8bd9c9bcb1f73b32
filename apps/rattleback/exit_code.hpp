// How the program ends; documented in docs/command_line.md.
#pragma once

#include "rattleback/problem/error.hpp"

namespace rattleback::app {

enum ExitCode : int {
  done = 0,
  bad_input = 2,
  ill_posed = 3,
  integration_failed = 4,
  signalled = 128,  ///< plus the number of the signal: 130 after Ctrl-C
};

}  // namespace rattleback::app
