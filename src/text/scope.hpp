// The names that expressions of a model may contain.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "source.hpp"

namespace rattleback::text {

struct Symbol {
  enum Kind { parameter = 1, coordinate = 2, momentum = 4, velocity = 8, observable = 16 };

  Kind kind = parameter;
  bool is_family = false;  ///< takes an index in [lower, upper]
  long lower = 1, upper = 1;
  int first = 0;  ///< the graph's input of its first element, of coordinates and such
  std::vector<double> values{};  ///< of a parameter, once known
};

/// "a coordinate", "a momentum", ...
const char* kind_name(Symbol::Kind kind);

/// Whether this is how a name is written: letters (also Greek), digits and _, no digit first.
bool is_name(std::string_view text);
/// pi, sum, each, and the functions.
bool is_reserved(std::string_view name);

class Scope {
 public:
  /// nullptr if there is none. Symbols stay where they are.
  Symbol* find(const std::string& name);
  const Symbol* find(const std::string& name) const;
  /// Returns what is wrong with the name, or nothing: then it is declared.
  std::string declare(const std::string& name, const Symbol& symbol);
  /// The coordinate x with its p_x and x_dot.
  std::string declare_coordinate(const std::string& name, bool is_family);
  /// Every name, for suggestions.
  std::vector<std::string> names() const;

 private:
  std::map<std::string, Symbol, std::less<>> symbols_;
};

}  // namespace rattleback::text
