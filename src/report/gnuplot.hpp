// gnuplot as a child process: no shell, no files of our own. Names of files never reach it: it
// draws to its standard output. Names of models and columns reach it as the digits of their bytes.
#pragma once

#include <array>
#include <string>
#include <string_view>

namespace rattleback::detail {

/// The beginning of a script, by the ending of the path. Throws FileError for others than .svg and
/// .png.
std::string picture_terminal(const std::string& path, int width, int height);

/// What all pictures share: frame and grid.
std::string picture_style();

/// Okabe and Ito's colours, told apart by everyone, and a dark one.
inline constexpr std::array<const char*, 7> picture_colours{
    "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#222222"};

/// Runs the script, which has no `set output`, and puts what it draws to the path. Throws FileError
/// where that cannot be written, Error where the program is missing or fails, with what it said.
void draw_picture(const std::string& path, const std::string& program, const std::string& script);

/// Any text as a string in gnuplot: octal digits of UTF-8, so that nothing in it can be run,
/// expanded or end the string. What no picture can hold is shown as a space (control characters) or
/// as U+FFFD (not UTF-8); very long ones are cut. For places marked `noenhanced`.
std::string gnuplot_text(std::string_view text);

}  // namespace rattleback::detail
