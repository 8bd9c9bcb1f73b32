// The panels over time: energy error and constraint residuals.
#include "plot_panels.hpp"

namespace rattleback::detail {

namespace {

void time_axis(PlotScript& script, const PlotData& data, bool labelled) {
  Range range = data.times();
  if (range.empty() || range.low == range.high) range = range.padded(0);
  script.say("set xrange [%.10g:%.10g]", range.low, range.high);
  script << (labelled ? "set xlabel 'time' enhanced\nset format x '%g'\n"
                      : "unset xlabel\nset format x ''\n");
}

}  // namespace

void energy_panel(PlotScript& script, const PlotData& data) {
  const Box box{0.56, 0.975, 0.55, 0.85};
  Range range = data.energy_error();
  const bool finite = !range.empty();
  const double largest = finite ? std::max(-range.low, range.high) : 0;
  // Numbers of ordinary size on the axis, the power of ten above it.
  const int power = largest > 0 ? static_cast<int>(std::floor(std::log10(largest))) : 0;
  const double unit = std::pow(10.0, power);
  Table envelope{0, 3, {}};
  for (const auto& column : data.columns()) {
    const Range& r = column.values[TimeColumns::energy_error];
    for (double x : {column.time, r.empty() ? NAN : r.low / unit, r.empty() ? NAN : r.high / unit})
      envelope.values.push_back(x);
    ++envelope.rows;
  }
  script.data("energy", envelope);
  script.place(box);
  time_axis(script, data, false);
  script.heading(
      box, power != 0 ? "energy error   H − H_0   in units of 10^{" + std::to_string(power) + "}"
                      : "energy error   H − H_0");
  range.low /= unit, range.high /= unit;
  range.add(0);
  range = largest > 0 ? range.padded(0.08) : Range{-1, 1};
  script.say("set yrange [%.6g:%.6g]", range.low, range.high);
  if (!(largest > 0))
    script.say("set label 2 '%s' at graph 0.5, graph 0.65 center tc rgb '#666666'",
               finite ? "zero to the last bit" : "not a number");
  script.say(
      "plot 0 lc rgb '#999999' lw 0.8, $energy using 1:2:3 with filledcurves fs solid 0.35 "
      "noborder lc rgb '%s', $energy using 1:2 lc rgb '%s' lw 1.1, $energy using 1:3 lc rgb '%s' "
      "lw 1.1%s",
      blue, blue, blue,
      data.rows() == 1 ? ", $energy using 1:2 with points pt 7 lc rgb '#0072B2'" : "");
  script.say("unset label 2");
}

void residual_panel(PlotScript& script, const PlotData& data) {
  const Box box{0.56, 0.975, 0.12, 0.42};
  const auto greatest = [](const TimeColumns::Column& column, TimeColumns::Value which) {
    const Range& range = column.values[which];
    return range.empty() ? NAN : range.high;
  };
  std::vector<double> drawn;
  for (const auto which : {TimeColumns::constraint, TimeColumns::hidden})
    for (const auto& column : data.columns()) drawn.push_back(greatest(column, which));
  const Decades axis(drawn);
  const double floor = std::pow(10.0, axis.low), least = axis.below ? 10 * floor : floor;
  Table residuals{0, 3, {}};
  for (const auto& column : data.columns()) {
    residuals.values.push_back(column.time);
    for (const auto which : {TimeColumns::constraint, TimeColumns::hidden}) {
      const double v = greatest(column, which);
      residuals.values.push_back(v < least ? floor : v);
    }
    ++residuals.rows;
  }
  script.data("residuals", residuals);
  script.place(box);
  time_axis(script, data, true);
  script.heading(box, "constraint residuals");
  script.say("set logscale y\nset yrange [1e%d:1e%d]\nset format y '10^{%%T}'", axis.low,
             axis.high);
  const int step = std::max(1, (axis.high - axis.low + 4) / 5);
  script.say("set ytics 1e%d, 1e%d", axis.low + axis.below, step);
  if (axis.below) script.say("set ytics add ('0' 1e%d)", axis.low);
  script.say(
      "set key at screen 0.975, screen 0.457 right reverse Left horizontal samplen 0.6 width 1");
  const char* size = data.rows() > 200 ? "0.3" : "0.55";
  script.say(
      "plot $residuals using 1:3 with points pt 7 ps %s lc rgb '%s' notitle, "
      "$residuals using 1:2 with points pt 7 ps %s lc rgb '%s' notitle, "
      "keyentry with points pt 7 ps 0.8 lc rgb '%s' title 'max |g|', "
      "keyentry with points pt 7 ps 0.8 lc rgb '%s' title 'max |\\{g, H\\}|'",
      size, orange, size, blue, blue, orange);
}

}  // namespace rattleback::detail
