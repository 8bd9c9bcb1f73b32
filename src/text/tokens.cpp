#include "tokens.hpp"

#include <charconv>
#include <cmath>
#include <cstdlib>

namespace rattleback::text {

namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

unsigned code_point(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) & 0x3fU : 0U;
  };
  const auto first = static_cast<unsigned char>(text[0]);
  switch (character_length(text[0])) {
    case 1:
      return first;
    case 2:
      return (first & 0x1fU) << 6 | byte(1);
    case 3:
      return (first & 0xfU) << 12 | byte(1) << 6 | byte(2);
    default:
      return (first & 0x7U) << 18 | byte(1) << 12 | byte(2) << 6 | byte(3);
  }
}

/// Latin with accents, and Greek.
bool is_letter(unsigned code) {
  if (code < 0x80) return (code | 0x20U) - 'a' < 26;
  if (code == 0xd7 || code == 0xf7) return false;  // the signs for times and divided by
  return (code >= 0xc0 && code < 0x250) || (code >= 0x386 && code <= 0x3ff && code != 0x387);
}

}  // namespace

std::size_t name_length(std::string_view text) {
  std::size_t length = 0;
  while (length < text.size()) {
    const char c = text[length];
    if (c != '_' && !(is_digit(c) && length > 0) && !is_letter(code_point(text.substr(length))))
      break;
    length += character_length(c);
  }
  return std::min(length, text.size());
}

void Tokens::read_number(std::string_view rest) {
  // The dots of 1..N are no decimal point.
  std::size_t digits = 0;
  while (digits < rest.size() && is_digit(rest[digits])) ++digits;
  if (rest.substr(digits).starts_with("..")) rest = rest.substr(0, digits);
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), now_.value);
  now_.kind = Token::number;
  now_.length = end - rest.data();
  if (error != std::errc::result_out_of_range) return;
  now_.value = std::strtod(std::string(words(now_)).c_str(), nullptr);  // tiny, or infinite
  if (std::isinf(now_.value)) fail("the number " + in_quotes(words(now_)) + " is too large");
}

void Tokens::refuse(std::string_view rest) const {
  const std::string_view sign = rest.substr(0, character_length(rest[0]));
  std::string hint;
  if (sign == "−" || sign == "–") hint = "; write '-' for minus";
  if (sign == "×" || sign == "·" || sign == "⋅") hint = "; write '*' to multiply";
  if (sign == "=") hint = "; a constraint is the expression that is to be zero";
  if (sign == "²" || sign == "³") hint = "; write '^' for powers";
  fail("unexpected character " + in_quotes(sign) + hint);
}

void Tokens::advance() {
  const std::string& all = passage_.text;
  std::size_t at = now_.begin + now_.length;
  while (at < all.size() && (all[at] == ' ' || all[at] == '\t' || all[at] == '\n')) ++at;
  now_ = {.begin = at};
  if (at == all.size()) return;
  const std::string_view rest = std::string_view(all).substr(at);
  const char c = rest[0];
  if (is_digit(c) || (c == '.' && rest.size() > 1 && is_digit(rest[1]))) return read_number(rest);
  now_.length = name_length(rest);
  if (now_.length > 0) {
    now_.kind = Token::name;
  } else if (rest.starts_with("..")) {
    now_.kind = Token::range;
    now_.length = 2;
  } else if (rest.starts_with("**")) {
    fail("'**' is not an operator; write '^' for powers");
  } else if (std::string_view("+-*/^(),[]").find(c) != std::string_view::npos) {
    now_.kind = c;
    now_.length = 1;
  } else {
    refuse(rest);
  }
}

}  // namespace rattleback::text
