// How much memory a model will take, before it is taken.
#pragma once

#include <cstdint>

namespace rattleback {

/// Bytes at most, about, from the text of a natural system to its first step, its constraints and
/// their slopes of some ten operations each: graph, derivatives, programs and the linear algebra.
/// Measured (estimated): chain of 10^5 links 344 MB (528), tree of 16383 89 MB (93), net of
/// 100 x 100 bodies 94 MB (101).
constexpr std::uint64_t setup_memory(std::uint64_t coordinates, std::uint64_t constraints,
                                     std::uint64_t nonzeros) {
  return 8'000'000 + 500 * coordinates + 1000 * constraints + 800 * nonzeros;
}

}  // namespace rattleback
