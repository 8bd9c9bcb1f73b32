// Where the values of a program live while it runs: registers, next-use eviction, slots.
// Knows nothing of encodings; native_instructions.cpp turns the steps into instructions.
#pragma once

#include <cstdint>
#include <vector>

#include "rattleback/expression/program.hpp"

namespace rattleback::detail {

struct Place {
  enum Array : std::uint8_t { none, constant, x, y, a, b, slot };
  Array array = none;
  int index = 0;
  bool operator==(const Place&) const = default;
};

/// One instruction, or a call. Registers count from 0, -1 where there is none.
struct Step {
  enum Kind : std::uint8_t {
    load,       ///< target = place
    store,      ///< place = first
    move,       ///< target = first
    compute,    ///< target = operation(first, second or place)
    form_132,   ///< target = target * last + second, with the signs of the fused operation;
    form_213,   ///< target = second * target + last;
    form_231,   ///< target = second * last + target; last: register `first` or place
    sign,       ///< target = sign(first); second is free to use
    call,       ///< register 0 = f(register 0, register 1), or places[result] = f(place, other)
    call_pair,  ///< result = sin, other = cos of register 0 or place
  };
  Kind kind;
  Operation operation = Operation::constant;
  std::int8_t target = -1, first = -1, second = -1;
  Place place{}, other{}, result{};
};

struct Allocation {
  std::vector<Step> steps;
  int slots = 0;
  bool calls = false;
};

/// `calls_in_memory`: arguments and results of calls are in places (several lanes), else in
/// registers 0 and 1. `registers`: how many there are, at most 32.
Allocation allocate(const Program& program, bool calls_in_memory, int registers);

}  // namespace rattleback::detail
