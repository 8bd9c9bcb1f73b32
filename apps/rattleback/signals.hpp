// Ctrl-C and termination end a run between two steps; a second Ctrl-C ends the program at once.
#pragma once

namespace rattleback::app {

/// While nothing has been computed yet that could be kept: they end the program at once.
void leave_on_signals();
/// From now on caught_signal() tells.
void catch_signals();
/// The signal that arrived, or 0.
int caught_signal();

}  // namespace rattleback::app
