// Options to requests; the only place that knows how options are spelled.
#pragma once

namespace rattleback::app {

/// Reads the command line and runs its verb. Throws what the verb throws, and InputError.
int command_line(int argc, char** argv);

}  // namespace rattleback::app
