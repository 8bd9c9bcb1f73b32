// One round of the Dirac algorithm: what must hold so that all constraints known stay zero,
//   {chi_i, H} + sum_a {chi_i, phi_a} u_a = 0      phi: the primary ones, among the chi
// determines some of the multipliers u; rows without any are new constraints.
#pragma once

#include <vector>

#include "elimination.hpp"
#include "ranks.hpp"
#include "rattleback/geometry/dirac.hpp"
#include "samples.hpp"

namespace rattleback::detail {

/// For each constraint the primary it descends from, -1 for primaries; mutual: and the other way
/// round.
std::vector<int> roots(const DiracChain& chain, bool mutual);

/// What the consistency of constraint `row` asks to vanish.
struct Candidate {
  int row;
  Expression expression;
};

class Consistency {
 public:
  /// Eliminates at every sample. Of the chain its tolerance, constraints and number of primaries.
  Consistency(const SystemDescription& system, Brackets& brackets, const Functions& chi,
              const Functions& energy, const Samples& samples, const DiracChain& chain);

  const RankDecision& rank() const { return finder_.decision(); }
  /// Primaries whose multipliers stay free.
  std::vector<int> undetermined() const;
  /// Rows without multipliers that do not vanish somewhere on the set.
  std::vector<Candidate> candidates();

 private:
  void eliminate(const Functions& energy, const Samples& samples);
  const Elimination& generic() const;
  std::vector<int> generations() const;
  std::vector<bool> nonzero_rows() const;
  std::vector<Expression> primaries() const;

  const SystemDescription& system_;
  Brackets& brackets_;
  const Functions& chi_;
  const DiracChain& chain_;
  RankFinder finder_;
  std::vector<Elimination> eliminations_;  // one a sample
};

}  // namespace rattleback::detail
