// The panels of a picture.
#pragma once

#include "plot_data.hpp"
#include "plot_script.hpp"

namespace rattleback::detail {

/// $curve<k> and $ends<k> of every curve; before the panels.
void trajectory_data(PlotScript& script, const PlotData& data);
void trajectory_panel(PlotScript& script, const PlotData& data, const PlotOptions& options);
void energy_panel(PlotScript& script, const PlotData& data);
void residual_panel(PlotScript& script, const PlotData& data);

// Okabe and Ito's colours, told apart by everyone.
constexpr const char* blue = "#0072B2";
constexpr const char* orange = "#D55E00";
constexpr const char* curve_colours[most_curves] = {blue,      orange,    "#009E73",
                                                    "#CC79A7", "#E69F00", "#56B4E9"};

}  // namespace rattleback::detail
