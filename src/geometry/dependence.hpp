// Which constraints say nothing new: gradients that depend on the others' where all hold.
#pragma once

#include <vector>

#include "rattleback/geometry/dirac.hpp"
#include "rattleback/solve/independent_rows.hpp"
#include "samples.hpp"

namespace rattleback::detail {

/// Few gradients are eliminated as they come, so that the later ones are the dependent ones; of
/// many a well conditioned set is kept.
class Dependence {
 public:
  /// Of the gradients of chi at the samples.
  Dependence(const Functions& chi, Brackets& brackets, Samples& samples, double tolerance);

  const RankDecision& rank() const { return rank_; }
  /// Rows that depend on others at every sample of generic rank.
  const std::vector<int>& rows() const { return rows_; }
  /// Whether rows()[k] holds wherever all others do; if not, it only touches them.
  bool is_implied(std::size_t k) const { return implied_[k]; }
  /// Whether a row's gradient is zero, and not only dependent.
  bool vanishes(int row) const;
  /// A dependent row by the others.
  DiracChain::Redundant redundancy(int row) const;

 private:
  void eliminate(const Functions& chi, const Samples& samples, double zero);
  void choose(const Functions& chi, const Samples& samples, double zero);
  void find_rows(int count);
  void find_implied(const Functions& chi, Brackets& brackets, Samples& samples, double tolerance);

  RankDecision rank_;
  std::vector<Elimination> eliminations_;  // one a sample, of few
  std::vector<SparseRow> gradients_;       // where the rank is largest, of many
  std::vector<int> kept_;
  std::vector<int> rows_;
  std::vector<bool> implied_;
};

}  // namespace rattleback::detail
