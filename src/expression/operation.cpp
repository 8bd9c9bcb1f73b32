#include <cmath>

#include "rattleback/expression/graph.hpp"

namespace rattleback {

int operand_count(Operation operation) {
  if (operation <= Operation::input) return 0;
  if (operation < Operation::add) return 1;
  return operation < Operation::multiply_add ? 2 : 3;
}

std::string_view spelling(Operation operation) {
  static constexpr std::string_view words[] = {
      "constant", "input", "-",    "sqrt", "exp",   "log",  "sin",  "cos",  "tan",
      "asin",     "acos",  "atan", "sinh", "cosh",  "tanh", "abs",  "sign", "+",
      "-",        "*",     "/",    "^",    "atan2", "fma",  "fnma", "fms"};
  return words[static_cast<int>(operation)];
}

double evaluate(Operation operation, double a, double b) {
  switch (operation) {
    case Operation::negate:
      return -a;
    case Operation::sqrt:
      return std::sqrt(a);
    case Operation::exp:
      return std::exp(a);
    case Operation::log:
      return std::log(a);
    case Operation::sin:
      return std::sin(a);
    case Operation::cos:
      return std::cos(a);
    case Operation::tan:
      return std::tan(a);
    case Operation::asin:
      return std::asin(a);
    case Operation::acos:
      return std::acos(a);
    case Operation::atan:
      return std::atan(a);
    case Operation::sinh:
      return std::sinh(a);
    case Operation::cosh:
      return std::cosh(a);
    case Operation::tanh:
      return std::tanh(a);
    case Operation::abs:
      return std::abs(a);
    case Operation::sign:
      return static_cast<double>((a > 0) - (a < 0));
    case Operation::add:
      return a + b;
    case Operation::subtract:
      return a - b;
    case Operation::multiply:
      return a * b;
    case Operation::divide:
      return a / b;
    case Operation::power:
      return std::pow(a, b);
    case Operation::atan2:
      return std::atan2(a, b);
    default:
      return NAN;  // not a function of one or two numbers
  }
}

}  // namespace rattleback
