#include "rattleback/geometry/dirac.hpp"

#include <algorithm>

#include "consistency.hpp"
#include "dependence.hpp"
#include "ranks.hpp"
#include "rattleback/geometry/tidy.hpp"
#include "rattleback/problem/error.hpp"
#include "samples.hpp"

namespace rattleback {

namespace {

using detail::Candidate;
using detail::Dependence;
using detail::Elimination;
using detail::Functions;
using detail::Linearisation;
using detail::Point;
using detail::Samples;
using detail::SizedRow;

bool is_large(const SystemDescription& system) {
  return static_cast<int>(system.constraints.size()) > Samples::many;
}

constexpr std::size_t most_explained = 8;  // redundant ones, where there are many constraints

/// Of many constraints the smallest pivot is legitimately small, over a chain of m links as m^-2:
/// 1.2e-7 of its terms for 10^3, 1.2e-9 for 10^4. What is zero stays near round-off.
double zero_among(const SystemDescription& system, double tolerance) {
  const double few = static_cast<double>(Samples::many) / std::ssize(system.constraints);
  return is_large(system) ? std::max(1e-13, tolerance * few) : tolerance;
}

class Algorithm {
 public:
  Algorithm(const SystemDescription& system, const State<double>* start,
            const DiracOptions& options)
      : system_(system),
        graph_(*system.graph),
        n_(system.dimension()),
        options_(options),
        brackets_(graph_, n_),
        chi_(brackets_, detail::variable_scales(n_, start)),
        energy_(brackets_, chi_.scale()),
        samples_(chi_, energy_, start, is_large(system) ? 2 : options.points, options.seed) {
    energy_.append(std::span(&system.hamiltonian, 1));
    chain_.tolerance = options_.tolerance = zero_among(system, options.tolerance);
  }

  DiracChain run() {
    chi_.append(system_.constraints);
    for (const Expression e : system_.constraints) add(e, 1, -1);
    for (int i = 0; i < chi_.count(); ++i) chain_.kept.push_back(i);
    chain_.primaries = chi_.count();
    if (!samples_.find()) return empty();
    if (!reduce_primaries()) return finish();
    chain_.primaries = chi_.count();
    chain_.generations = chi_.count() > 0 ? 1 : 0;
    for (const auto& s : samples_) chain_.primary_points.push_back(to_state(s.z));
    while (step()) {
    }
    return finish();
  }

 private:
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

  DiracChain empty() {
    chain_.outcome = DiracChain::Outcome::empty;
    chain_.culprit = samples_.nearest().worst;
    chain_.reason = "no point was found that satisfies the constraints: " + nearest_misses();
    return std::move(chain_);
  }
  std::string nearest_misses() const {
    const auto& [residual, worst] = samples_.nearest();
    return "the nearest misses " + name(worst) + " by " + detail::quote(residual) +
           " of the size of its terms";
  }
  std::string name(int i) const {
    if (i < 0) return "them";
    const ChainConstraint& c = chain_.constraints[i];
    return c.generation == 1 ? constraint_name(system_, chain_.kept[i]) : c.text + " = 0";
  }

  bool irregular(int i, bool vanishes) {
    chain_.outcome = DiracChain::Outcome::irregular;
    chain_.culprit = i;
    chain_.reason =
        name(i) + (vanishes ? ": its gradient vanishes wherever it holds"
                            : ": where all constraints hold its gradient depends on the others', "
                              "yet it does not follow from them (it only touches them)");
    return false;
  }

  bool reduce_primaries() {
    const Dependence dependence(chi_, brackets_, samples_, options_.tolerance);
    const std::vector<int>& rows = dependence.rows();
    chain_.gradient_rank = chain_.primary_rank = dependence.rank();
    chain_.primary_rank.what = "dg";
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const bool zero = dependence.vanishes(rows[k]);
      const bool nothing = graph_.is_constant(chi_.expression(rows[k]), 0);
      if (!nothing && (zero || !dependence.is_implied(k))) return irregular(rows[k], zero);
      chain_.redundant.push_back(k < most_explained || !is_large(system_)
                                     ? dependence.redundancy(rows[k])
                                     : DiracChain::Redundant{rows[k], {}, false});
    }
    chi_.erase(rows);
    detail::erase_places(chain_.constraints, rows);
    detail::erase_places(chain_.kept, rows);
    return true;
  }

  /// One round: consistency of all constraints known. False: nothing more to do.
  bool step() {
    detail::Consistency found(system_, brackets_, chi_, energy_, samples_, chain_);
    chain_.multiplier_rank = found.rank();
    chain_.determined = chain_.multiplier_rank.rank;
    chain_.undetermined.clear();
    for (const int a : found.undetermined()) chain_.undetermined.push_back(chain_.kept[a]);
    const std::vector<Candidate> candidates = found.candidates();
    return !candidates.empty() && accept(candidates);
  }

  bool accept(const std::vector<Candidate>& candidates) {
    const int before = chi_.count();
    std::vector<Expression> found;
    for (const Candidate& c : candidates) {
      const int generation = chain_.constraints[c.row].generation + 1;
      add(c.expression, generation, c.row);
      if (graph_.is_constant(c.expression)) return inconsistent(c);
      if (generation > options_.most_generations) {
        chain_.outcome = DiracChain::Outcome::unfinished;
        chain_.reason = "the chain of constraints has not ended after " +
                        std::to_string(options_.most_generations) + " generations";
        return false;
      }
      found.push_back(c.expression);
    }
    chi_.append(found);
    if (!samples_.move()) {
      chain_.outcome = DiracChain::Outcome::inconsistent;
      chain_.culprit = samples_.nearest().worst;
      chain_.reason = "the constraints ask for " + name(before) +
                      (candidates.size() > 1 ? " and others" : "") +
                      ", and no point satisfies all of them: " + nearest_misses();
      return false;
    }
    return drop_dependent(before);
  }

  bool inconsistent(const Candidate& c) {
    chain_.outcome = DiracChain::Outcome::inconsistent;
    chain_.culprit = c.row;
    chain_.reason = "to preserve " + name(c.row) + ", " +
                    detail::quote(graph_.value(c.expression)) + " would have to be 0";
    return false;
  }

  /// New constraints that say nothing new.
  bool drop_dependent(int before) {
    const Dependence dependence(chi_, brackets_, samples_, options_.tolerance);
    chain_.gradient_rank = dependence.rank();
    std::vector<int> dropped;
    for (std::size_t k = 0; k < dependence.rows().size(); ++k) {
      const int i = dependence.rows()[k];
      if (i < before) continue;
      const bool zero = dependence.vanishes(i);
      if (zero || !dependence.is_implied(k)) return irregular(i, zero);
      dropped.push_back(i);
    }
    chi_.erase(dropped);
    detail::erase_places(chain_.constraints, dropped);
    chain_.gradient_rank.rows = chi_.count();
    if (chi_.count() > before) chain_.generations = chain_.constraints.back().generation;
    return chi_.count() > before;
  }

  DiracChain finish() {
    if (chain_.outcome == DiracChain::Outcome::complete) {
      detail::RankFinder finder("{chi, chi}", chi_.count(), options_.tolerance);
      std::vector<int> ranks;
      for (const auto& s : samples_) {
        const Linearisation l = chi_.at(s.z);
        const std::vector<SizedRow> c = detail::brackets(l.slope, l.slope, n_);
        Elimination e(chi_.count(), options_.tolerance);
        e.run(c, detail::roots(chain_, true));
        finder.add(c, chi_.count(), e, s.start);
        ranks.push_back(e.rank());
      }
      chain_.class_rank = finder.decision();
      chain_.singular_points = samples_.leave_out_singular(ranks, chain_.class_rank.rank);
    }
    for (const auto& s : samples_) chain_.points.push_back(to_state(s.z));
    chain_.start_is_first = samples_.begin_with_start();
    return std::move(chain_);
  }

  const SystemDescription& system_;
  Graph& graph_;
  int n_;
  DiracOptions options_;
  Brackets brackets_;
  Functions chi_, energy_;
  Samples samples_;
  DiracChain chain_;
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
    return c.outcome == DiracChain::Outcome::complete && c.undetermined.empty() &&
           c.generations <= 2;
  };
  // Ranks are lower bounds: points may all have fallen on a singular part of the set. Other points
  // are asked before anything is called irregular.
  const bool few = !is_large(system) && !system.constraints.empty();
  for (unsigned attempt = 1; attempt <= 2 && few && !regular(best); ++attempt) {
    DiracOptions again = options;
    again.seed += 1000 * attempt;
    DiracChain other = Algorithm(system, start, again).run();
    if (regular(other)) return other;
  }
  return best;
}

}  // namespace rattleback
