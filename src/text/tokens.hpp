// The words of an expression.
#pragma once

#include <optional>
#include <string_view>

#include "source.hpp"

namespace rattleback::text {

struct Token {
  /// number, name, range (..) or end; any other sign stands for itself: '+', '('.
  static constexpr char number = '0', name = 'a', range = '.', end = '\0';

  char kind = end;
  std::size_t begin = 0, length = 0;
  double value = 0;  ///< of a number
};

/// How many bytes at the beginning make a name; 0 if none do.
std::size_t name_length(std::string_view text);

class Tokens {
 public:
  explicit Tokens(const Passage& passage) : passage_(passage) { advance(); }

  const Token& now() const { return now_; }
  void advance();
  std::string_view words(const Token& token) const {
    return std::string_view(passage_.text).substr(token.begin, token.length);
  }
  const Passage& passage() const { return passage_; }
  [[noreturn]] void fail(const std::string& message) const {
    text::fail(passage_, now_.begin, message);
  }

 private:
  void read_number(std::string_view rest);
  [[noreturn]] void refuse(std::string_view rest) const;

  const Passage& passage_;
  Token now_;
};

}  // namespace rattleback::text
