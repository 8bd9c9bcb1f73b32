// The linear algebra around a sparse G as straight-line code: products with G, and the LDL^T of
// G M^-1 G^T without fill beyond what the order of elimination makes. No index is left at run time.
#pragma once

#include <optional>
#include <vector>

#include "rattleback/expression/expression_system.hpp"
#include "rattleback/solve/structure.hpp"

namespace rattleback {

/// Which constraints share a coordinate.
CouplingPattern couplings(const JacobianPattern& pattern, int columns);

/// In all of these G stands for its nonzeros in their places, F for the factors: the
/// inverse pivots, then the nonzeros below the diagonal of L.
class SparseAlgebra {
 public:
  SparseAlgebra(const JacobianPattern& pattern, const std::vector<double>& inverse_mass);
  /// In packs, whose lanes have masses of their own. Nothing where masses that happen to be equal
  /// make the code of one lane another one.
  static std::optional<SparseAlgebra> packed(const CompiledNatural& code);

  const Structure& structure() const { return structure_; }
  int factor_size() const { return factor_size_; }
  int gram_size() const { return gram_size_; }
  /// Makes the native code now, and not in a step.
  void compile() const;

  CompiledFunction force;         ///< G, lambda -> G^T lambda
  CompiledFunction displacement;  ///< G, lambda -> M^-1 G^T lambda
  CompiledFunction hidden;        ///< G, p -> G M^-1 p
  CompiledFunction gram;          ///< G -> K: the diagonal and then the couplings of G M^-1 G^T
  CompiledFunction alignment;     ///< G, G' -> the diagonal of G M^-1 G'^T
  CompiledFunction factor;        ///< K -> its pivots; F
  CompiledFunction solve;         ///< F, b -> (G M^-1 G^T)^-1 b

 private:
  Structure structure_;
  int factor_size_ = 0, gram_size_ = 0;
};

}  // namespace rattleback
