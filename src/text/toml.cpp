#include "toml.hpp"

#include <algorithm>

// A failed assertion of toml++ is bad input, reported as such further on: it must not abort, and
// with NDEBUG set it would be taken for granted by the optimiser.
#undef NDEBUG
#define TOML_ASSERT(expression) static_cast<void>(0)
#define TOML_ENABLE_FORMATTERS 0
#define TOML_HEADER_ONLY 1
#include <toml++/toml.h>

namespace rattleback::text {

namespace {

TextPosition begin(const toml::source_region& region) {
  return {static_cast<int>(region.begin.line), static_cast<int>(region.begin.column)};
}

Toml convert(const toml::node& node);

Toml convert_table(const toml::table& table, Toml result) {
  result.type = Toml::Type::table;
  for (const auto& [key, value] : table)
    result.entries.push_back({std::string(key.str()), begin(key.source()), convert(value)});
  std::sort(result.entries.begin(), result.entries.end(), [](const auto& a, const auto& b) {
    return std::pair(a.position.line, a.position.column) <
           std::pair(b.position.line, b.position.column);
  });
  return result;
}

Toml convert(const toml::node& node) {
  Toml result{.type = Toml::Type::date, .position = begin(node.source())};
  if (const auto* table = node.as_table()) return convert_table(*table, std::move(result));
  if (const auto* list = node.as_array()) {
    result.type = Toml::Type::list;
    for (const toml::node& item : *list) result.items.push_back(convert(item));
  } else if (const auto* string = node.as_string()) {
    result.type = Toml::Type::string;
    result.string = string->get();
  } else if (const auto* integer = node.as_integer()) {
    result.type = Toml::Type::integer;
    result.number = static_cast<double>(integer->get());
  } else if (const auto* real = node.as_floating_point()) {
    result.type = Toml::Type::real;
    result.number = real->get();
  } else if (const auto* boolean = node.as_boolean()) {
    result.type = Toml::Type::boolean;
    result.boolean = boolean->get();
  }
  return result;
}

/// The end of the string that opens at `at`.
std::size_t end_of_string(std::string_view text, std::size_t at) {
  const char quote = text[at];
  const bool is_long = text.substr(at, 3) == std::string(3, quote);
  const std::string closing(is_long ? 3 : 1, quote);
  for (at += closing.size(); at < text.size(); ++at) {
    if (!is_long && text[at] == '\n') return at;
    if (quote == '"' && text[at] == '\\')
      ++at;
    else if (text.substr(at, closing.size()) == closing)
      return at + closing.size() - 1;
  }
  return text.size();
}

/// What toml++ 3.3 does not survive: dotted keys make nested tables, which are taken apart by
/// recursion, and it gets lost among letters beyond ASCII where TOML allows none.
void refuse_what_breaks(const Source& source) {
  constexpr int deepest = 100;
  const std::string_view text = source.text();
  int dots = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '"' || c == '\'') i = end_of_string(text, i);
    if (c == '#') i = std::min(text.find('\n', i), text.size());
    if (c == '.' && ++dots > deepest)
      source.fail(source.position(i), "a key of more than 100 parts");
    if (static_cast<unsigned char>(c) >= 0x80)
      source.fail(source.position(i), in_quotes(text.substr(i, character_length(c))) +
                                          " may stand in strings, quoted keys and comments only");
    if (c == '\n' || c == '=' || c == ',' || c == '#') dots = 0;
  }
}

}  // namespace

const char* Toml::type_name() const {
  switch (type) {
    case Type::table:
      return "a table";
    case Type::list:
      return "a list";
    case Type::string:
      return "a string";
    case Type::integer:
      return "a whole number";
    case Type::real:
      return "a number";
    case Type::boolean:
      return boolean ? "true" : "false";
    default:
      return "a date or time";
  }
}

const Toml::Entry* Toml::find(std::string_view key) const {
  for (const Entry& entry : entries)
    if (entry.key == key) return &entry;
  return nullptr;
}

Toml parse_toml(const Source& source) {
  refuse_what_breaks(source);
  try {
    const toml::table table = toml::parse(source.text());
    return convert(table);
  } catch (const toml::parse_error& error) {
    source.fail(begin(error.source()), "not TOML: " + std::string(error.description()));
  }
}

}  // namespace rattleback::text
