#include "rattleback/report/figure.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "plot_data.hpp"
#include "plot_script.hpp"

namespace rattleback {

using detail::Box;
using detail::gnuplot_text;
using detail::PlotScript;

namespace {

int column_of(const FigurePanel& panel, const std::string& name) {
  const auto found = std::find(panel.columns.begin(), panel.columns.end(), name);
  if (found == panel.columns.end()) throw std::logic_error("no column '" + name + "' in a figure");
  return static_cast<int>(found - panel.columns.begin());
}

detail::Range column_range(const FigurePanel& panel, const std::string& column) {
  detail::Range range;
  for (long row = 0; row < panel.rows(); ++row) range.add(panel.at(row, column));
  return range;
}

/// Of what is drawn, with air above and below, and as long as the box wants it.
std::pair<detail::Range, detail::Range> ranges_of(const FigurePanel& panel, double width,
                                                  double height) {
  detail::Range x, y;
  for (const FigureCurve& curve : panel.curves)
    x.add(column_range(panel, curve.x)), y.add(column_range(panel, curve.y));
  if (!panel.colour.empty()) {
    x.add(column_range(panel, panel.columns[0]));
    y.add(column_range(panel, panel.columns[1]));
    return {x, y};
  }
  if (x.empty()) return {x, y};
  if (!(x.size() > 0) || panel.to_scale) x = x.padded(0.05);
  y = y.padded(0.06);
  if (!panel.to_scale) return {x, y};
  const double unit = std::max(x.size() / width, y.size() / height);
  const auto widened = [&](const detail::Range& r, double length) {
    const double more = (unit * length - r.size()) / 2;
    return detail::Range{r.low - more, r.high + more};
  };
  return {widened(x, width), widened(y, height)};
}

/// Lines break where a value is missing, as two columns are drawn at a time.
std::string curve_command(const std::string& data, const FigurePanel& panel,
                          const FigureCurve& curve, std::size_t number) {
  const std::string colour = detail::picture_colours[number % detail::picture_colours.size()];
  long drawn = 0;
  for (long row = 0; row < panel.rows(); ++row) drawn += std::isfinite(panel.at(row, curve.y));
  const std::string how = curve.style == FigureCurve::Style::line ? " with lines lw 1.4 lc rgb '"
                          : drawn > 40 ? " with points pt 7 ps 0.35 lc rgb '"
                                       : " with points pt 7 ps 1.1 lc rgb '";
  return "$" + data + " using " + std::to_string(column_of(panel, curve.x) + 1) + ":" +
         std::to_string(column_of(panel, curve.y) + 1) + how + colour + "'" +
         (curve.name.empty() ? " notitle" : " title " + gnuplot_text(curve.name));
}

void draw_panel(PlotScript& script, const FigurePanel& panel, const std::string& data,
                const Box& box, int pixels) {
  script.place(box);
  script << "set label 3 " + gnuplot_text(panel.heading);
  script.say(" at screen %.5f, screen %.5f left noenhanced font ',12' tc rgb '#222222'", box.left,
             box.top + 0.025);
  script << "set xlabel " + gnuplot_text(panel.x_label) + " noenhanced\nset ylabel " +
                gnuplot_text(panel.y_label) + " noenhanced\n";
  script << (panel.logarithmic ? "set logscale y\nset format y '10^{%T}'\n"
                               : "unset logscale y\nset format y '%g'\n");
  const auto [x, y] =
      ranges_of(panel, pixels * (box.right - box.left), 560 * (box.top - box.bottom));
  if (!x.empty()) script.say("set xrange [%.9g:%.9g]", x.low, x.high);
  if (panel.logarithmic)
    script << "set yrange [*:*]\n";
  else if (!y.empty())
    script.say("set yrange [%.9g:%.9g]", y.low, y.high);
  script.say("set key at screen %.5f, screen 0.04 center center horizontal samplen 2",
             (box.left + box.right) / 2);
  const char* more = "plot ";
  if (!panel.colour.empty()) {
    script << "set palette defined (0 '#000000', 0.35 '#0072B2', 0.7 '#E69F00', 1 '#ffffff')\n";
    script << std::string(more) + "$" + data +
                  " using 1:2:" + std::to_string(column_of(panel, panel.colour) + 1) +
                  " with image notitle";
    more = ", ";
  }
  for (std::size_t k = 0; k < panel.curves.size(); ++k, more = ", ")
    script << std::string(more) + curve_command(data, panel, panel.curves[k], k);
  script << "\nunset label 3\n";
}

}  // namespace

double FigurePanel::at(long row, const std::string& column) const {
  return values[static_cast<std::size_t>(row) * columns.size() +
                static_cast<std::size_t>(column_of(*this, column))];
}

std::string figure_script(const Figure& figure, const std::string& path) {
  const int count = static_cast<int>(figure.panels.size());
  PlotScript script;
  const int pixels = count > 1 ? 640 * count : 760;
  script << detail::picture_terminal(path, pixels, 560);
  for (int k = 0; k < count; ++k) {
    const FigurePanel& panel = figure.panels[static_cast<std::size_t>(k)];
    script.data("panel" + std::to_string(k),
                {panel.rows(), static_cast<int>(panel.columns.size()), panel.values});
  }
  script << detail::picture_style() << "unset colorbox\nset key noenhanced\n";
  script << "set multiplot\nset label 1 " + gnuplot_text(figure.title) +
                " at screen 0.5, screen 0.955 center noenhanced font ',15' tc rgb '#222222'\n";
  for (int k = 0; k < count; ++k) {
    draw_panel(script, figure.panels[static_cast<std::size_t>(k)], "panel" + std::to_string(k),
               {(k + 0.14) / count, (k + 0.96) / count, 0.19, 0.84}, pixels);
    script << "unset label 1\n";
  }
  script << "unset multiplot\n";
  return script.text();
}

void draw_figure(const Figure& figure, const std::string& path, const std::string& gnuplot) {
  detail::draw_picture(path, gnuplot, figure_script(figure, path));
}

std::string csv_of(const FigurePanel& panel) {
  std::string text;
  for (const auto& name : panel.columns) text += (text.empty() ? "" : ",") + name;
  text += '\n';
  char digits[32];
  for (std::size_t k = 0; k < panel.values.size(); ++k) {
    text.append(digits, std::to_chars(digits, digits + sizeof digits, panel.values[k]).ptr);
    text += (k + 1) % panel.columns.size() == 0 ? '\n' : ',';
  }
  return text;
}

}  // namespace rattleback
