#include "rattleback/integrators/sparse_algebra.hpp"

#include <algorithm>
#include <array>

#include "algebra_writer.hpp"

namespace rattleback {

namespace {

/// A chain is eliminated from both ends at once: two short sequences of dependent divisions instead
/// of one long one.
std::vector<int> elimination_order(const Structure& structure, int m) {
  std::vector<int> order = structure.order;
  if (order.empty())
    for (int i = 0; i < m; ++i) order.push_back(i);
  if (structure.kind != SolverKind::chain && structure.kind != SolverKind::banded) return order;
  std::vector<int> both;
  for (int first = 0, last = m - 1; first <= last; ++first, --last) {
    both.push_back(order[first]);
    if (first != last) both.push_back(order[last]);
  }
  return both;
}

/// Beyond these, code that factors is slower than loops.
constexpr int most_rows_in_code = 4000;
constexpr double most_operations_in_code = 20'000;

/// Of a factorisation and two solutions.
double operations(const std::vector<AlgebraWriter::Column>& columns) {
  double sum = 0;
  for (const auto& column : columns) {
    const auto below = static_cast<double>(column.below.size());
    sum += 1 + below * (below + 1) / 2 + 4 * below;
  }
  return sum;
}

}  // namespace

CouplingPattern couplings(const JacobianPattern& pattern, int columns) {
  CouplingPattern coupled(pattern.start.size() - 1);
  std::vector<std::vector<int>> rows_at(columns);
  for (int i = 0; i < static_cast<int>(coupled.size()); ++i)
    for (int k = pattern.start[i]; k < pattern.start[i + 1]; ++k) {
      auto& rows = rows_at[pattern.column[k]];
      coupled[i].insert(coupled[i].end(), rows.begin(), rows.end());
      rows.push_back(i);
    }
  return normalised(coupled);
}

SparseAlgebra::SparseAlgebra(const JacobianPattern& pattern,
                             const std::vector<double>& inverse_mass, Factoring factoring)
    : coupled_(couplings(pattern, static_cast<int>(inverse_mass.size()))) {
  structure_ = choose_structure(coupled_);
  AlgebraWriter writer(pattern, inverse_mass);
  const int m = static_cast<int>(coupled_.size());
  std::vector<std::pair<int, int>> pairs;
  for (int i = 0; i < m; ++i) {
    first_pair_.push_back(m + static_cast<int>(pairs.size()));
    for (const int j : coupled_[i])
      if (j < i) pairs.emplace_back(i, j);
  }
  gram_size_ = m + static_cast<int>(pairs.size());
  force = writer.transposed();
  hidden = writer.hidden();
  gram = writer.gram(pairs);
  alignment = writer.alignment();
  numerical_ = factoring == Factoring::numerical ||
               (factoring == Factoring::by_size && m > most_rows_in_code);
  if (numerical_) return;
  const auto columns = writer.eliminate(coupled_, elimination_order(structure_, m));
  factor_size_ = m;
  for (const auto& column : columns) factor_size_ += static_cast<int>(column.below.size());
  numerical_ = factoring == Factoring::by_size && operations(columns) > most_operations_in_code;
  if (numerical_) return;
  factor = writer.factor(pairs, columns);
  solve = writer.solve(columns, factor_size_);
}

int SparseAlgebra::place_in_gram(int i, int j) const {
  if (i == j) return i;
  if (i < j) std::swap(i, j);
  const auto& row = coupled_[i];
  const auto at = std::lower_bound(row.begin(), row.end(), j);
  return at == row.end() || *at != j ? gram_size_
                                     : first_pair_[i] + static_cast<int>(at - row.begin());
}

namespace {

constexpr std::array functions{&SparseAlgebra::force,  &SparseAlgebra::hidden,
                               &SparseAlgebra::gram,   &SparseAlgebra::alignment,
                               &SparseAlgebra::factor, &SparseAlgebra::solve};

}  // namespace

void SparseAlgebra::compile() const {
  for (const auto function : functions) (void)(this->*function).is_native();
}

std::optional<SparseAlgebra> SparseAlgebra::packed(const CompiledNatural& code,
                                                   Factoring factoring) {
  constexpr int lanes = CompiledFunction::lanes_of_a_pack;
  std::vector<std::vector<double>> masses;  // those that differ
  std::array<std::size_t, lanes> which{};
  for (int lane = 0; lane < lanes; ++lane) {
    std::vector<double> own;
    own.reserve(code.dimension);
    for (int i = 0; i < code.dimension; ++i) own.push_back(code.inverse_mass[i * lanes + lane]);
    which[lane] = std::ranges::find(masses, own) - masses.begin();
    if (which[lane] == masses.size()) masses.push_back(std::move(own));
  }
  std::vector<SparseAlgebra> different;
  different.reserve(masses.size());
  for (const auto& inverse_mass : masses)
    different.emplace_back(code.pattern, inverse_mass, factoring);
  SparseAlgebra result = different[0];
  for (const auto function : functions) {
    std::array<const CompiledFunction*, lanes> of_lanes;
    for (int lane = 0; lane < lanes; ++lane) of_lanes[lane] = &(different[which[lane]].*function);
    for (const CompiledFunction* f : of_lanes)
      if (!f->has_shape_of(*of_lanes[0])) return std::nullopt;
    result.*function = CompiledFunction::packed(of_lanes);
  }
  return result;
}

}  // namespace rattleback
