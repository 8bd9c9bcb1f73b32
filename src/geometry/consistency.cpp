#include "consistency.hpp"

#include <algorithm>
#include <ranges>
#include <unordered_set>

#include "rattleback/geometry/tidy.hpp"
#include "symbolic_elimination.hpp"

namespace rattleback::detail {

std::vector<int> roots(const DiracChain& chain, bool mutual) {
  std::vector<int> root(chain.constraints.size(), -1);
  for (std::size_t i = chain.primaries; i < root.size(); ++i) {
    const int parent = chain.constraints[i].parent;
    root[i] = parent < chain.primaries ? parent : root[parent];
    if (mutual) root[root[i]] = static_cast<int>(i);
  }
  return root;
}

Consistency::Consistency(const SystemDescription& system, Brackets& brackets, const Functions& chi,
                         const Functions& energy, const Samples& samples, const DiracChain& chain)
    : system_(system),
      brackets_(brackets),
      chi_(chi),
      chain_(chain),
      finder_("{chi, phi}", chi.count(), chain.tolerance) {
  eliminate(energy, samples);
}

void Consistency::eliminate(const Functions& energy, const Samples& samples) {
  const int n = system_.dimension(), m = chain_.primaries;
  for (const auto& s : samples) {
    const Linearisation l = chi_.at(s.z);
    const SizedRow slope = energy.at(s.z).slope[0];
    const std::vector<SizedRow> phi(l.slope.begin(), l.slope.begin() + m);
    std::vector<SizedRow> rows = brackets(l.slope, phi, n);
    for (int i = 0; i < chi_.count(); ++i) rows[i].emplace(m, bracket(l.slope[i], slope, n));
    Elimination& e = eliminations_.emplace_back(m, chain_.tolerance);
    e.run(rows, roots(chain_, false), generations());
    finder_.add(rows, m, e, s.start);
  }
}

std::vector<int> Consistency::generations() const {
  std::vector<int> of;
  of.reserve(chain_.constraints.size());
  for (const ChainConstraint& c : chain_.constraints) of.push_back(c.generation);
  return of;
}

/// One of full rank: the start comes first, so others are preferred.
const Elimination& Consistency::generic() const {
  const Elimination* generic = &eliminations_.at(0);
  for (const Elimination& e : eliminations_)
    if (e.rank() == rank().rank) generic = &e;
  return *generic;
}

std::vector<int> Consistency::undetermined() const {
  std::vector<bool> used(chain_.primaries);
  for (const auto& pivot : generic().pivots()) used[pivot.column] = true;
  std::vector<int> left;
  for (int a = 0; a < chain_.primaries; ++a)
    if (!used[a]) left.push_back(a);
  return left;
}

std::vector<bool> Consistency::nonzero_rows() const {
  std::vector<bool> rows(chi_.count());
  for (const Elimination& e : eliminations_) {
    if (e.rank() != generic().rank()) continue;
    for (const auto& d : e.dependent())
      if (const auto at = d.rest.find(chain_.primaries);
          at != d.rest.end() && at->second.ratio() > chain_.tolerance)
        rows[d.row] = true;
  }
  return rows;
}

std::vector<Candidate> Consistency::candidates() {
  const int m = chain_.primaries;
  const Elimination& numbers = generic();
  const std::vector<bool> wanted = nonzero_rows();
  const std::vector<Expression> phi = primaries();
  const Brackets::Users users = brackets_.users_of(phi);
  SymbolicElimination symbolic(*system_.graph, numbers, [&](int i) {
    SymbolicElimination::Row row;
    const Expression chi = chi_.expression(i);
    if (!numbers.operations(i).empty() || numbers.is_pivot(i)) {
      const SparseExpressions p = brackets_.matrix(std::span(&chi, 1), phi, users);
      for (std::size_t k = 0; k < p.column.size(); ++k) row[p.column[k]] = p.value[k];
    }
    row[m] = brackets_(chi, system_.hamiltonian);
    return row;
  });
  std::vector<Candidate> found;
  std::unordered_set<int> known;
  for (const auto& d : numbers.dependent())
    if (wanted[d.row]) {
      const Expression psi = tidied(*system_.graph, symbolic.reduced(d.row).at(m));
      if (known.insert(psi.node).second) found.push_back({d.row, psi});
    }
  std::ranges::sort(found, {}, &Candidate::row);
  return found;
}

std::vector<Expression> Consistency::primaries() const {
  std::vector<Expression> phi;
  phi.reserve(static_cast<std::size_t>(chain_.primaries));
  for (int a = 0; a < chain_.primaries; ++a) phi.push_back(chi_.expression(a));
  return phi;
}

}  // namespace rattleback::detail
