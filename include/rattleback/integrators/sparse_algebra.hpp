// The linear algebra around a sparse G as compiled code: products with G, and the LDL^T of
// G M^-1 G^T without fill beyond what the order of elimination makes. Small ones have no index left
// at run time; beyond a size code for the factors fits no cache, and a solver takes its place.
#pragma once

#include <optional>
#include <vector>

#include "rattleback/expression/expression_system.hpp"
#include "rattleback/solve/structure.hpp"

namespace rattleback {

/// Which constraints share a coordinate.
CouplingPattern couplings(const JacobianPattern& pattern, int columns);

/// How G M^-1 G^T is factored.
enum class Factoring {
  by_size,   ///< in code while that is small, else numerically
  code,      ///< straight-line code for its pattern
  numerical  ///< the solver for its structure, see structured.hpp
};

/// In all of these G stands for its nonzeros in their places, F for the factors: the
/// inverse pivots, then the nonzeros below the diagonal of L.
class SparseAlgebra {
 public:
  SparseAlgebra(const JacobianPattern& pattern, const std::vector<double>& inverse_mass,
                Factoring factoring = Factoring::by_size);
  /// In packs, whose lanes have masses of their own. Nothing where masses that happen to be equal
  /// make the code of one lane another one.
  static std::optional<SparseAlgebra> packed(const CompiledNatural& code,
                                             Factoring factoring = Factoring::by_size);

  const Structure& structure() const { return structure_; }
  const CouplingPattern& coupled() const { return coupled_; }
  bool is_numerical() const { return numerical_; }
  int factor_size() const { return factor_size_; }
  int gram_size() const { return gram_size_; }
  /// Where K has the coupling of two constraints, or a diagonal entry; gram_size() if nowhere.
  int place_in_gram(int i, int j) const;
  /// Makes the native code now, and not in a step.
  void compile() const;

  CompiledFunction force;      ///< G, lambda -> G^T lambda
  CompiledFunction hidden;     ///< G, p -> G M^-1 p
  CompiledFunction gram;       ///< G -> K: the diagonal and then the couplings of G M^-1 G^T
  CompiledFunction alignment;  ///< G, G' -> the diagonal of G M^-1 G'^T
  CompiledFunction factor;     ///< K -> its pivots; F. Empty where that is numerical
  CompiledFunction solve;      ///< F, b -> (G M^-1 G^T)^-1 b. Likewise

 private:
  Structure structure_;
  CouplingPattern coupled_;
  std::vector<int> first_pair_;  // in K, of each row
  int factor_size_ = 0, gram_size_ = 0;
  bool numerical_ = false;
};

}  // namespace rattleback
