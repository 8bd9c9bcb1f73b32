// Pictures: what can be refused before a long run, and drawing.
#pragma once

#include <string>
#include <vector>

#include "rattleback/report/run_data.hpp"

namespace rattleback::app {

/// Throws InputError for an ending that is neither .svg nor .png.
void require_picture(const std::string& path);

/// Throws InputError for axes that such a run does not have.
void require_axes(const std::vector<std::string>& axes, const RunHeader& run);

}  // namespace rattleback::app
