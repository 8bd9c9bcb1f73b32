// The panel of the trajectory, in a plane or in space.
#include <numbers>

#include "plot_panels.hpp"

namespace rattleback::detail {

namespace {

/// The largest box of the panel in which both axes have the same scale. A flat or thin curve is
/// stretched rather than lost.
Box to_scale(const Box& panel, std::vector<Range>& ranges, const PlotOptions& options) {
  const double width = (panel.right - panel.left) * options.width;
  const double height = (panel.top - panel.bottom) * options.height;
  double x = ranges[0].size(), y = ranges[1].size();
  constexpr double flattest = 0.25;
  const auto widen = [](Range& range, double size) {
    const double middle = (range.low + range.high) / 2;
    range = {middle - size / 2, middle + size / 2};
  };
  if (y < flattest * x) widen(ranges[1], y = flattest * x);
  if (x < flattest * y) widen(ranges[0], x = flattest * y);
  const double pixels = std::min(width / x, height / y);
  const double spare_x = (width - pixels * x) / 2 / options.width;
  const double spare_y = (height - pixels * y) / 2 / options.height;
  return {panel.left + spare_x, panel.right - spare_x, panel.bottom + spare_y, panel.top - spare_y};
}

/// gnuplot fits a picture in space to the width of its panel: narrower where it would be too high.
Box fitted(const Box& panel, const std::vector<Range>& ranges, const PlotOptions& options) {
  constexpr double degree = std::numbers::pi / 180, tilt = 62 * degree, turn = 32 * degree;
  const double x = ranges[0].size(), y = ranges[1].size(), z = ranges[2].size();
  const double wide = x * std::cos(turn) + y * std::sin(turn);
  const double high =
      z * std::sin(tilt) + (x * std::sin(turn) + y * std::cos(turn)) * std::cos(tilt);
  constexpr double beyond = 1.15;  // how much wider than the panel it draws, measured
  const double width = (panel.right - panel.left) * options.width * beyond;
  const double height = (panel.top - panel.bottom) * options.height;
  const double part = std::min(1.0, height / high * wide / width);
  const double spare = (panel.right - panel.left) * (1 - part) / 2;
  return {panel.left + spare, panel.right - spare, panel.bottom, panel.top};
}

void axes(PlotScript& script, const PlotData& data, const PlotOptions& options) {
  const Curves& c = data.curves();
  std::vector<Range> ranges = data.axis_ranges();
  const bool lengths = c.lengths();
  script.heading({0.03, 0, 0, 0.85}, "trajectory   (○ start, ● end)");
  if (c.solid()) {
    const Box space{0.125, 0.425, 0.07, 0.84};
    script.place(lengths ? fitted(space, ranges, options) : space);
    script.say("set view 62, 32, %s\nset xyplane relative 0.03\nset border 31",
               lengths ? "1.0, 1.0\nset view equal xyz" : "0.95, 1.0");
    script.say("set xtics offset -0.3,-0.3\nset ytics offset 0.7,-0.2");
  } else {
    const Box plane{0.075, 0.455, 0.12, c.several() ? 0.8 : 0.85};  // below the key
    script.place(lengths ? to_scale(plane, ranges, options) : plane);
  }
  for (std::size_t axis = 0; axis < c.labels.size(); ++axis) {
    const char letter = "xyz"[axis];
    script.say("set %crange [%.10g:%.10g]", letter, ranges[axis].low, ranges[axis].high);
    script << "set " + std::string(1, letter) + "label " + gnuplot_text(c.labels[axis]) +
                  " noenhanced\n";
  }
  if (!lengths && ranges[1].size() < 1e-3 * std::abs(ranges[1].high))
    script.say("set format y '%%.6g'");
}

}  // namespace

void trajectory_data(PlotScript& script, const PlotData& data) {
  for (std::size_t k = 0; k < data.points().size(); ++k) {
    script.data("curve" + std::to_string(k), data.points()[k].drawn());
    script.data("ends" + std::to_string(k), data.points()[k].ends());
  }
}

void trajectory_panel(PlotScript& script, const PlotData& data, const PlotOptions& options) {
  const Curves& c = data.curves();
  axes(script, data, options);
  if (c.several())
    script.say(
        "set key at screen 0.45, screen 0.855 right reverse Left horizontal samplen 1.5 width 1");
  const std::string style = data.scattered() ? " with points pt 7 ps 0.25" : " with lines lw 1.3";
  script << (c.solid() ? "splot " : "plot ");
  for (std::size_t k = 0; k < c.curves.size(); ++k) {
    const std::string which = std::to_string(k);
    const std::string colour = std::string(" lc rgb '") + picture_colours[k] + "'";
    script << (k > 0 ? ", $curve" : "$curve") << which << style << colour
           << (c.several() ? " title " + gnuplot_text(c.names[k]) + " noenhanced" : " notitle");
    const auto end = [&](const char* row, const char* points, const std::string& in) {
      script << ", $ends" << which << " every " << row << " with points " << points << in
             << " notitle";
    };
    const std::string dark = c.several() ? colour : " lc rgb '#222222'";
    end("::0::0", "pt 7 ps 1.3", " lc rgb 'white'");
    end("::0::0", "pt 6 ps 1.3 lw 1.6", dark);
    end("::1::1", "pt 7 ps 1.2", dark);
  }
  script << "\nset view noequal\nset border 3\nunset zlabel\nunset label 1\nunset key\n";
  script.say("set xtics offset 0,0\nset ytics offset 0,0\nunset ylabel\nset format y '%%g'");
}

}  // namespace rattleback::detail
