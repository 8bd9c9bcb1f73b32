// gnuplot as a child process: no shell, no files of our own.
#pragma once

#include <string>

namespace rattleback::detail {

/// Throws Error where the program is missing or fails, with what it said.
void run_gnuplot(const std::string& program, const std::string& script);

/// Text as gnuplot takes it literally: single-quoted, so that nothing in it is run or expanded.
std::string gnuplot_quoted(const std::string& text);

}  // namespace rattleback::detail
