#include "rattleback/report/plot.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "plot_panels.hpp"
#include "rattleback/report/file_error.hpp"

namespace rattleback {

using detail::gnuplot_quoted;
using detail::PlotScript;

namespace {

std::string terminal(const std::string& path, const PlotOptions& options) {
  std::string ending = std::filesystem::path(path).extension().string();
  char text[200];
  if (ending == ".svg")
    std::snprintf(text, sizeof text,
                  "set terminal svg size %d,%d dynamic font 'Helvetica,Arial,sans-serif,12' "
                  "background rgb 'white'",
                  options.width, options.height);
  else if (ending == ".png")
    std::snprintf(text, sizeof text, "set terminal pngcairo size %d,%d font 'sans,11' fontscale 1",
                  options.width, options.height);
  else
    throw FileError(path, "pictures are written as .svg or .png");
  return text;
}

void begin_picture(PlotScript& script, const RunData& run, const PlotOptions& options) {
  const std::string title =
      options.title.empty() ? run.header.model + "   ·   " + run.header.method : options.title;
  script << "set encoding utf8\nset multiplot\n";
  script << "set label 1 " + gnuplot_quoted(title) +
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
  script << terminal(path, options) + "\nset output " + gnuplot_quoted(path) + "\n";
  const detail::Curves curves = detail::choose_curves(run, options);
  trajectory_data(script, run, curves);
  begin_picture(script, run, options);
  trajectory_panel(script, run, curves, options);
  energy_panel(script, run);
  residual_panel(script, run);
  script << "unset multiplot\nset output\n";
  return script.text();
}

void plot_run(const RunData& run, const std::string& path, const PlotOptions& options) {
  const std::string script = plot_script(run, path, options);
  const bool existed = std::filesystem::exists(path);
  // Said by the system itself: gnuplot only knows that it could not.
  if (!std::ofstream(path, std::ios::app))
    throw FileError(path, std::string("cannot be written: ") + std::strerror(errno));
  try {
    detail::run_gnuplot(options.gnuplot, script);
  } catch (const Error&) {
    if (!existed) ::unlink(path.c_str());
    throw;
  }
}

}  // namespace rattleback
