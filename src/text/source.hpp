// The text of a model file, and errors that point into it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rattleback/text/model.hpp"

namespace rattleback::text {

/// 'as quoted in a message': long texts are cut, what cannot be printed becomes '?'.
std::string in_quotes(std::string_view text);
/// "1 entry", "2 entries".
std::string counted(std::size_t count, const std::string& one, const std::string& many);
/// The length of the UTF-8 character that begins with this byte.
int character_length(char first);

class Source {
 public:
  /// A name without positions in messages (such as --set) is not a file's.
  Source(std::string name, std::string text, bool is_file = true);

  const std::string& name() const { return name_; }
  const std::string& text() const { return text_; }
  /// The byte at a position; the end of the line if the column is behind it.
  std::size_t offset(TextPosition position) const;
  TextPosition position(std::size_t offset) const;
  [[noreturn]] void fail(TextPosition position, const std::string& message) const;

 private:
  std::string_view line(int number) const;
  std::string excerpt(TextPosition position) const;

  std::string name_, text_;
  bool is_file_;
  std::vector<std::size_t> line_starts_;
};

/// A string of the file: what it says, and where it stands (at its opening quote, if it has one).
struct Passage {
  const Source* source;
  std::string text;
  TextPosition position;
};

/// Points at byte `offset` of the passage's text, through escapes and line breaks.
[[noreturn]] void fail(const Passage& passage, std::size_t offset, const std::string& message);

}  // namespace rattleback::text
