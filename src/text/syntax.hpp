// Expressions, parsed once: code for a stack machine, which expand.hpp runs for every index.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "rattleback/expression/graph.hpp"
#include "scope.hpp"

namespace rattleback::text {

/// One step of the machine. Operands are on the stack, the last one on top.
struct Step {
  enum class Kind : std::uint8_t { number, index, symbol, element, operation, sum, each };

  Kind kind;
  Operation operation{};           ///< of Kind::operation
  int slot = 0;                    ///< of an index, and of the index that sum and each run over
  std::size_t offset = 0;          ///< where it stands in the text
  std::size_t end = 0;             ///< sum and each: their body goes up to this step
  double number = 0;               ///< of Kind::number
  const Symbol* symbol = nullptr;  ///< symbol; element takes an index from the stack
};

struct Code {
  Passage passage;
  std::vector<Step> steps{};
  std::vector<std::string> indices{};  ///< names by slot, for messages
  std::size_t body = 0, body_end = 0;  ///< of a constraint: the text without each(...)
};

/// What an expression may contain, for instance "the potential": coordinates and parameters.
struct Allowed {
  std::string what;
  int kinds = Symbol::parameter;       ///< sum of Symbol::Kind
  bool may_be_family = false;          ///< each(...)
  std::vector<std::string> indices{};  ///< known from outside, such as i of [initial]
};

std::optional<Operation> find_function(std::string_view name);

/// Throws TextError at the place of the mistake.
Code parse_expression(const Passage& passage, const Scope& scope, const Allowed& allowed);

/// "x" or "x[1..N]".
struct CoordinateEntry {
  std::string name;
  std::optional<Code> lower{}, upper{};
};
CoordinateEntry parse_coordinate(const Passage& passage, const Scope& scope);

}  // namespace rattleback::text
