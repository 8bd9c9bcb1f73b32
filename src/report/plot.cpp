#include "rattleback/report/plot.hpp"

#include <utility>

#include "plot_panels.hpp"
#include "rattleback/report/run_file.hpp"
#include "run_rows.hpp"

namespace rattleback {

using detail::gnuplot_text;
using detail::PlotScript;

namespace {

void begin_picture(PlotScript& script, const RunHeader& run, const PlotOptions& options) {
  const std::string title =
      options.title.empty() ? run.model + "   ·   " + run.method : options.title;
  script << "set multiplot\n";
  script << "set label 1 " + gnuplot_text(title) +
                " at screen 0.5, screen 0.955 center noenhanced font ',15' tc rgb '#222222'\n";
  script << detail::picture_style() << "set style data lines\n";
}

}  // namespace

// ---- pictures of runs ---------------------------------------------------------------------------

namespace {

std::string script_of(const detail::PlotData& data, const std::string& path,
                      const PlotOptions& options) {
  if (data.rows() == 0) throw InputError("plot", "the run holds no states");
  PlotScript script;
  script << detail::picture_terminal(path, options.width, options.height);
  trajectory_data(script, data);
  begin_picture(script, data.header(), options);
  trajectory_panel(script, data, options);
  energy_panel(script, data);
  residual_panel(script, data);
  script << "unset multiplot\n";
  return script.text();
}

void draw(const detail::PlotData& data, const std::string& path, const PlotOptions& options) {
  detail::draw_picture(path, options.gnuplot, script_of(data, path, options));
}

}  // namespace

std::string plot_script(const RunData& run, const std::string& path, const PlotOptions& options) {
  if (run.rows() == 0) throw InputError("plot", "the run holds no states");
  detail::PlotData data(run.header, options);
  data.add(run);
  return script_of(data, path, options);
}

void plot_run(const RunData& run, const std::string& path, const PlotOptions& options) {
  detail::draw_picture(path, options.gnuplot, plot_script(run, path, options));
}

void plot_run_file(const std::string& run, const std::string& path, const PlotOptions& options) {
  detail::PlotData data(read_run_header(run).header, options);
  read_rows(run, [&](const RunData& rows) { data.add(rows); });
  draw(data, path, options);
}

struct PlotSink::Gathered {
  detail::PlotData data;
  RunData rows;
};

PlotSink::PlotSink(const RunHeader& header, PlotOptions options)
    : options_(std::move(options)),
      gathered_(std::make_unique<Gathered>(Gathered{{header, options_}, {.header = header}})) {
  detail::shape_rows(gathered_->rows, 0);
}
PlotSink::~PlotSink() = default;

void PlotSink::add(const Sample& sample) {
  detail::add_row(gathered_->rows, sample);
  constexpr std::size_t block = 1 << 16;  // numbers
  if (static_cast<std::size_t>(gathered_->rows.rows()) * sample.values.size() >= block) gather();
}
void PlotSink::gather() {
  gathered_->data.add(gathered_->rows);
  detail::clear_rows(gathered_->rows);
}
void PlotSink::draw(const std::string& path) {
  gather();
  rattleback::draw(gathered_->data, path, options_);
}

}  // namespace rattleback
