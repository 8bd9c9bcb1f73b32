#include "json.hpp"

#include <charconv>
#include <cmath>
#include <cstdio>

namespace rattleback::app {

namespace {

/// The length of the UTF-8 character at the front, 0 if it is none.
std::size_t character_length(std::string_view s) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(s[i]); };
  const unsigned char first = byte(0);
  const std::size_t length = first < 0x80                     ? 1
                             : first >= 0xC2 && first <= 0xDF ? 2
                             : first >= 0xE0 && first <= 0xEF ? 3
                             : first >= 0xF0 && first <= 0xF4 ? 4
                                                              : 0;
  if (length == 0 || length > s.size()) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xC0) != 0x80) return 0;
  return length;
}

std::string quoted(std::string_view value) {
  std::string text = "\"";
  while (!value.empty()) {
    const char c = value.front();
    const std::size_t length = character_length(value);
    if (length == 0) {
      text += "\\ufffd";
    } else if (c == '"' || c == '\\') {
      text += {'\\', c};
    } else if (c == '\n') {
      text += "\\n";
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\u%04x", c);
      text += escape;
    } else {
      text += value.substr(0, length);
    }
    value.remove_prefix(length == 0 ? 1 : length);
  }
  return text + '"';
}

}  // namespace

std::string shortest(double value) {
  char text[64];
  const double size = std::abs(value);
  const bool readable = value == 0 || (size >= 1e-5 && size < 1e15);  // 0.0005, not 5e-04
  const auto end = readable
                       ? std::to_chars(text, text + sizeof text, value, std::chars_format::fixed)
                       : std::to_chars(text, text + sizeof text, value);
  return std::string(text, end.ptr);
}

Json::Json(double value) : text_(std::isfinite(value) ? shortest(value) : "null") {}

Json::Json(std::string_view value) : text_(quoted(value)) {}

Json Json::object(std::initializer_list<Member> members) {
  Json result(Raw{"{}"});
  for (const auto& [key, value] : members) result.add(key, value);
  return result;
}

void Json::add(std::string_view key, const Json& value) {
  text_.pop_back();
  if (text_.size() > 1) text_ += ", ";
  text_ += quoted(key) + ": " + value.text_ + "}";
}

}  // namespace rattleback::app
