// The Dirac algorithm on H and primary constraints phi  [Seiler 3]: H_T = H + u.phi; every known
// constraint chi must be preserved, {chi, H} + {chi, phi} u = 0 where all of them hold. That
// determines multipliers u, or gives new constraints, or cannot be met.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rattleback/expression/description.hpp"
#include "rattleback/problem/scalar.hpp"

namespace rattleback {

/// A rank found in numbers, and how sure it is.
struct RankDecision {
  std::string what;        ///< "dg", "{chi, phi}", "{chi, chi}"
  int rank = 0, rows = 0;  ///< generic: the largest over the sample points
  double tolerance = 0;    ///< entries below this times the size of their terms count as zero
  double gap = 0;          ///< last kept over first dropped; infinite where nothing was dropped
  double smallest = 0;     ///< smallest kept singular value over the largest, rows scaled to 1
  int at_start = -1;       ///< at the given start; -1: none was given
  bool lower_at_start() const { return at_start >= 0 && at_start < rank; }
};

struct ChainConstraint {
  Expression expression;
  int generation = 1;  ///< 1: primary, 2: secondary, ...
  int parent = -1;     ///< whose preservation asks for it; -1 for a primary
  std::string text;    ///< as expression
};

struct DiracOptions {
  double tolerance = 1e-10;  ///< relative to the size of the terms a value is made of
  int points = 6;            ///< sample points on the constraint set
  unsigned seed = 1;
  int most_generations = 12;
};

struct DiracChain {
  enum class Outcome {
    complete,
    empty,         ///< no point satisfies the primary constraints
    inconsistent,  ///< no point satisfies primary and further constraints
    irregular,     ///< a constraint's gradient vanishes, or depends on others', where it holds
    unfinished     ///< more generations than allowed
  };
  Outcome outcome = Outcome::complete;
  double tolerance = 0;                      ///< what counts as zero, relative to its terms
  std::string reason;                        ///< what failed, with the number
  int culprit = -1;                          ///< which of `constraints` failed, -1: none
  std::vector<ChainConstraint> constraints;  ///< kept primaries, then generation by generation
  int primaries = 0;                         ///< how many of them are primary
  RankDecision primary_rank;                 ///< of dg on phi = 0, all given ones
  std::vector<int> kept;                     ///< the primaries that were kept, in the given numbers
  struct Redundant {
    int index;  ///< which of the given primaries
    /// Its gradient at a point, by others'; of many constraints for the first few only.
    std::vector<std::pair<int, double>> combination;
    bool constant;  ///< the factors are the same at every point found
  };
  std::vector<Redundant> redundant;
  int determined = 0;             ///< multipliers
  std::vector<int> undetermined;  ///< primaries (given numbers) whose multipliers stay free
  int generations = 0;            ///< of the longest chain
  RankDecision gradient_rank, multiplier_rank, class_rank;  ///< of d chi, {chi, phi}, {chi, chi}
  int singular_points = 0;                    ///< found with a lower rank, and left out
  std::vector<State<double>> primary_points;  ///< on phi = 0
  std::vector<State<double>> points;          ///< on all constraints; of generic rank, or the start
  bool start_is_first = false;                ///< points[0] is the given start, or nearest to it
};

/// "constraint 2 ('x - y')", or with its expression where it has no label; i counts from 0.
std::string constraint_name(const SystemDescription& system, int i);

/// system.constraints: the primary ones, functions of (q, p); system.hamiltonian: H.
DiracChain dirac_algorithm(const SystemDescription& system, const State<double>* start = nullptr,
                           const DiracOptions& options = {});

}  // namespace rattleback
