// Commands and data for gnuplot, as text.
#pragma once

#include <string>

#include "gnuplot.hpp"
#include "rattleback/report/run_data.hpp"

namespace rattleback::detail {

/// Part of the picture, as fractions of it.
struct Box {
  double left, right, bottom, top;
};

class PlotScript {
 public:
  const std::string& text() const { return text_; }

  /// As it is: for parts of a line, and for texts of any length.
  PlotScript& operator<<(const std::string& text) {
    text_ += text;
    return *this;
  }
  /// A line.
  [[gnu::format(printf, 2, 3)]] void say(const char* format, ...);
  /// $name holds the table.
  void data(const std::string& name, const Table& table);
  /// The next panel fills this box.
  void place(const Box& box);
  /// What a panel shows, above it on the left: words of our own, as they are.
  void heading(const Box& box, const std::string& text);

 private:
  std::string text_;
};

}  // namespace rattleback::detail
