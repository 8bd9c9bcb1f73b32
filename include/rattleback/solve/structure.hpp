// Which linear solver fits a pattern of coupled constraints: decided once, at set-up.
#pragma once

#include <string>
#include <vector>

#include "rattleback/solve/ordering.hpp"

namespace rattleback {

enum class SolverKind { dense, chain, block_chain, banded, clusters, tree, sparse };

std::string to_string(SolverKind kind);
/// "dense 2 x 2", "chain of 100"
std::string in_words(SolverKind kind, int size);

/// The choice and what its solver needs.
struct Structure {
  SolverKind kind = SolverKind::dense;
  std::vector<int> order{};   ///< dense, chain, block_chain, banded, clusters: row k of the solver
                              ///< is constraint order[k]. tree, sparse: the elimination order; the
                              ///< solver itself keeps the constraints' own numbers
  bool natural_order = true;  ///< order is 0, 1, 2, ...
  int block_size = 1;         ///< block_chain: rows per block
  int half_bandwidth = 0;     ///< banded (and chain: 1)
  std::vector<int> cluster_sizes{};  ///< clusters: sizes, in order
};

/// Small or nearly full patterns are dense; disjoint small groups clusters; paths (several too:
/// then entry is also asked for the zero coupling between the end of one and the start of the next)
/// chain; paths of equal groups block_chain; else banded where the band is narrow, tree where
/// elimination needs no fill, sparse for the rest. Permuted patterns are recognised.
Structure choose_structure(const CouplingPattern& pattern);

/// entry(i, j) in the solver's row numbers; the caller's entry still sees i >= j.
template <class Entry>
auto permuted_entry(const Entry& entry, const std::vector<int>& order) {
  return [&entry, o = order.data()](int i, int j) {
    return o[i] > o[j] ? entry(o[i], o[j]) : entry(o[j], o[i]);
  };
}

/// A vector seen in the solver's row numbers.
template <class Vec>
struct PermutedVector {
  Vec& vector;
  const int* order;
  decltype(auto) operator[](int i) const { return vector[order[i]]; }
};

template <class Vec>
PermutedVector<Vec> permuted_vector(Vec& vector, const std::vector<int>& order) {
  return {vector, order.data()};
}

}  // namespace rattleback
