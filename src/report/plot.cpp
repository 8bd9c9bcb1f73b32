#include "rattleback/report/plot.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdarg>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <numbers>
#include <set>

#include "gnuplot.hpp"
#include "rattleback/report/file_error.hpp"

namespace rattleback {

namespace {

using detail::gnuplot_quoted;

// Okabe and Ito's colours, told apart by everyone.
constexpr const char* blue = "#0072B2";
constexpr const char* orange = "#D55E00";
constexpr const char* curve_colours[] = {"#0072B2", "#D55E00", "#009E73",
                                         "#CC79A7", "#E69F00", "#56B4E9"};
constexpr std::size_t most_curves = std::size(curve_colours);
constexpr long most_points = 12'000;  // of a curve
constexpr long most_columns = 800;    // of a plot over time

void say(std::string& script, const char* format, ...) {
  char text[1024];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  script += text;
  script += '\n';
}

void number(std::string& script, double x) {
  char text[32];
  // Three digits beyond what a picture shows.
  script.append(text,
                std::isfinite(x)
                    ? std::to_chars(text, text + sizeof text, x, std::chars_format::general, 8).ptr
                    : std::copy_n("NaN", 3, text));
  script += ' ';
}

// ---- what is drawn ---------------------------------------------------------------------------

/// A column of the run by name.
struct Series {
  enum class Kind { time, position, momentum } kind = Kind::time;
  int index = 0;

  double operator()(const RunData& run, long row) const {
    switch (kind) {
      case Kind::position:
        return run.q(row, index);
      case Kind::momentum:
        return run.p(row, index);
      default:
        return run.time[static_cast<std::size_t>(row)];
    }
  }
};

Series find_series(const RunData& run, const std::string& name) {
  const auto& names = run.header.coordinates;
  for (int i = 0; i < run.header.dimension(); ++i) {
    if (name == names[i]) return {Series::Kind::position, i};
    if (name == "p_" + names[i]) return {Series::Kind::momentum, i};
  }
  if (name == "t") return {};
  std::string known;
  for (const auto& n : names) known += n + ", ";
  for (const auto& n : names) known += "p_" + n + ", ";
  throw InputError("plot", "there is no '" + name + "' to draw; there are " + known + "t");
}

/// The curves of the first panel: one, or one for each point of a family.
struct Curves {
  std::vector<std::string> labels;          // of the axes
  std::vector<std::vector<Series>> curves;  // series per axis
  std::vector<std::string> names;           // of the curves, where there are several
};

/// x_1, x[1] or x1 as ("x", "1").
std::pair<std::string, std::string> split_name(const std::string& name) {
  std::size_t end = name.size();
  if (end > 0 && name[end - 1] == ']') --end;
  std::size_t begin = end;
  while (begin > 0 && std::isdigit(static_cast<unsigned char>(name[begin - 1]))) --begin;
  std::size_t stem = begin;
  if (stem > 0 && (name[stem - 1] == '[' || name[stem - 1] == '_')) --stem;
  if (begin == end || stem == 0) return {name, ""};
  return {name.substr(0, stem), name.substr(begin, end - begin)};
}

/// Families of two or three stems over the same indices, such as x_1, x_2, y_1, y_2.
std::optional<Curves> family_curves(const RunData& run) {
  std::vector<std::string> stems, indices;
  std::map<std::pair<std::string, std::string>, int> where;
  for (int i = 0; i < run.header.dimension(); ++i) {
    const auto key = split_name(run.header.coordinates[i]);
    if (key.second.empty()) return std::nullopt;
    if (std::find(stems.begin(), stems.end(), key.first) == stems.end()) stems.push_back(key.first);
    if (std::find(indices.begin(), indices.end(), key.second) == indices.end())
      indices.push_back(key.second);
    where[key] = i;
  }
  if (stems.size() < 2 || stems.size() > 3 || where.size() != stems.size() * indices.size())
    return std::nullopt;
  Curves found{stems, {}, {}};
  // Of many points a few, the last one among them.
  const std::size_t count = std::min(indices.size(), most_curves);
  for (std::size_t k = 0; k < count; ++k) {
    const std::string& index = indices[(k + 1) * indices.size() / count - 1];
    std::vector<Series> axes;
    axes.reserve(stems.size());
    for (const auto& stem : stems)
      axes.push_back({Series::Kind::position, where.at({stem, index})});
    found.curves.push_back(std::move(axes));
    found.names.push_back(index);
  }
  return found;
}

Curves choose_curves(const RunData& run, const PlotOptions& options) {
  std::vector<std::string> axes = options.axes;
  if (axes.size() == 1 || axes.size() > 3)
    throw InputError("plot", "give two or three names to draw, got " + std::to_string(axes.size()));
  if (axes.empty()) {
    if (auto families = family_curves(run)) return *families;
    const auto& names = run.header.coordinates;
    axes.assign(names.begin(),
                names.begin() + (names.size() == 3 ? 3 : std::min<long>(names.size(), 2)));
    if (axes.size() < 2) axes.insert(axes.begin(), "t");
    if (axes.size() < 2) throw InputError("plot", "the run has no coordinates to draw");
  }
  Curves one{axes, {{}}, {}};
  for (const auto& axis : axes) one.curves[0].push_back(find_series(run, axis));
  return one;
}

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void add(double x) {
    if (!std::isfinite(x)) return;
    low = std::min(low, x);
    high = std::max(high, x);
  }
  bool empty() const { return !(low <= high); }
  /// With some air, and never a single value.
  Range padded(double part) const {
    if (empty()) return {-1, 1};
    double air = part * (high - low);
    const double least = 1e-12 * std::max(std::abs(low), std::abs(high));
    if (!(air > least)) air = std::max({std::abs(low), std::abs(high), 1.0}) * 0.5;
    return {low - air, high + air};
  }
};

// ---- data ------------------------------------------------------------------------------------

/// Rows from one drawn point of a curve to the next.
long curve_stride(const RunData& run) {
  return std::max(1L, (run.rows() + most_points - 1) / most_points);
}

void curve_data(std::string& script, const RunData& run, const Curves& c) {
  const long stride = curve_stride(run);
  for (std::size_t k = 0; k < c.curves.size(); ++k) {
    say(script, "$curve%zu << EOD", k);
    for (long row = 0; row < run.rows(); row += stride) {
      for (const Series& s : c.curves[k]) number(script, s(run, row));
      script += '\n';
    }
    script += "EOD\n";
    const long last = run.rows() - 1;
    say(script, "$ends%zu << EOD", k);
    for (long row : {0L, last}) {
      for (const Series& s : c.curves[k]) number(script, s(run, row));
      script += '\n';
    }
    script += "EOD\n";
  }
}

/// Rows in each column of a plot over time.
long column_stride(long rows) { return std::max(1L, (rows + most_columns - 1) / most_columns); }

/// Time, least and greatest of the values in each column of the picture.
template <class Value>
void envelope(std::string& script, const char* name, const RunData& run, Value&& value) {
  const long stride = column_stride(run.rows());
  say(script, "$%s << EOD", name);
  for (long row = 0; row < run.rows(); row += stride) {
    Range range;
    for (long k = row; k < std::min(row + stride, run.rows()); ++k) range.add(value(k));
    number(script, run.time[static_cast<std::size_t>(row)]);
    number(script, range.empty() ? NAN : range.low);
    number(script, range.empty() ? NAN : range.high);
    script += '\n';
  }
  script += "EOD\n";
}

/// Whether drawn neighbours are so far apart that a line between them says nothing.
bool scattered(const RunData& run, const Curves& c) {
  const long stride = curve_stride(run);
  double jumps = 0, size = 0;
  long count = 0;
  for (const auto& axes : c.curves)
    for (const Series& s : axes) {
      Range range;
      for (long row = 0; row < run.rows(); row += stride) {
        range.add(s(run, row));
        const double jump = row > 0 ? std::abs(s(run, row) - s(run, row - stride)) : NAN;
        if (std::isfinite(jump)) jumps += jump, ++count;
      }
      size += range.empty() ? 0 : range.high - range.low;
    }
  const auto series = static_cast<double>(c.curves.size() * c.labels.size());
  const double usual = jumps / static_cast<double>(std::max(count, 1L)) * series;
  return run.rows() > 50 && usual > (stride > 1 ? 0.02 : 0.2) * size;
}

// ---- panels ----------------------------------------------------------------------------------

/// Part of the picture, as fractions of it.
struct Box {
  double left, right, bottom, top;
};

void place(std::string& script, const Box& box) {
  say(script, "set lmargin at screen %.5f\nset rmargin at screen %.5f", box.left, box.right);
  say(script, "set bmargin at screen %.5f\nset tmargin at screen %.5f", box.bottom, box.top);
}

/// What a panel shows, above it on the left.
void heading(std::string& script, const Box& box, const std::string& text) {
  say(script,
      "set label 3 %s at screen %.5f, screen %.5f left enhanced font ',12' tc rgb '#222222'",
      gnuplot_quoted(text).c_str(), box.left, box.top + 0.035);
}

void style(std::string& script, const PlotOptions& options, const RunData& run) {
  std::string title = options.title;
  if (title.empty()) title = run.header.model + "   ·   " + run.header.method;
  say(script, "set encoding utf8");
  say(script, "set multiplot");
  script += "set label 1 " + gnuplot_quoted(title) +
            " at screen 0.5, screen 0.955 center noenhanced font ',15' tc rgb '#222222'\n";
  script +=
      "set border 3 lw 1 lc rgb '#666666'\n"
      "set tics nomirror out scale 0.6 tc rgb '#333333'\n"
      "set grid lw 0.6 lc rgb '#e4e4e4' lt 1\n"
      "unset key\n"
      "set style data lines\n";
}

std::vector<Range> trajectory_ranges(const RunData& run, const Curves& c) {
  std::vector<Range> ranges(c.labels.size());
  for (const auto& axes : c.curves)
    for (std::size_t axis = 0; axis < axes.size(); ++axis)
      for (long row = 0; row < run.rows(); ++row) ranges[axis].add(axes[axis](run, row));
  for (Range& range : ranges) range = range.padded(0.06);
  return ranges;
}

/// The largest box of the panel in which both axes have the same scale. A flat or thin curve is
/// stretched rather than lost.
Box to_scale(const Box& panel, std::vector<Range>& ranges, const PlotOptions& options) {
  const double width = (panel.right - panel.left) * options.width;
  const double height = (panel.top - panel.bottom) * options.height;
  double x = ranges[0].high - ranges[0].low, y = ranges[1].high - ranges[1].low;
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
  const auto size = [&](int axis) { return ranges[axis].high - ranges[axis].low; };
  const double wide = size(0) * std::cos(turn) + size(1) * std::sin(turn);
  const double high = size(2) * std::sin(tilt) +
                      (size(0) * std::sin(turn) + size(1) * std::cos(turn)) * std::cos(tilt);
  constexpr double beyond = 1.15;  // how much wider than the panel it draws, measured
  const double width = (panel.right - panel.left) * options.width * beyond;
  const double height = (panel.top - panel.bottom) * options.height;
  const double part = std::min(1.0, height / high * wide / width);
  const double spare = (panel.right - panel.left) * (1 - part) / 2;
  return {panel.left + spare, panel.right - spare, panel.bottom, panel.top};
}

void trajectory_axes(std::string& script, const RunData& run, const Curves& c,
                     const PlotOptions& options) {
  const bool solid = c.labels.size() == 3;
  std::vector<Range> ranges = trajectory_ranges(run, c);
  // Lengths are drawn to scale, against lengths.
  bool lengths = true;
  for (const Series& s : c.curves[0]) lengths = lengths && s.kind == Series::Kind::position;
  const Box panel{0.075, 0.455, 0.12, 0.85};
  heading(script, {0.03, 0, 0, 0.85}, "trajectory   (○ start, ● end)");
  if (solid) {
    const Box space{0.125, 0.425, 0.07, 0.84};
    place(script, lengths ? fitted(space, ranges, options) : space);
    say(script, "set view 62, 32, %s\nset xyplane relative 0.03\nset border 31",
        lengths ? "1.0, 1.0\nset view equal xyz" : "0.95, 1.0");
    say(script, "set xtics offset -0.3,-0.3\nset ytics offset 0.7,-0.2");
  } else {
    place(script, lengths ? to_scale(panel, ranges, options) : panel);
  }
  const char* letters[] = {"x", "y", "z"};
  for (std::size_t axis = 0; axis < c.labels.size(); ++axis) {
    say(script, "set %srange [%.10g:%.10g]", letters[axis], ranges[axis].low, ranges[axis].high);
    script += std::string("set ") + letters[axis] + "label " + gnuplot_quoted(c.labels[axis]) +
              " noenhanced\n";
  }
  if (!lengths && ranges[1].high - ranges[1].low < 1e-3 * std::abs(ranges[1].high))
    say(script, "set format y '%%.6g'");
}

void trajectory(std::string& script, const RunData& run, const Curves& c,
                const PlotOptions& options) {
  const bool solid = c.labels.size() == 3, several = c.curves.size() > 1;
  const bool dots = scattered(run, c);
  trajectory_axes(script, run, c, options);
  if (several)
    say(script,
        "set key at screen 0.45, screen 0.895 right reverse Left horizontal samplen 1.5 width 1");
  script += solid ? "splot " : "plot ";
  for (std::size_t k = 0; k < c.curves.size(); ++k) {
    const std::string colour = std::string(" lc rgb '") + curve_colours[k] + "'";
    script += (k > 0 ? ", $curve" : "$curve") + std::to_string(k);
    script += (dots ? " with points pt 7 ps 0.25" : " with lines lw 1.3") + colour;
    script += several ? " title " + gnuplot_quoted(c.names[k]) : std::string(" notitle");
    const auto end = [&](int which, const char* points, const std::string& in) {
      script += ", $ends" + std::to_string(k);
      script += which == 0 ? " every ::0::0 with points " : " every ::1::1 with points ";
      script += points + in;
      script += " notitle";
    };
    const std::string dark = several ? colour : " lc rgb '#222222'";
    end(0, "pt 7 ps 1.3", " lc rgb 'white'");
    end(0, "pt 6 ps 1.3 lw 1.6", dark);
    end(1, "pt 7 ps 1.2", dark);
  }
  script += "\nset view noequal\nset border 3\nunset zlabel\nunset label 1\nunset key\n";
  say(script, "set xtics offset 0,0\nset ytics offset 0,0\nunset ylabel\nset format y '%%g'");
}

void time_axis(std::string& script, const RunData& run, bool labelled) {
  Range range;
  for (double t : run.time) range.add(t);
  if (range.empty() || range.low == range.high) range = range.padded(0);
  say(script, "set xrange [%.10g:%.10g]", range.low, range.high);
  say(script, labelled ? "set xlabel 'time' enhanced\nset format x '%%g'"
                       : "unset xlabel\nset format x ''");
}

void energy_error(std::string& script, const RunData& run) {
  const Box box{0.56, 0.975, 0.55, 0.85};
  const double start = run.energy.empty() ? 0 : run.energy.front();
  Range range;
  for (double e : run.energy) range.add(e - start);
  const double largest = range.empty() ? 0 : std::max(-range.low, range.high);
  // Numbers of ordinary size on the axis, the power of ten above it.
  const int power = largest > 0 ? static_cast<int>(std::floor(std::log10(largest))) : 0;
  const double unit = std::pow(10.0, power);
  envelope(script, "energy", run,
           [&](long row) { return (run.energy[static_cast<std::size_t>(row)] - start) / unit; });
  place(script, box);
  time_axis(script, run, false);
  heading(script, box,
          power != 0 ? "energy error   H − H_0   in units of 10^{" + std::to_string(power) + "}"
                     : "energy error   H − H_0");
  range.low /= unit, range.high /= unit;
  range.add(0);
  range = largest > 0 ? range.padded(0.08) : Range{-1, 1};
  say(script, "set yrange [%.6g:%.6g]", range.low, range.high);
  if (!(largest > 0))
    say(script, "set label 2 '%s' at graph 0.5, graph 0.65 center tc rgb '#666666'",
        range.empty() ? "not a number" : "zero to the last bit");
  say(script,
      "plot 0 lc rgb '#999999' lw 0.8, $energy using 1:2:3 with filledcurves fs solid 0.35 "
      "noborder lc rgb '%s', $energy using 1:2 lc rgb '%s' lw 1.1, $energy using 1:3 lc rgb '%s' "
      "lw 1.1%s",
      blue, blue, blue,
      run.rows() == 1 ? ", $energy using 1:2 with points pt 7 lc rgb '#0072B2'" : "");
  say(script, "unset label 2");
}

/// The decades of a logarithmic axis. What is below them, zeros too, lies on the lower edge, which
/// is then called 0: a few values far below the rest do not squeeze the picture.
struct Decades {
  int low = -17, high = -15;
  bool below = false;

  explicit Decades(std::initializer_list<const std::vector<double>*> drawn) {
    std::vector<double> positive;
    for (const auto* values : drawn)
      for (double v : *values)
        if (v > 0 && std::isfinite(v)) positive.push_back(v);
    std::sort(positive.begin(), positive.end());
    if (!positive.empty()) {
      low = static_cast<int>(std::floor(std::log10(positive[positive.size() / 50])));
      high = static_cast<int>(std::ceil(std::log10(positive.back()) + 0.1));
    }
    high = std::max(high, low + 2);
    for (const auto* values : drawn)
      for (double v : *values) below = below || v < std::pow(10.0, low);
    low -= below;
  }
};

/// The greatest value in each column of the picture; NaN where there is none.
std::vector<double> column_maxima(const std::vector<double>& values) {
  const auto rows = static_cast<long>(values.size()), stride = column_stride(rows);
  std::vector<double> maxima;
  for (long row = 0; row < rows; row += stride) {
    Range range;
    for (long k = row; k < std::min(row + stride, rows); ++k)
      range.add(values[static_cast<std::size_t>(k)]);
    maxima.push_back(range.empty() ? NAN : range.high);
  }
  return maxima;
}

void residuals(std::string& script, const RunData& run) {
  const Box box{0.56, 0.975, 0.12, 0.42};
  const std::vector<double> constraint = column_maxima(run.constraint),
                            hidden = column_maxima(run.hidden);
  const Decades axis({&constraint, &hidden});
  const double floor = std::pow(10.0, axis.low), least = axis.below ? 10 * floor : floor;
  script += "$residuals << EOD\n";
  for (std::size_t i = 0; i < constraint.size(); ++i) {
    number(script, run.time[i * static_cast<std::size_t>(column_stride(run.rows()))]);
    for (double v : {constraint[i], hidden[i]}) number(script, v < least ? floor : v);
    script += '\n';
  }
  script += "EOD\n";
  place(script, box);
  time_axis(script, run, true);
  heading(script, box, "constraint residuals");
  say(script, "set logscale y\nset yrange [1e%d:1e%d]\nset format y '10^{%%T}'", axis.low,
      axis.high);
  const int step = std::max(1, (axis.high - axis.low + 4) / 5);
  say(script, "set ytics 1e%d, 1e%d", axis.low + axis.below, step);
  if (axis.below) say(script, "set ytics add ('0' 1e%d)", axis.low);
  say(script,
      "set key at screen 0.975, screen 0.457 right reverse Left horizontal samplen 0.6 width 1");
  const char* size = run.rows() > 200 ? "0.3" : "0.55";
  say(script,
      "plot $residuals using 1:3 with points pt 7 ps %s lc rgb '%s' notitle, "
      "$residuals using 1:2 with points pt 7 ps %s lc rgb '%s' notitle, "
      "keyentry with points pt 7 ps 0.8 lc rgb '%s' title 'max |g|', "
      "keyentry with points pt 7 ps 0.8 lc rgb '%s' title 'max |\\{g, H\\}|'",
      size, orange, size, blue, blue, orange);
}

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

}  // namespace

std::string plot_script(const RunData& run, const std::string& path, const PlotOptions& options) {
  if (run.rows() == 0) throw InputError("plot", "the run holds no states");
  std::string script = terminal(path, options) + "\nset output " + gnuplot_quoted(path) + "\n";
  const Curves curves = choose_curves(run, options);
  curve_data(script, run, curves);
  style(script, options, run);
  trajectory(script, run, curves, options);
  energy_error(script, run);
  residuals(script, run);
  script += "unset multiplot\nset output\n";
  return script;
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
