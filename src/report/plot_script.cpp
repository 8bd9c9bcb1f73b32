#include "plot_script.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdarg>

namespace rattleback::detail {

namespace {

void append_number(std::string& text, double x) {
  char digits[32];
  // Three digits beyond what a picture shows.
  char* end =
      std::isfinite(x)
          ? std::to_chars(digits, digits + sizeof digits, x, std::chars_format::general, 8).ptr
          : std::copy_n("NaN", 3, digits);
  text.append(digits, end);
  text += ' ';
}

}  // namespace

void PlotScript::say(const char* format, ...) {
  char line[1024];
  va_list arguments;
  va_start(arguments, format);
  std::vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  text_ += line;
  text_ += '\n';
}

void PlotScript::data(const std::string& name, const Table& table) {
  text_ += "$" + name + " << EOD\n";
  for (long row = 0; row < table.rows; ++row) {
    for (int column = 0; column < table.columns; ++column) append_number(text_, table(row, column));
    text_ += '\n';
  }
  text_ += "EOD\n";
}

void PlotScript::place(const Box& box) {
  say("set lmargin at screen %.5f\nset rmargin at screen %.5f", box.left, box.right);
  say("set bmargin at screen %.5f\nset tmargin at screen %.5f", box.bottom, box.top);
}

void PlotScript::heading(const Box& box, const std::string& text) {
  say("set label 3 '%s' at screen %.5f, screen %.5f left enhanced font ',12' tc rgb '#222222'",
      text.c_str(), box.left, box.top + 0.035);
}

}  // namespace rattleback::detail
