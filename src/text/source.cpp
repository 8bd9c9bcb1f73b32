#include "source.hpp"

#include <algorithm>
#include <charconv>

namespace rattleback {

namespace {

std::string place(const std::string& file, TextPosition position) {
  if (position.line == 0) return file;
  return file + ':' + std::to_string(position.line) + ':' + std::to_string(position.column);
}

}  // namespace

TextError::TextError(const std::string& file, TextPosition position, const std::string& what,
                     const std::string& excerpt)
    : InputError(place(file, position), excerpt.empty() ? what : what + '\n' + excerpt),
      position_(position) {}

namespace text {

namespace {

constexpr bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

/// The first byte that comes after `count` characters, at most `end`.
std::size_t advance(std::string_view text, std::size_t at, int count, std::size_t end) {
  for (; count > 0 && at < end; --count) at += character_length(text[at]);
  return std::min(at, end);
}

int count_characters(std::string_view text) {
  return static_cast<int>(
      std::count_if(text.begin(), text.end(), [](char c) { return !is_continuation(c); }));
}

/// Walks through a string as it is written in the file, one character of its value at a time.
class WrittenString {
 public:
  WrittenString(std::string_view text, std::size_t at) : text_(text), at_(at) {
    const char quote = peek();
    if (quote != '"' && quote != '\'') return;
    basic_ = quote == '"';
    const bool is_long = peek(1) == quote && peek(2) == quote;
    at_ += is_long ? 3 : 1;
    if (!is_long) return;
    if (peek() == '\r') ++at_;
    if (peek() == '\n') ++at_;  // a newline right after the opening quotes is not part of it
  }

  std::size_t at() {
    skip_line_joins();
    return at_;
  }

  /// The bytes of the value that the next character makes.
  int next() {
    skip_line_joins();
    if (at_ >= text_.size()) return 0;
    if (basic_ && peek() == '\\') return next_escape();
    if (peek() == '\r' && peek(1) == '\n') ++at_;
    const int length = character_length(text_[at_]);
    at_ += length;
    return length;
  }

 private:
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }

  int next_escape() {
    const int digits = peek(1) == 'u' ? 4 : peek(1) == 'U' ? 8 : 0;
    unsigned code = 0;
    const std::size_t first = std::min(at_ + 2, text_.size());
    const std::size_t last = std::min(first + digits, text_.size());
    std::from_chars(text_.data() + first, text_.data() + last, code, 16);
    at_ = last;
    return code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }

  /// A backslash at the end of a line joins it with the next text.
  void skip_line_joins() {
    while (basic_ && peek() == '\\') {
      std::size_t end = at_ + 1;
      bool has_newline = false;
      for (; end < text_.size(); ++end) {
        const char c = text_[end];
        if (c == '\n') has_newline = true;
        if (c != ' ' && c != '\t' && c != '\r' && c != '\n') break;
      }
      if (!has_newline) return;
      at_ = end;
    }
  }

  std::string_view text_;
  std::size_t at_;
  bool basic_ = false;
};

}  // namespace

int character_length(char first) {
  const auto c = static_cast<unsigned char>(first);
  return c < 0xc0 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t longest = 60;
  std::string out = "'";
  for (const char letter : text) {
    if (out.size() > longest && !is_continuation(letter)) {
      out += "...";
      break;
    }
    const auto c = static_cast<unsigned char>(letter);
    out += c < 0x20 || c == 0x7f ? '?' : letter;
  }
  return out + "'";
}

std::string counted(std::size_t count, const std::string& one, const std::string& many) {
  return std::to_string(count) + ' ' + (count == 1 ? one : many);
}

Source::Source(std::string name, std::string text, bool is_file)
    : name_(std::move(name)), text_(std::move(text)), is_file_(is_file), line_starts_{0} {
  for (std::size_t i = 0; i < text_.size(); ++i)
    if (text_[i] == '\n') line_starts_.push_back(i + 1);
}

std::string_view Source::line(int number) const {
  if (number < 1 || number > static_cast<int>(line_starts_.size())) return {};
  const std::size_t begin = line_starts_[number - 1];
  std::string_view rest = std::string_view(text_).substr(begin);
  rest = rest.substr(0, rest.find('\n'));
  if (rest.ends_with('\r')) rest.remove_suffix(1);
  return rest;
}

std::size_t Source::offset(TextPosition position) const {
  if (position.line < 1 || position.line > static_cast<int>(line_starts_.size()))
    return text_.size();
  const std::size_t begin = line_starts_[position.line - 1];
  return advance(text_, begin, position.column - 1, begin + line(position.line).size());
}

TextPosition Source::position(std::size_t offset) const {
  offset = std::min(offset, text_.size());
  const auto after = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  const std::size_t begin = *(after - 1);
  return {static_cast<int>(after - line_starts_.begin()),
          1 + count_characters(std::string_view(text_).substr(begin, offset - begin))};
}

std::string Source::excerpt(TextPosition position) const {
  constexpr int window = 100, before = 60;  // characters of a long line that are shown
  const std::string_view all = line(position.line);
  const int first = position.column > window ? position.column - before : 0;
  const std::size_t begin = advance(all, 0, first, all.size());
  const std::size_t end = advance(all, begin, window, all.size());
  std::string shown = first > 0 ? "..." : "";
  int caret = position.column - 1 - first + static_cast<int>(shown.size());
  for (const char c : all.substr(begin, end - begin))
    shown += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  if (end < all.size()) shown += "...";
  caret = std::min(caret, count_characters(shown));
  const std::string number = is_file_ ? std::to_string(position.line) : "";
  return "  " + number + " | " + shown + "\n  " + std::string(number.size(), ' ') + " | " +
         std::string(caret, ' ') + '^';
}

void Source::fail(TextPosition position, const std::string& message) const {
  if (position.line < 1) throw TextError(name_, {}, message);
  throw TextError(name_, is_file_ ? position : TextPosition{}, message, excerpt(position));
}

void fail(const Passage& passage, std::size_t offset, const std::string& message) {
  const Source& source = *passage.source;
  WrittenString written(source.text(), source.offset(passage.position));
  for (std::size_t read = 0; read < offset;) {
    const int bytes = written.next();
    if (bytes == 0) break;
    read += bytes;
  }
  source.fail(source.position(written.at()), message);
}

}  // namespace text
}  // namespace rattleback
