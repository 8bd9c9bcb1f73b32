// A figure as data: panels side by side, each with a table of numbers and which of its columns are
// drawn. The same tables go into CSV files.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

namespace rattleback {

struct FigureCurve {
  enum class Style { line, points };
  std::string x, y;  ///< columns; rows where one is NaN end a line
  std::string name;  ///< in the key; empty: not there
  Style style = Style::line;
};

struct FigurePanel {
  std::string heading, x_label, y_label;
  std::vector<std::string> columns;
  std::vector<double> values{};  ///< by rows
  std::vector<FigureCurve> curves{};
  std::string colour{};   ///< a column on a grid of the first two, drawn as a map below the curves
  bool to_scale = false;  ///< one unit is as long on both axes
  bool logarithmic = false;  ///< the y axis

  void add(std::initializer_list<double> row) { values.insert(values.end(), row); }
  long rows() const {
    return columns.empty() ? 0 : static_cast<long>(values.size() / columns.size());
  }
  double at(long row, const std::string& column) const;
};

struct Figure {
  std::string title;
  std::vector<FigurePanel> panels;
};

/// Draws to .svg or .png. Throws FileError for the file, Error where gnuplot is missing or fails.
void draw_figure(const Figure& figure, const std::string& path,
                 const std::string& gnuplot = "gnuplot");
/// What gnuplot is told.
std::string figure_script(const Figure& figure, const std::string& path);

/// The table with the names of its columns; numbers read back the same.
std::string csv_of(const FigurePanel& panel);

}  // namespace rattleback
