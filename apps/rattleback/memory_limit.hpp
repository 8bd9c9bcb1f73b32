// Memory that is not there is refused when it is asked for; otherwise the system ends the program
// later, and whatever else it likes.
#pragma once

#include <string>

namespace rattleback::app {

/// No more than is free now, in the machine or in the control group.
void limit_memory();

/// "out of memory: ..." with what the limit was.
std::string out_of_memory();

}  // namespace rattleback::app
