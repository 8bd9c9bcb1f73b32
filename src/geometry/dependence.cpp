#include "dependence.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ranks.hpp"

namespace rattleback::detail {

Dependence::Dependence(const Functions& chi, Brackets& brackets, Samples& samples,
                       double tolerance) {
  // Where every projection was slow, gradients vanish with the square root of the residual.
  const double zero = samples.all_slow() ? std::max(1e-6, tolerance) : tolerance;
  if (chi.count() > Samples::many)
    choose(chi, samples, zero);
  else
    eliminate(chi, samples, zero);
  find_implied(chi, brackets, samples, tolerance);
}

void Dependence::eliminate(const Functions& chi, const Samples& samples, double zero) {
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
}

namespace {

/// In units of the columns, without what is round-off.
std::vector<SparseRow> in_units(const Linearisation& l, const std::vector<double>& scale,
                                double zero) {
  std::vector<SparseRow> rows(l.slope.size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (const auto& [j, x] : l.slope[i])
      if (x.ratio() > zero) rows[i].emplace_back(j, x.value * scale[j]);
  return rows;
}

}  // namespace

void Dependence::choose(const Functions& chi, const Samples& samples, double zero) {
  rank_.what = "d chi";
  rank_.rows = chi.count();
  rank_.tolerance = zero;
  for (const auto& s : samples) {
    std::vector<SparseRow> rows = in_units(chi.at(s.z), chi.scale(), zero);
    const IndependentRows found = independent_rows(rows);
    const int rank = static_cast<int>(found.kept.size());
    if (s.start) rank_.at_start = rank;
    if (rank <= rank_.rank && !gradients_.empty()) continue;
    rank_.rank = rank;
    rank_.smallest = std::sqrt(found.least_kept);
    rank_.gap = found.most_dropped > 0 ? std::sqrt(found.least_kept / found.most_dropped)
                                       : std::numeric_limits<double>::infinity();
    rows_ = found.dependent;
    kept_ = found.kept;
    gradients_ = std::move(rows);
  }
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
  if (rows_.empty()) return;
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
  if (eliminations_.empty()) return gradients_[row].empty();
  const auto& dependent = eliminations_.back().dependent();
  const auto at =
      std::find_if(dependent.begin(), dependent.end(), [&](const auto& d) { return d.row == row; });
  return at != dependent.end() && at->vanishes;
}

DiracChain::Redundant Dependence::redundancy(int row) const {
  DiracChain::Redundant r{row, {}, true};
  if (eliminations_.empty()) {
    r.combination = combination(gradients_, kept_, row);
    r.constant = r.combination.size() == 1;  // parallel rows, which were looked at once
    return r;
  }
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
