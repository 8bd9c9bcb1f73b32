// Symmetric LDL^T in the form that fits a pattern, chosen once at set-up (structure.hpp).
#pragma once

#include <utility>
#include <variant>

#include "rattleback/solve/banded.hpp"
#include "rattleback/solve/chain.hpp"
#include "rattleback/solve/clusters.hpp"
#include "rattleback/solve/dense.hpp"
#include "rattleback/solve/sparse.hpp"
#include "rattleback/solve/structure.hpp"

namespace rattleback {

/// entry(i, j) is asked for i >= j, in the caller's own numbers.
template <class S>
class StructuredLdlt {
 public:
  explicit StructuredLdlt(const CouplingPattern& pattern)
      : StructuredLdlt(pattern, choose_structure(pattern)) {}
  StructuredLdlt(const CouplingPattern& pattern, Structure structure)
      : structure_(std::move(structure)), solver_(make(pattern, structure_)) {
    const SolverKind kind = structure_.kind;
    permuted_ = !structure_.natural_order && kind != SolverKind::tree && kind != SolverKind::sparse;
  }
  const Structure& structure() const { return structure_; }

  template <class Entry>
  FactorReport factor(const Entry& entry) {
    const Ordered<const Entry> ordered{entry, permuted_ ? structure_.order.data() : nullptr};
    FactorReport report = std::visit([&](auto& s) { return s.factor(ordered); }, solver_);
    if (permuted_ && report.row >= 0) report.row = structure_.order[report.row];
    return report;
  }
  template <class Vec>
  void solve(Vec& b) const {
    const Ordered<Vec> ordered{b, permuted_ ? structure_.order.data() : nullptr};
    std::visit([&](const auto& s) { s.solve(ordered); }, solver_);
  }

 private:
  /// Entries and vectors in the solver's row numbers. One type whether they are permuted or not:
  /// every solver is compiled once.
  template <class V>
  struct Ordered {
    V& values;
    const int* order;
    decltype(auto) operator[](int i) const { return values[order ? order[i] : i]; }
    RATTLEBACK_INLINE S operator()(int i, int j) const {
      if (!order) return values(i, j);
      const int a = order[i], b = order[j];
      return a > b ? values(a, b) : values(b, a);
    }
  };
  using Solver =
      std::variant<DenseLdlt<S>, ChainLdlt<S>, BandedLdlt<S>, ClusterLdlt<S>, SparseLdlt<S>>;

  static Solver make(const CouplingPattern& pattern, const Structure& s) {
    const int n = static_cast<int>(pattern.size());
    switch (s.kind) {
      case SolverKind::chain:
        return ChainLdlt<S>(n);
      case SolverKind::block_chain:
        return BandedLdlt<S>(n, 2 * s.block_size - 1);
      case SolverKind::banded:
        return BandedLdlt<S>(n, s.half_bandwidth);
      case SolverKind::clusters:
        return ClusterLdlt<S>(s.cluster_sizes);
      case SolverKind::tree:
      case SolverKind::sparse:
        return SparseLdlt<S>(pattern, s.order);
      default:
        return DenseLdlt<S>(n);
    }
  }

  Structure structure_;
  Solver solver_;
  bool permuted_ = false;
};

}  // namespace rattleback
