// Families among outputs: outputs that are the same function of other places, such as the rows of a
// chain, a tree or a net. They become loops over a few instructions instead of long straight code.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "rattleback/expression/program.hpp"

namespace rattleback {

/// Row r writes r places behind `outputs` what they are of inputs r places behind theirs.
struct OutputFamily {
  std::vector<Program::Output> outputs;
  int rows = 1;
};

/// Rows that are the same function of any places, and of constants of their own. They are computed
/// in blocks: number k of a row is entry k * block of the program's x (its inputs, then its
/// constants), and output k entry k * block of a; the next row of the block is one place further.
struct GatheredFamily {
  static constexpr int block = 32;

  int rows = 0;
  Program program;
  struct Array {
    std::uint8_t which;  ///< 0: x or a, 1: y or b
    bool moves_on;       ///< its places follow each other, row by row
    bool operator==(const Array&) const = default;
  };
  std::vector<Array> from, to;     ///< of each input, of each output
  std::vector<int> input, output;  ///< places of input k: the `rows` entries from k * rows on
  std::vector<double> constant;    ///< in the same order
};

struct Families {
  std::vector<OutputFamily> shifted;
  std::vector<GatheredFamily> gathered;
  std::vector<Program::Output> rest;
};

/// Every output is in one of these.
Families find_families(const Graph& graph, int split, std::span<const Program::Output> outputs);

}  // namespace rattleback
