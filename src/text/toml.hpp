// TOML as a plain tree with the position of every key and value.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "source.hpp"

namespace rattleback::text {

struct Toml {
  enum class Type { table, list, string, integer, real, boolean, date };
  struct Entry;

  Type type = Type::table;
  TextPosition position;
  std::string string{};  ///< of a string
  double number = 0;     ///< of an integer or real
  bool boolean = false;
  std::vector<Toml> items;     ///< of a list
  std::vector<Entry> entries;  ///< of a table, in the order they are written

  bool is(Type t) const { return type == t; }
  /// "a list", "a whole number": for messages.
  const char* type_name() const;
  const Entry* find(std::string_view key) const;
};

struct Toml::Entry {
  std::string key;
  TextPosition position;  ///< of the key
  Toml value;
};

/// Throws TextError with the parser's own words.
Toml parse_toml(const Source& source);

}  // namespace rattleback::text
