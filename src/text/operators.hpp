// The functions and signs of an expression.
#pragma once

#include <array>

#include "rattleback/expression/graph.hpp"

namespace rattleback::text {

inline constexpr std::array known_functions = {
    Operation::sqrt, Operation::exp,  Operation::log,  Operation::sin,  Operation::cos,
    Operation::tan,  Operation::asin, Operation::acos, Operation::atan, Operation::atan2,
    Operation::sinh, Operation::cosh, Operation::tanh, Operation::abs};

/// How tightly an operator binds: 1 + -, 2 * /, 3 minus in front, 4 ^; 0 for all else.
inline int binding(char sign) {
  switch (sign) {
    case '+':
    case '-':
      return 1;
    case '*':
    case '/':
      return 2;
    case '^':
      return 4;
    default:
      return 0;
  }
}

inline Operation operation_of(char sign) {
  switch (sign) {
    case '+':
      return Operation::add;
    case '-':
      return Operation::subtract;
    case '*':
      return Operation::multiply;
    case '/':
      return Operation::divide;
    default:
      return Operation::power;
  }
}

}  // namespace rattleback::text
