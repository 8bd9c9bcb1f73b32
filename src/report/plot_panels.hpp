// The panels of a picture.
#pragma once

#include "gnuplot.hpp"
#include "plot_data.hpp"
#include "plot_script.hpp"

namespace rattleback::detail {

/// $curve<k> and $ends<k> of every curve; before the panels.
void trajectory_data(PlotScript& script, const PlotData& data);
void trajectory_panel(PlotScript& script, const PlotData& data, const PlotOptions& options);
void energy_panel(PlotScript& script, const PlotData& data);
void residual_panel(PlotScript& script, const PlotData& data);

constexpr const char* blue = picture_colours[0];
constexpr const char* orange = picture_colours[1];
static_assert(most_curves <= picture_colours.size());

}  // namespace rattleback::detail
