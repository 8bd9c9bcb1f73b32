#include <algorithm>
#include <cmath>

#include "rattleback/geometry/analysis.hpp"
#include "rattleback/problem/error.hpp"

namespace rattleback {

using detail::quote;

namespace {

std::string yes(bool is) { return is ? "yes" : "no"; }

std::string line(const std::string& name, const std::string& value) {
  return name + std::string(name.size() < 22 ? 22 - name.size() : 1, ' ') + value + '\n';
}

std::string rank_text(const RankDecision& r) {
  return std::to_string(r.rank) + " of " + std::to_string(r.rows) + " (zero: below " +
         quote(r.tolerance) + " of its terms; gap " +
         (std::isinf(r.gap) ? "infinite" : quote(r.gap)) + ", smallest kept " + quote(r.smallest) +
         ")";
}

std::string nondegeneracy_text(const Analysis& a) {
  const Nondegeneracy& n = a.nondegeneracy;
  if (!a.coisotropic || a.chain.primary_points.empty()) return "";
  return ": N has smallest singular value " + quote(n.smallest) + " (" + quote(n.relative) +
         " of its scale), inertia " + std::to_string(n.positive) + " positive, " +
         std::to_string(n.negative) + " negative, " + std::to_string(n.zero) + " zero";
}

constexpr std::size_t most_printed = 12;

std::string chain_text(const DiracChain& c) {
  std::string out;
  std::size_t printed = 0;
  for (std::size_t i = 0; i < c.constraints.size(); ++i) {
    const ChainConstraint& k = c.constraints[i];
    if (++printed > most_printed) {
      out += line("", "... " + std::to_string(c.constraints.size() - i) + " more");
      break;
    }
    out += line(i == 0 ? "chain" : "", "[" + std::to_string(k.generation) + "] " + k.text + " = 0");
  }
  return out;
}

}  // namespace

std::string Analysis::text() const {
  std::string out = line("verdict", verdict);
  if (form.singular)
    out += line("Lagrangian", "singular: L_vv has rank " + std::to_string(form.lagrangian_rank) +
                                  " of " + std::to_string(form.system.dimension()));
  out += line("constraints", std::to_string(constraints) + (constraints == 0 ? ""
                                                            : holonomic      ? ", on positions only"
                                                                             : ", with momenta"));
  if (form.unsupported.empty() && constraints > 0) {
    out += line("rank of dg", std::to_string(rank) + " of " + std::to_string(constraints));
    out +=
        line("coisotropic", yes(coisotropic) + ": max |{g_i, g_j}| = " + quote(coisotropy.largest));
    out += line("nondegenerate", yes(nondegenerate) + nondegeneracy_text(*this));
    out += line("index", index < 0 ? "not defined" : std::to_string(index));
    out += line("hidden constraints", std::to_string(hidden_constraints));
    out += line("first, second class",
                std::to_string(first_class) + ", " + std::to_string(second_class));
    out += line("multipliers", std::to_string(chain.determined) + " determined, " +
                                   std::to_string(chain.primaries - chain.determined) + " free");
    out += line("rank of d chi", rank_text(chain.gradient_rank));
    out += line("rank of {chi, phi}", rank_text(chain.multiplier_rank));
    if (chain.outcome == DiracChain::Outcome::complete)
      out += line("rank of {chi, chi}", rank_text(chain.class_rank));
    out += chain_text(chain);
  }
  if (has_start)
    out +=
        line("consistent start", yes(consistent_start) + ": max |chi| = " + quote(start_residual));
  for (std::size_t i = 0; i < messages.size(); ++i)
    out += line(i == 0 ? "because" : "", messages[i]);
  for (std::size_t i = 0; i < hints.size(); ++i) out += line(i == 0 ? "hints" : "", hints[i]);
  return out;
}

}  // namespace rattleback
