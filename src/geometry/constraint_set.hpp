// The set where functions chi(q, p) vanish: their values and gradients, and points on it.
#pragma once

#include <algorithm>
#include <optional>
#include <random>
#include <vector>

#include "elimination.hpp"
#include "rattleback/expression/program.hpp"
#include "rattleback/geometry/brackets.hpp"
#include "rattleback/solve/ordering.hpp"
#include "rattleback/solve/sparse.hpp"
#include "rattleback/solve/sparse_row.hpp"

namespace rattleback::detail {

using Point = std::vector<double>;  ///< q, then p

/// Without the elements at these places, ascending.
template <class T>
void erase_places(std::vector<T>& from, const std::vector<int>& places) {
  std::size_t kept = 0, next = 0;
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (next < places.size() && places[next] == static_cast<int>(i)) {
      ++next;
      continue;
    }
    if (kept != i) from[kept] = std::move(from[i]);
    ++kept;
  }
  from.resize(kept);
}

/// Whether f contains any of the inputs first, ..., last - 1.
inline bool depends(const Graph& graph, Expression f, int first, int last) {
  const std::vector<int> inputs = graph.inputs_of(f);
  return std::any_of(inputs.begin(), inputs.end(), [&](int k) { return k >= first && k < last; });
}

/// Values and gradients of several functions at a point.
struct Linearisation {
  std::vector<Sized> value;
  std::vector<SizedRow> slope;
  bool finite = true;
};

/// Functions with their gradients, compiled.
class Functions {
 public:
  /// scale: the size of each variable, below which it counts as zero's neighbourhood.
  Functions(Brackets& brackets, std::vector<double> scale)
      : brackets_(&brackets), scale_(std::move(scale)) {}

  int count() const { return static_cast<int>(functions_.size()); }
  Expression expression(int i) const { return functions_[i].expression; }
  void append(std::span<const Expression> f);
  void erase(const std::vector<int>& places) {
    erase_places(functions_, places);
    solver_.reset();
  }
  Linearisation at(const Point& z) const;
  const std::vector<double>& scale() const { return scale_; }

  /// Moves z onto the set by damped Gauss-Newton with steps of least norm (in units of the
  /// scales). False: not reached; then `residual` is the largest |chi_i|/size left, `worst` its i.
  bool project(Point& z, int iterations = 80) const;
  /// Whether all functions vanish at z, relative to the size of their terms.
  bool vanish(const Point& z, double tolerance = 1e-12) const;
  mutable double residual = 0;
  mutable int worst = -1;
  /// The last projection converged linearly, as it does to points where the rank is lost: they are
  /// then right to half the digits only.
  mutable bool slow = false;
  /// From now on positions move this much less willingly than momenta: hidden constraints are met
  /// by momenta where that is possible, and points stay spread.
  double reluctance = 1;

 private:
  struct Entry {
    int input, index;
  };
  struct Function {
    Expression expression;
    int batch, index;
    std::vector<Entry> slope;
  };
  struct Batch {
    Program program;
    int outputs;
  };
  template <class S>
  std::vector<std::vector<S>> evaluate(const std::vector<S>& z) const;
  bool newton_step(const Point& z, Point& change, double& norm) const;
  SparseLdlt<double>& solver() const;

  Brackets* brackets_;
  std::vector<double> scale_;
  std::vector<Function> functions_;
  std::vector<Batch> batches_;
  mutable std::optional<SparseLdlt<double>> solver_;
};

/// {F, G} of two gradients.
Sized bracket(const SizedRow& f, const SizedRow& g, int n);
/// The nonzeros of {f_i, g_j} for all pairs that share variables; column j.
std::vector<SizedRow> brackets(const std::vector<SizedRow>& f, const std::vector<SizedRow>& g,
                               int n);

}  // namespace rattleback::detail
