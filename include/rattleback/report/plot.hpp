// Pictures of a run, drawn by gnuplot: trajectory, energy error, constraint residuals.
#pragma once

#include <string>
#include <vector>

#include "rattleback/report/run_data.hpp"

namespace rattleback {

struct PlotOptions {
  /// Two or three of: coordinates, momenta p_<coordinate>, t. Empty: the first two, or three; one
  /// curve per point where coordinates come in families x_1, x_2, ..., y_1, ...
  std::vector<std::string> axes{};
  std::string title{};  ///< empty: model and method
  int width = 1280, height = 560;
  std::string gnuplot = "gnuplot";
};

/// Draws to .svg or .png. Throws InputError for unknown names, FileError for the file, Error where
/// gnuplot is missing or fails.
void plot_run(const RunData& run, const std::string& path, const PlotOptions& options = {});

/// What gnuplot is told.
std::string plot_script(const RunData& run, const std::string& path,
                        const PlotOptions& options = {});

}  // namespace rattleback
