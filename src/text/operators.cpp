#include "operators.hpp"

#include "syntax.hpp"

namespace rattleback::text {

std::optional<Operation> find_function(std::string_view name) {
  for (const Operation f : known_functions)
    if (spelling(f) == name) return f;
  return {};
}

}  // namespace rattleback::text
