// Graphs of coupled constraints and orders in which to eliminate them. Set-up only; compiled once.
#pragma once

#include <optional>
#include <vector>

namespace rattleback {

/// For each constraint, the constraints it is coupled with (they share a body).
using CouplingPattern = std::vector<std::vector<int>>;

/// Sorted, symmetric, without repetitions and self-couplings. Throws if an index is out of range.
CouplingPattern normalised(const CouplingPattern& pattern);

/// An order (order[k] is eliminated k-th) in which elimination creates no fill, leaves first;
/// nothing if there is none (the pattern is not chordal: it has a loop of four or more).
std::optional<std::vector<int>> perfect_elimination_ordering(const CouplingPattern& pattern);

/// Approximate minimum degree up to 10^4 constraints, nested dissection (METIS) above.
std::vector<int> fill_reducing_ordering(const CouplingPattern& pattern);

/// Reverse Cuthill-McKee: couplings close to the diagonal.
std::vector<int> band_ordering(const CouplingPattern& pattern);

/// Largest |i - j| of a coupling in the given order.
int half_bandwidth(const CouplingPattern& pattern, const std::vector<int>& order);

namespace detail {

/// Where the entries of L are, for elimination in a given order.
struct SparseLayout {
  std::vector<int> order;                // k-th row eliminated
  std::vector<std::size_t> entry_start;  // row k: the columns with an entry of the matrix
  std::vector<int> entry_column;         //   in elimination numbers, all < k
  std::vector<std::size_t> row_start;    // row k of L: its columns, ascending
  std::vector<int> row_column;
  std::vector<std::size_t> column_start;  // column j of L: its rows, ascending
  std::vector<int> column_row;            //   in elimination numbers
  std::vector<int> column_constraint;     //   the same rows as constraint numbers
};

SparseLayout sparse_layout(const CouplingPattern& pattern, std::vector<int> order);

/// Elimination by fronts: neighbouring columns of L with the same rows below them are one dense
/// panel, and what they leave for those rows is one dense matrix, added to the front that
/// eliminates the first of them (a multifrontal method).
struct FrontLayout {
  struct Front {
    int first, width;  // columns, in elimination numbers
    int below = 0;     // rows below them
    int entries = 0, children = 0;
    std::size_t row = 0;     // of the first row below in `row` and `target`
    std::size_t entry = 0;   // of the first entry
    std::size_t child = 0;   // of the first child
    std::size_t panel = 0;   // where the panel begins: height() x width, by columns
    std::size_t update = 0;  // and what it leaves: below x below, by columns
    int height() const { return width + below; }
  };
  struct Entry {
    int row, column;  // constraints, row >= column
    int place;        // in the panel
  };
  /// Neighbouring fronts of one shape: their columns, panels and rows below follow each other.
  struct Run {
    int first, count;
  };
  std::vector<int> order;  // k-th constraint eliminated
  std::vector<Front> fronts;
  std::vector<Run> runs;    // all fronts, in their order
  std::vector<int> row;     // below each front, ascending, in elimination numbers
  std::vector<int> target;  // the row of the parent's front that each of them is
  std::vector<Entry> entry;
  std::vector<int> child;
  std::size_t panel_size = 0, update_size = 0, largest_update = 0;
  int tallest = 0;
  std::size_t entries_of_factor = 0;  // below the diagonal of L, without those of wider fronts
};

FrontLayout front_layout(const CouplingPattern& pattern, std::vector<int> order);

}  // namespace detail
}  // namespace rattleback
