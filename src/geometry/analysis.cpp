#include "rattleback/geometry/analysis.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis_parts.hpp"
#include "rattleback/problem/error.hpp"

namespace rattleback {

using detail::quote;

std::string Analysis::name(int i) const {
  return constraint_name(form.system, i) +
         (i < form.from_lagrangian ? " (from the Lagrangian)" : "");
}

namespace detail {

namespace {

std::string count(int k, const std::string& what) {
  return std::to_string(k) + ' ' + what + (k == 1 ? "" : "s");
}

void report_outcome(Analysis& a) {
  const DiracChain& c = a.chain;
  std::string words = c.reason;
  switch (c.outcome) {
    case DiracChain::Outcome::empty:
      a.verdict = "inconsistent: no point satisfies the constraints";
      break;
    case DiracChain::Outcome::inconsistent:
      a.verdict = "inconsistent: no motion satisfies the constraints";
      break;
    case DiracChain::Outcome::irregular:
      a.verdict = "irregular constraint";
      words += ". Write it so that its gradient is not zero there (x in place of x^2)";
      break;
    default:
      a.verdict = "the chain of constraints does not end";
  }
  a.messages.push_back(words);
  a.well_posed = a.nondegenerate = false;
  a.index = -1;
}

void report_redundant(Analysis& a) {
  constexpr std::size_t most_named = 6;
  for (const auto& r : a.chain.redundant) {
    a.redundant.push_back(r.index);
    if (a.redundant.size() > most_named) continue;
    std::string words = a.name(r.index) + " is redundant: ";
    if (r.combination.empty()) {
      words += "it is 0 everywhere";
    } else if (r.combination.size() > 4) {
      words += "its gradient depends on those of " + count(int(r.combination.size()), "other");
    } else {
      words += "its gradient is ";
      for (std::size_t k = 0; k < r.combination.size(); ++k)
        words += (k > 0 ? " + " : "") + quote(r.combination[k].second) + " times that of " +
                 a.name(r.combination[k].first);
      words += r.constant ? ", everywhere" : " at one point, with other factors elsewhere";
    }
    a.messages.push_back(words);
  }
  if (a.redundant.size() > most_named)
    a.messages.push_back("and " + count(int(a.redundant.size() - most_named), "more constraint") +
                         ", redundant too");
}

void report_start(Analysis& a) {
  for (const RankDecision* r : {&a.chain.primary_rank, &a.chain.gradient_rank,
                                &a.chain.multiplier_rank, &a.chain.class_rank})
    if (r->lower_at_start()) {
      a.singular_start = true;
      a.messages.push_back("singular point: at the start " + r->what + " has rank " +
                           std::to_string(r->at_start) + ", elsewhere " + std::to_string(r->rank) +
                           " (zero: below " + quote(r->tolerance) +
                           " of its terms; smallest singular value elsewhere " +
                           quote(r->smallest) + " of the largest)");
    }
  if (a.singular_start) {
    a.well_posed = false;
    a.verdict = "singular start";
  }
}

void report_free(Analysis& a) {
  const auto& free = a.chain.undetermined;
  a.verdict = "not determined: " + count(a.free_multipliers, "multiplier") + " free";
  std::string words = count(a.free_multipliers, "multiplier") + " of " +
                      std::to_string(a.chain.primaries) + " remain" +
                      (a.free_multipliers == 1 ? "s" : "") +
                      " free, so infinitely many motions start at one point (" +
                      count(a.first_class, "first class constraint") + "): that of ";
  for (std::size_t k = 0; k < free.size() && k < 4; ++k)
    words += (k > 0 ? ", of " : "") + a.name(free[k]);
  a.messages.push_back(words + (free.size() > 4 ? ", ..." : ""));
  a.well_posed = false;
}

void report_assumptions(Analysis& a) {
  if (!a.coisotropic)
    a.messages.push_back("not coisotropic: {g_i, g_j} is " + quote(a.coisotropy.largest) +
                         " where the constraints hold (" + quote(a.coisotropy.relative) +
                         " of its terms), for " + a.name(a.coisotropy.pair.first) + " and " +
                         a.name(a.coisotropy.pair.second));
  if (!a.nondegenerate && a.chain.primaries > 0 && a.coisotropic)
    a.messages.push_back("degenerate: N = {{g, H}, g} has smallest singular value " +
                         quote(a.nondegeneracy.smallest) + " (" + quote(a.nondegeneracy.relative) +
                         " of its scale)" +
                         (a.nondegeneracy.weakest >= 0 ? ", for " + a.name(a.nondegeneracy.weakest)
                                                       : std::string()));
}

void conclude_complete(Analysis& a) {
  const DiracChain& c = a.chain;
  a.free_multipliers = c.primaries - c.determined;
  a.hidden_constraints = static_cast<int>(c.constraints.size()) - c.primaries;
  a.second_class = c.class_rank.rank;
  a.first_class = static_cast<int>(c.constraints.size()) - a.second_class;
  a.index = a.free_multipliers > 0 ? -1 : c.primaries == 0 ? 0 : c.generations + 1;
  a.nondegenerate = a.free_multipliers == 0 && c.generations <= 2;
  report_assumptions(a);
  if (c.primaries == 0) {
    a.verdict = "well posed, without constraints";
  } else if (a.free_multipliers > 0) {
    report_free(a);
  } else if (c.generations > 2) {
    a.well_posed = false;
    a.verdict = "degenerate: index " + std::to_string(a.index);
    a.messages.push_back(
        "the chain of constraints has " + std::to_string(c.generations) +
        " generations, where 2 are usual: of index " + std::to_string(a.index) + ", and only " +
        std::to_string(2 * a.form.system.dimension() - static_cast<int>(c.constraints.size())) +
        " of " + std::to_string(2 * a.form.system.dimension()) +
        " dimensions of phase space are left");
  } else {
    a.verdict = a.coisotropic ? "well posed" : "well posed, but not coisotropic";
    if (!a.redundant.empty()) a.verdict += ", redundant constraints";
  }
  if (a.well_posed) report_start(a);
}

void conclude_obstacle(Analysis& a) {
  if (a.chain.primaries == 0) return;
  if (!a.coisotropic)
    a.obstacle = "not coisotropic: {g_i, g_j} = " + quote(a.coisotropy.largest) + " for " +
                 a.name(a.coisotropy.pair.first) + " and " + a.name(a.coisotropy.pair.second);
  else if (!a.nondegenerate)
    a.obstacle = "degenerate: N = {{g, H}, g} is singular (" + quote(a.nondegeneracy.relative) +
                 " of its scale)";
  else if (a.singular_start)
    a.obstacle = "the start is a singular point";
  else if (!a.well_posed)
    a.obstacle = a.verdict;
}

}  // namespace

}  // namespace detail

Analysis analyse(const SystemDescription& description, const State<double>* start,
                 const AnalysisOptions& options) {
  Analysis a;
  a.form = hamiltonian_form(description);
  a.has_start = start != nullptr;
  if (!a.form.unsupported.empty()) {
    a.constraints = static_cast<int>(description.constraints.size());
    a.well_posed = a.coisotropic = a.nondegenerate = false;
    a.index = -1;
    a.verdict = "not supported";
    a.messages.push_back(a.form.unsupported);
    a.obstacle = a.form.unsupported;
    return a;
  }
  const SystemDescription& system = a.form.system;
  const int n = system.dimension();
  if (start && (start->q.size() != n || start->p.size() != n))
    throw InputError("initial", "the start has " + std::to_string(start->q.size()) +
                                    " positions and " + std::to_string(start->p.size()) +
                                    " momenta, the model " + std::to_string(n) + " coordinates");
  a.constraints = static_cast<int>(system.constraints.size());
  for (const Expression g : system.constraints)
    for (const int k : system.graph->inputs_of(g)) a.holonomic = a.holonomic && k < n;
  a.chain = dirac_algorithm(system, start, options.dirac);
  a.rank = a.chain.primary_rank.rank;
  detail::report_redundant(a);
  detail::measure_coisotropy(a, options.dirac.tolerance);
  detail::measure_nondegeneracy(a, a.chain.tolerance);
  if (a.chain.outcome == DiracChain::Outcome::complete)
    detail::conclude_complete(a);
  else
    detail::report_outcome(a);
  if (start) detail::check_start(a, *start, options.start_tolerance);
  detail::give_hints(a, start, options.dirac);
  detail::conclude_obstacle(a);
  return a;
}

}  // namespace rattleback
