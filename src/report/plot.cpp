#include "rattleback/report/plot.hpp"

#include "plot_panels.hpp"
#include "rattleback/problem/error.hpp"

namespace rattleback {

using detail::gnuplot_text;
using detail::PlotScript;

namespace {

void begin_picture(PlotScript& script, const RunData& run, const PlotOptions& options) {
  const std::string title =
      options.title.empty() ? run.header.model + "   ·   " + run.header.method : options.title;
  script << "set multiplot\n";
  script << "set label 1 " + gnuplot_text(title) +
                " at screen 0.5, screen 0.955 center noenhanced font ',15' tc rgb '#222222'\n";
  script << "set border 3 lw 1 lc rgb '#666666'\n"
            "set tics nomirror out scale 0.6 tc rgb '#333333'\n"
            "set grid lw 0.6 lc rgb '#e4e4e4' lt 1\n"
            "unset key\n"
            "set style data lines\n";
}

}  // namespace

std::string plot_script(const RunData& run, const std::string& path, const PlotOptions& options) {
  if (run.rows() == 0) throw InputError("plot", "the run holds no states");
  PlotScript script;
  script << detail::picture_terminal(path, options.width, options.height);
  const detail::Curves curves = detail::choose_curves(run, options);
  trajectory_data(script, run, curves);
  begin_picture(script, run, options);
  trajectory_panel(script, run, curves, options);
  energy_panel(script, run);
  residual_panel(script, run);
  script << "unset multiplot\n";
  return script.text();
}

void plot_run(const RunData& run, const std::string& path, const PlotOptions& options) {
  detail::draw_picture(path, options.gnuplot, plot_script(run, path, options));
}

}  // namespace rattleback
