#include "dependence.hpp"

#include <algorithm>
#include <cmath>

#include "ranks.hpp"

namespace rattleback::detail {

Dependence::Dependence(const Functions& chi, Brackets& brackets, Samples& samples,
                       double tolerance) {
  // Where every projection was slow, gradients vanish with the square root of the residual.
  const double zero = samples.all_slow() ? std::max(1e-6, tolerance) : tolerance;
  const int columns = static_cast<int>(chi.scale().size());
  RankFinder finder("d chi", chi.count(), zero);
  for (const auto& s : samples) {
    const Linearisation l = chi.at(s.z);
    Elimination& e = eliminations_.emplace_back(columns, zero);
    e.run(l.slope);
    finder.add(l.slope, columns, e, s.start, chi.scale());
  }
  rank_ = finder.decision();
  find_rows(chi.count());
  find_implied(chi, brackets, samples, tolerance);
}

void Dependence::find_rows(int count) {
  std::vector<int> times(count);
  int generic = 0;
  for (const Elimination& e : eliminations_)
    if (e.rank() == rank_.rank) {
      ++generic;
      for (const auto& d : e.dependent()) ++times[d.row];
    }
  for (int i = 0; i < count; ++i)
    if (times[i] == generic) rows_.push_back(i);
}

/// On the set of the others, beside the samples.
void Dependence::find_implied(const Functions& chi, Brackets& brackets, Samples& samples,
                              double tolerance) {
  std::vector<bool> listed(chi.count());
  for (const int i : rows_) listed[i] = true;
  std::vector<Expression> rest, own;
  for (int k = 0; k < chi.count(); ++k) (listed[k] ? own : rest).push_back(chi.expression(k));
  Functions others(brackets, chi.scale()), these(brackets, chi.scale());
  others.append(rest);
  these.append(own);
  implied_.assign(rows_.size(), true);
  for (const auto& s : samples) {
    Point z = samples.beside(s);
    if (!others.project(z)) continue;
    const Linearisation l = these.at(z);
    for (std::size_t k = 0; k < rows_.size(); ++k)
      implied_[k] = implied_[k] && l.value[k].ratio() <= tolerance;
  }
}

bool Dependence::vanishes(int row) const {
  const auto& dependent = eliminations_.back().dependent();
  const auto at =
      std::find_if(dependent.begin(), dependent.end(), [&](const auto& d) { return d.row == row; });
  return at != dependent.end() && at->vanishes;
}

DiracChain::Redundant Dependence::redundancy(int row) const {
  DiracChain::Redundant r{row, {}, true};
  bool first = true;
  for (const Elimination& e : eliminations_) {
    if (e.rank() != rank_.rank) continue;
    const auto combination = e.combination(row);
    if (!first) {
      bool same = combination.size() == r.combination.size();
      for (std::size_t k = 0; same && k < combination.size(); ++k)
        same = combination[k].first == r.combination[k].first &&
               std::abs(combination[k].second - r.combination[k].second) <=
                   1e-9 * std::abs(combination[k].second);
      r.constant = r.constant && same;
    }
    r.combination = combination;
    first = false;
  }
  return r;
}

}  // namespace rattleback::detail
