// Ctrl-C and termination end a run between two steps; a second Ctrl-C ends the program at once.
#pragma once

namespace rattleback::app {

void catch_signals();
/// The signal that arrived, or 0.
int caught_signal();

}  // namespace rattleback::app
