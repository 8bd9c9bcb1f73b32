// Pictures of a run, drawn by gnuplot: trajectory, energy error, constraint residuals.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "rattleback/report/run_sink.hpp"

namespace rattleback {

struct PlotOptions {
  /// Two or three of: coordinates, momenta p_<coordinate>, multipliers lambda_<k>, t. Empty: the
  /// first two, or three; one curve per point where coordinates come in families x_1, x_2, ...,
  /// y_1, ...
  std::vector<std::string> axes{};
  std::string title{};  ///< empty: model and method
  int width = 1280, height = 560;
  std::string gnuplot = "gnuplot";
};

/// Draws to .svg or .png. Throws InputError for unknown names, FileError for the file, Error where
/// gnuplot is missing or fails.
void plot_run(const RunData& run, const std::string& path, const PlotOptions& options = {});

/// The same of a run file, in constant memory.
void plot_run_file(const std::string& run, const std::string& path,
                   const PlotOptions& options = {});

/// The same of a run under way, in constant memory. Throws InputError for unknown names.
class PlotSink final : public RunSink {
 public:
  explicit PlotSink(const RunHeader& header, PlotOptions options = {});
  ~PlotSink() override;
  void add(const Sample& sample) override;
  void finish(const RunFigures&) override {}
  void draw(const std::string& path);

 private:
  struct Gathered;
  void gather();

  PlotOptions options_;
  std::unique_ptr<Gathered> gathered_;
};

/// What gnuplot is told.
std::string plot_script(const RunData& run, const std::string& path,
                        const PlotOptions& options = {});

}  // namespace rattleback
