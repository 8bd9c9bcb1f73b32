// Families among outputs: outputs that are the same function of other places, such as the rows of a
// chain, a tree or a net. They become loops over a few instructions instead of long straight code.
#pragma once

#include <algorithm>
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
  std::vector<std::uint8_t> from, to;  ///< arrays of each input and output, 0: x or a, 1: y or b
  std::vector<int> input, output;      ///< places of input k: the `rows` entries from k * rows on
  std::vector<double> constant;        ///< in the same order
};

/// The places of a gathered family block by block, inputs and then outputs, in the order in which
/// they are asked for. Where they are evenly spaced, as they are in most blocks of a regular tree
/// or net, there is no list of them.
struct BlockPlaces {
  struct Place {
    int first;  ///< of the block's rows; the lowest one if they are listed
    int step;   ///< from row to row, or one of the following
  };
  static constexpr int listed_near = -(1 << 30);      ///< distances from `first` in `near`
  static constexpr int listed_far = listed_near - 1;  ///< and in `far`, where 16 bits are too few
  BlockPlaces() = default;
  explicit BlockPlaces(const GatheredFamily& family);

  /// Row with which block b begins; the last block ends with the last row.
  static int row_of_block(int b, int rows) {
    return std::min(b * GatheredFamily::block, rows - GatheredFamily::block);
  }
  int blocks = 0;
  std::vector<Place> place;
  std::vector<std::uint16_t> near;
  std::vector<int> far;
};

struct Families {
  std::vector<OutputFamily> shifted;
  std::vector<GatheredFamily> gathered;
  std::vector<Program::Output> rest;
};

/// Every output is in one of these.
Families find_families(const Graph& graph, int split, std::span<const Program::Output> outputs);

}  // namespace rattleback
