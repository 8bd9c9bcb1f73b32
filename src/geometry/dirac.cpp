#include "rattleback/geometry/dirac.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <ranges>
#include <set>

#include "constraint_set.hpp"
#include "ranks.hpp"
#include "rattleback/geometry/tidy.hpp"
#include "rattleback/problem/error.hpp"
#include "symbolic_elimination.hpp"

namespace rattleback {

namespace {

using detail::Elimination;
using detail::Functions;
using detail::Linearisation;
using detail::Point;
using detail::SizedRow;
using Outcome = DiracChain::Outcome;

constexpr double reluctance = 1e4;  // of positions, where hidden constraints are to be met
constexpr int many = 200;           // constraints: fewer points then, and nothing dense

class Algorithm {
 public:
  Algorithm(const SystemDescription& system, const State<double>* start,
            const DiracOptions& options)
      : system_(system),
        graph_(*system.graph),
        n_(system.dimension()),
        options_(options),
        brackets_(graph_, n_),
        scale_(scales(start)),
        chi_(brackets_, scale_),
        energy_(brackets_, scale_),
        random_(options.seed) {
    if (start) start_ = to_point(*start);
    if (static_cast<int>(system.constraints.size()) > many) options_.points = 2;
    energy_.append(std::span(&system.hamiltonian, 1));
  }

  DiracChain run() {
    chi_.append(system_.constraints);
    for (const Expression e : system_.constraints) add(e, 1, -1);
    for (int i = 0; i < chi_.count(); ++i) chain_.kept.push_back(i);
    chain_.primaries = chi_.count();
    if (!sample()) return empty();
    if (!reduce_primaries()) return finish();
    chain_.primaries = chi_.count();
    chain_.generations = chi_.count() > 0 ? 1 : 0;
    for (const Sample& s : samples_) chain_.primary_points.push_back(to_state(s.z));
    while (step()) {
    }
    return finish();
  }

 private:
  struct Sample {
    Point z;
    bool start = false;
    bool slow = false;  // right to half the digits
  };
  struct Candidate {
    int row;
    Expression expression;
  };

  std::vector<double> scales(const State<double>* start) const {
    double q = 1, p = 1;
    if (start) {
      const double sq = largest_magnitude(start->q), sp = largest_magnitude(start->p);
      if (sq > 0) q = p = sq;
      if (sp > 0) p = sp;
    }
    std::vector<double> scale(2 * n_, q);
    std::fill(scale.begin() + n_, scale.end(), p);
    return scale;
  }
  Point to_point(const State<double>& z) const {
    Point x(2 * n_);
    for (int i = 0; i < n_; ++i) x[i] = z.q[i], x[n_ + i] = z.p[i];
    return x;
  }
  State<double> to_state(const Point& x) const {
    State<double> z{Vector<double, dynamic>(n_), Vector<double, dynamic>(n_)};
    for (int i = 0; i < n_; ++i) z.q[i] = x[i], z.p[i] = x[n_ + i];
    return z;
  }
  void add(Expression e, int generation, int parent) {
    chain_.constraints.push_back(
        {e, generation, parent,
         readable(
             graph_, e, [&](int k) { return system_.input_name(k); }, generation > 1)});
  }

  /// Around the start, or anywhere; closer from attempt to attempt.
  Point draw(int attempt) {
    std::uniform_real_distribution<double> some(-1, 1);
    Point z(2 * n_);
    if (!start_) {
      const double spread = attempt % 4 == 3 ? 3 : 1;
      for (double& x : z) x = spread * some(random_);
      return z;
    }
    // Near the start, on the same component of the set. Long chains are large, their links not.
    const double limit = chi_.count() > many ? 1 : std::numeric_limits<double>::infinity();
    const double spread = 0.05 * std::pow(0.4, attempt / 3);
    for (std::size_t i = 0; i < z.size(); ++i)
      z[i] = (*start_)[i] + spread * std::min(scale_[i], limit) * some(random_);
    return z;
  }

  /// Points on the set; false where none is found.
  bool sample() {
    samples_.clear();
    if (start_) {
      Sample s{*start_, true};
      if (chi_.vanish(s.z) || chi_.project(s.z)) samples_.push_back(std::move(s));
    }
    const int attempts = chi_.count() > many ? 8 : 40;
    for (int k = 0; k < attempts && static_cast<int>(samples_.size()) < options_.points; ++k) {
      Sample s{draw(k), false};
      if (chi_.project(s.z) && energy_.at(s.z).finite && chi_.at(s.z).finite) {
        s.slow = chi_.slow;
        samples_.push_back(std::move(s));
      } else if (chi_.worst >= 0 && chi_.residual < least_residual_)
        least_residual_ = chi_.residual, least_worst_ = chi_.worst;
    }
    return !samples_.empty();
  }

  /// The rest of `samples_` moved onto the set as it is now.
  bool move_samples() {
    std::vector<Sample> moved;
    for (Sample& s : samples_) {
      Point z = s.z;
      if (!chi_.project(z)) {
        z = s.z;
        chi_.reluctance = 1;
        const bool reached = chi_.project(z);
        chi_.reluctance = reluctance;
        if (!reached) continue;
      }
      if (chi_.at(z).finite && energy_.at(z).finite) moved.push_back({z, s.start, chi_.slow});
    }
    samples_ = std::move(moved);
    if (samples_.empty()) return sample();
    if (all_slow()) look_elsewhere();
    return true;
  }
  /// Every projection converged linearly: the set may be irregular, or these points are.
  bool all_slow() const {
    return std::all_of(samples_.begin(), samples_.end(),
                       [](const Sample& s) { return s.start || s.slow; });
  }
  void look_elsewhere() {
    std::vector<Sample> better;
    const int attempts = chi_.count() > many ? 0 : 24;
    for (int k = 0; k < attempts && static_cast<int>(better.size()) < options_.points; ++k) {
      Sample s{draw(k), false, false};
      if (chi_.project(s.z) && !chi_.slow && chi_.at(s.z).finite && energy_.at(s.z).finite)
        better.push_back(std::move(s));
    }
    if (better.empty()) return;
    if (samples_.front().start) better.insert(better.begin(), samples_.front());
    samples_ = std::move(better);
  }

  DiracChain empty() {
    chain_.outcome = Outcome::empty;
    chain_.culprit = least_worst_;
    chain_.reason = "no point was found that satisfies the constraints: the nearest misses " +
                    name(least_worst_) + " by " + detail::quote(least_residual_) +
                    " of the size of its terms";
    return std::move(chain_);
  }
  std::string name(int i) const {
    if (i < 0) return "them";
    const ChainConstraint& c = chain_.constraints[i];
    return c.generation == 1 ? constraint_name(system_, chain_.kept[i]) : c.text + " = 0";
  }

  /// Eliminates the gradients at every sample; rows dependent at all generic ones.
  std::vector<int> dependent_rows(std::vector<Elimination>& eliminations) {
    // Where every projection was slow, gradients vanish with the square root of the residual.
    const double tolerance = all_slow() ? std::max(1e-6, options_.tolerance) : options_.tolerance;
    detail::RankFinder finder("d chi", chi_.count(), tolerance);
    std::vector<int> times(chi_.count());
    int generic = 0;
    for (const Sample& s : samples_) {
      const Linearisation l = chi_.at(s.z);
      Elimination& e = eliminations.emplace_back(2 * n_, tolerance);
      e.run(l.slope);
      finder.add(l.slope, 2 * n_, e, s.start, scale_);
    }
    chain_.gradient_rank = finder.decision();
    for (const Elimination& e : eliminations)
      if (e.rank() == chain_.gradient_rank.rank) {
        ++generic;
        for (const auto& d : e.dependent()) ++times[d.row];
      }
    std::vector<int> rows;
    for (int i = 0; i < chi_.count(); ++i)
      if (times[i] == generic) rows.push_back(i);
    return rows;
  }

  /// Which of these hold wherever all others do (the rest only touch them).
  std::vector<bool> implied(const std::vector<int>& rows) {
    std::vector<bool> listed(chi_.count()), holds(rows.size(), true);
    for (const int i : rows) listed[i] = true;
    std::vector<Expression> rest, own;
    for (int k = 0; k < chi_.count(); ++k) (listed[k] ? own : rest).push_back(chi_.expression(k));
    Functions others(brackets_, scale_), these(brackets_, scale_);
    others.append(rest);
    these.append(own);
    const double limit = chi_.count() > many ? 1 : std::numeric_limits<double>::infinity();
    std::uniform_real_distribution<double> some(-1, 1);
    for (const Sample& s : samples_) {
      Point z = s.z;
      for (std::size_t k = 0; k < z.size(); ++k)
        z[k] += 0.01 * std::min(scale_[k], limit) * some(random_);
      if (!others.project(z)) continue;
      const Linearisation l = these.at(z);
      for (std::size_t k = 0; k < rows.size(); ++k)
        holds[k] = holds[k] && l.value[k].ratio() <= options_.tolerance;
    }
    return holds;
  }
  /// Whether a row's gradient is zero, and not only dependent.
  static bool vanishes(const std::vector<Elimination>& eliminations, int row) {
    const auto& dependent = eliminations.back().dependent();
    const auto at = std::find_if(dependent.begin(), dependent.end(),
                                 [&](const auto& d) { return d.row == row; });
    return at != dependent.end() && at->vanishes;
  }

  bool irregular(int i, bool vanishes) {
    chain_.outcome = Outcome::irregular;
    chain_.culprit = i;
    chain_.reason =
        name(i) + (vanishes ? ": its gradient vanishes wherever it holds"
                            : ": where all constraints hold its gradient depends on the others', "
                              "yet it does not follow from them (it only touches them)");
    return false;
  }

  bool reduce_primaries() {
    std::vector<Elimination> eliminations;
    const std::vector<int> rows = dependent_rows(eliminations);
    chain_.primary_rank = chain_.gradient_rank;
    chain_.primary_rank.what = "dg";
    const std::vector<bool> holds = implied(rows);
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const bool zero = vanishes(eliminations, rows[k]);
      const bool nothing = graph_.is_constant(chi_.expression(rows[k]), 0);
      if (!nothing && (zero || !holds[k])) return irregular(rows[k], zero);
      chain_.redundant.push_back(redundancy(rows[k], eliminations));
    }
    for (const int i : std::views::reverse(rows)) {
      chi_.erase(i);
      chain_.constraints.erase(chain_.constraints.begin() + i);
      chain_.kept.erase(chain_.kept.begin() + i);
    }
    return true;
  }

  DiracChain::Redundant redundancy(int i, const std::vector<Elimination>& eliminations) {
    DiracChain::Redundant r{i, {}, true};
    bool first = true;
    for (const Elimination& e : eliminations) {
      if (e.rank() != chain_.gradient_rank.rank) continue;
      const auto combination = e.combination(i);
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

  /// One round: consistency of all constraints known. False: nothing more to do.
  bool step() {
    const int m = chain_.primaries;
    std::vector<Elimination> eliminations;
    detail::RankFinder finder("{chi, phi}", chi_.count(), options_.tolerance);
    for (const Sample& s : samples_) {
      const Linearisation l = chi_.at(s.z);
      const SizedRow slope = energy_.at(s.z).slope[0];
      const std::vector<SizedRow> phi(l.slope.begin(), l.slope.begin() + m);
      std::vector<SizedRow> rows = detail::brackets(l.slope, phi, n_);
      for (int i = 0; i < chi_.count(); ++i)
        rows[i].emplace(m, detail::bracket(l.slope[i], slope, n_));
      Elimination& e = eliminations.emplace_back(m, options_.tolerance);
      e.run(rows, roots(false));
      finder.add(rows, m, e, s.start);
    }
    chain_.multiplier_rank = finder.decision();
    chain_.determined = chain_.multiplier_rank.rank;
    const Elimination* generic = nullptr;
    for (const Elimination& e : eliminations)  // the start comes first, so others are preferred
      if (e.rank() == chain_.determined) generic = &e;
    free_multipliers(*generic);
    const std::vector<Candidate> candidates = candidates_of(eliminations, *generic);
    return !candidates.empty() && accept(candidates);
  }

  /// For each constraint the primary it descends from; mutual: and the other way round.
  std::vector<int> roots(bool mutual) const {
    std::vector<int> root(chain_.constraints.size(), -1);
    for (std::size_t i = chain_.primaries; i < root.size(); ++i) {
      const int parent = chain_.constraints[i].parent;
      root[i] = parent < chain_.primaries ? parent : root[parent];
      if (mutual) root[root[i]] = static_cast<int>(i);
    }
    return root;
  }

  void free_multipliers(const Elimination& e) {
    std::vector<bool> used(chain_.primaries);
    for (const auto& pivot : e.pivots()) used[pivot.column] = true;
    chain_.undetermined.clear();
    for (int a = 0; a < chain_.primaries; ++a)
      if (!used[a]) chain_.undetermined.push_back(chain_.kept[a]);
  }

  /// Rows without multipliers that do not vanish somewhere on the set.
  std::vector<Candidate> candidates_of(const std::vector<Elimination>& eliminations,
                                       const Elimination& generic) {
    const int m = chain_.primaries;
    std::set<int> rows;
    for (const Elimination& e : eliminations) {
      if (e.rank() != generic.rank()) continue;
      for (const auto& d : e.dependent())
        if (const auto at = d.rest.find(m);
            at != d.rest.end() && at->second.ratio() > options_.tolerance)
          rows.insert(d.row);
    }
    detail::SymbolicElimination symbolic(graph_, generic, [&](int i) {
      detail::SymbolicElimination::Row row;
      const Expression chi = chi_.expression(i);
      if (!generic.operations(i).empty() || generic_pivot(generic, i))
        for (int a = 0; a < m; ++a) {
          const Expression p = brackets_(chi, chi_.expression(a));
          if (!graph_.is_constant(p, 0)) row[a] = p;
        }
      row[m] = brackets_(chi, system_.hamiltonian);
      return row;
    });
    std::vector<Candidate> candidates;
    for (const auto& d : generic.dependent())
      if (rows.count(d.row)) {
        const Expression psi = tidied(graph_, symbolic.reduced(d.row).at(m));
        if (std::none_of(candidates.begin(), candidates.end(),
                         [&](const Candidate& c) { return c.expression == psi; }))
          candidates.push_back({d.row, psi});
      }
    return candidates;
  }
  static bool generic_pivot(const Elimination& e, int row) {
    return std::any_of(e.pivots().begin(), e.pivots().end(),
                       [&](const auto& p) { return p.row == row; });
  }

  bool accept(const std::vector<Candidate>& candidates) {
    const int before = chi_.count();
    for (const Candidate& c : candidates) {
      const int generation = chain_.constraints[c.row].generation + 1;
      add(c.expression, generation, c.row);
      if (graph_.is_constant(c.expression)) return inconsistent(c);
      if (generation > options_.most_generations) {
        chain_.outcome = Outcome::unfinished;
        chain_.reason = "the chain of constraints has not ended after " +
                        std::to_string(options_.most_generations) + " generations";
        return false;
      }
      chi_.append(std::span(&c.expression, 1));
    }
    least_residual_ = std::numeric_limits<double>::infinity();
    chi_.reluctance = reluctance;
    if (!move_samples()) {
      chain_.outcome = Outcome::inconsistent;
      chain_.culprit = least_worst_;
      chain_.reason =
          "the constraints ask for " + name(before) + (candidates.size() > 1 ? " and others" : "") +
          ", and no point satisfies all of them: the nearest misses " + name(least_worst_) +
          " by " + detail::quote(least_residual_) + " of the size of its terms";
      return false;
    }
    return drop_dependent(before);
  }

  bool inconsistent(const Candidate& c) {
    chain_.outcome = Outcome::inconsistent;
    chain_.culprit = c.row;
    chain_.reason = "to preserve " + name(c.row) + ", " +
                    detail::quote(graph_.value(c.expression)) + " would have to be 0";
    return false;
  }

  /// New constraints that say nothing new.
  bool drop_dependent(int before) {
    std::vector<Elimination> eliminations;
    const std::vector<int> rows = dependent_rows(eliminations);
    const std::vector<bool> holds = implied(rows);
    for (std::size_t k = rows.size(); k-- > 0;) {
      const int i = rows[k];
      if (i < before) continue;
      const bool zero = vanishes(eliminations, i);
      if (zero || !holds[k]) return irregular(i, zero);
      chi_.erase(i);
      chain_.constraints.erase(chain_.constraints.begin() + i);
    }
    chain_.gradient_rank.rows = chi_.count();
    if (chi_.count() > before) chain_.generations = chain_.constraints.back().generation;
    return chi_.count() > before;
  }

  DiracChain finish() {
    if (chain_.outcome == Outcome::complete) {
      detail::RankFinder finder("{chi, chi}", chi_.count(), options_.tolerance);
      std::vector<int> ranks;
      for (const Sample& s : samples_) {
        const Linearisation l = chi_.at(s.z);
        const std::vector<SizedRow> c = detail::brackets(l.slope, l.slope, n_);
        Elimination e(chi_.count(), options_.tolerance);
        e.run(c, roots(true));
        finder.add(c, chi_.count(), e, s.start);
        ranks.push_back(e.rank());
      }
      chain_.class_rank = finder.decision();
      leave_out_singular(ranks);
    }
    for (const Sample& s : samples_) chain_.points.push_back(to_state(s.z));
    chain_.start_is_first = !samples_.empty() && samples_.front().start;
    return std::move(chain_);
  }

  void leave_out_singular(const std::vector<int>& ranks) {
    std::vector<Sample> generic;
    for (std::size_t k = 0; k < samples_.size(); ++k)
      if (samples_[k].start || ranks[k] == chain_.class_rank.rank)
        generic.push_back(std::move(samples_[k]));
    chain_.singular_points = static_cast<int>(samples_.size() - generic.size());
    samples_ = std::move(generic);
  }

  const SystemDescription& system_;
  Graph& graph_;
  int n_;
  DiracOptions options_;
  Brackets brackets_;
  std::vector<double> scale_;
  Functions chi_, energy_;
  std::mt19937 random_;
  std::optional<Point> start_;
  std::vector<Sample> samples_;
  DiracChain chain_;
  double least_residual_ = std::numeric_limits<double>::infinity();
  int least_worst_ = -1;
};

}  // namespace

std::string constraint_name(const SystemDescription& system, int i) {
  const std::string number = "constraint " + std::to_string(i + 1);
  const auto& labels = system.constraint_labels;
  if (i < static_cast<int>(labels.size()) && !labels[i].empty())
    return number + " ('" + labels[i] + "')";
  return number + ": " + readable(*system.graph, system.constraints[i], [&](int k) {
           return system.input_name(k);
         });
}

DiracChain dirac_algorithm(const SystemDescription& system, const State<double>* start,
                           const DiracOptions& options) {
  DiracChain best = Algorithm(system, start, options).run();
  const auto regular = [](const DiracChain& c) {
    return c.outcome == Outcome::complete && c.undetermined.empty() && c.generations <= 2;
  };
  // Ranks are lower bounds: points may all have fallen on a singular part of the set. Other points
  // are asked before anything is called irregular.
  const bool few = system.constraints.size() <= many && !system.constraints.empty();
  for (unsigned attempt = 1; attempt <= 2 && few && !regular(best); ++attempt) {
    DiracOptions again = options;
    again.seed += 1000 * attempt;
    DiracChain other = Algorithm(system, start, again).run();
    if (regular(other)) return other;
  }
  return best;
}

}  // namespace rattleback
