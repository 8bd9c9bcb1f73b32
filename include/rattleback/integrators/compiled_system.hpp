// A natural system in straight-line code (expression_system.hpp), in double or in packs, with the
// algebra of its constraints compiled for their pattern (sparse_algebra.hpp).
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "rattleback/integrators/sparse_algebra.hpp"
#include "rattleback/integrators/sparse_kernel.hpp"
#include "rattleback/problem/pack.hpp"
#include "rattleback/solve/factor_report.hpp"
#include "rattleback/solve/structured.hpp"

namespace rattleback {

template <class S>
class CompiledAlgebra;

template <class Scalar>
class CompiledSystem {
 public:
  static constexpr int dimension_at_compile_time = dynamic;
  static constexpr int constraints_at_compile_time = dynamic;
  using Values = Vector<Scalar, dynamic>;
  template <class S>
  using Kernel = SparseKernel<CompiledSystem, S, CompiledAlgebra<S>>;

  /// The code must outlive the system.
  CompiledSystem(const CompiledNatural& code, SparseAlgebra algebra)
      : code_(code), algebra_(std::move(algebra)), inverse_mass_(code.dimension) {
    algebra_.compile();
    for (int i = 0; i < code.dimension; ++i)
      inverse_mass_[i] = detail::constant<Scalar>(
          code.inverse_mass.data() + std::ptrdiff_t{code.lanes} * i, code.lanes);
  }
  const CompiledNatural& code() const { return code_; }
  const SparseAlgebra& algebra() const { return algebra_; }
  int dimension() const { return code_.dimension; }
  int constraint_count() const { return code_.constraints; }
  const Scalar& inverse_mass(int i) const { return inverse_mass_[i]; }
  void potential_gradient(const Values& q, Values& v_q) const {
    code_.potential_gradient(q.data(), q.data(), v_q.data(), v_q.data());
  }
  void velocity(const Values& p, Values& v) const {
    for (Eigen::Index i = 0; i < p.size(); ++i) v[i] = p[i] * inverse_mass_[i];
  }
  /// out = q - a M^-1 force
  void pull(const Values& q, const Real<Scalar>& a, const Values& force, Values& out) const {
    const Scalar* __restrict from = q.data();
    const Scalar* __restrict f = force.data();
    const Scalar* __restrict w = inverse_mass_.data();
    Scalar* __restrict to = out.data();
    for (Eigen::Index i = 0; i < out.size(); ++i) to[i] = from[i] - f[i] * w[i] * a;
  }
  void linearise_sparse(const Values& q, Values& g, Values& j) const {
    code_.linearise(q.data(), q.data(), g.data(), j.data());
  }

 private:
  const CompiledNatural& code_;
  SparseAlgebra algebra_;
  Values inverse_mass_;
};

/// The algebra of SparseKernel by the functions of SparseAlgebra.
template <class S>
class CompiledAlgebra {
 public:
  using Values = Vector<S, dynamic>;

  explicit CompiledAlgebra(const CompiledSystem<S>& system)
      : system_(system), algebra_(system.algebra()), gram_(algebra_.gram_size() + 1) {
    gram_[algebra_.gram_size()] = S(0);
    if (algebra_.is_numerical()) {
      solver_.emplace(algebra_.coupled(), algebra_.structure());
      (void)solver_->factor(Recorder{algebra_, asked_});
    } else {
      factors_.resize(algebra_.factor_size());
      pivots_.resize(system.constraint_count());
      solution_.resize(system.constraint_count());
    }
  }
  static int nonzeros(const CompiledSystem<S>& system) { return system.code().pattern.nonzeros(); }
  static const Structure& structure(const CompiledSystem<S>& system) {
    return system.algebra().structure();
  }
  S inverse_mass(int i) const { return system_.inverse_mass(i); }

  void force(const Values& j, const Values& x, Values& out) const {
    algebra_.force(j.data(), x.data(), out.data(), out.data());
  }
  void hidden(const Values& j, const Values& p, Values& out) const {
    algebra_.hidden(j.data(), p.data(), out.data(), out.data());
  }
  void alignment(const Values& j1, const Values& j0, Values& out) const {
    algebra_.alignment(j1.data(), j0.data(), out.data(), out.data());
  }
  FactorReport factor(const Values& j) {
    algebra_.gram(j.data(), j.data(), gram_.data(), gram_.data());
    if (solver_)
      return solver_->factor(
          Asked{algebra_, gram_.data(), asked_.data(), asked_.data() + asked_.size()});
    algebra_.factor(gram_.data(), gram_.data(), pivots_.data(), factors_.data());
    return report();
  }
  void solve(Values& b) {
    if (solver_) return solver_->solve(b);
    algebra_.solve(factors_.data(), b.data(), solution_.data(), solution_.data());
    b.swap(solution_);
  }
  template <class F>
  void for_entries(const Values& j, F&& f) const {
    const JacobianPattern& pattern = system_.code().pattern;
    for (int i = 0; i < system_.constraint_count(); ++i)
      for (int k = pattern.start[i]; k < pattern.start[i + 1]; ++k)
        f(i, pattern.column[k], j[pattern.place[k]]);
  }

 private:
  /// A solver asks for the entries of K in an order of its own, every time the same...
  struct Recorder {
    const SparseAlgebra& algebra;
    std::vector<int>& asked;
    S operator()(int i, int j) const {
      asked.push_back(algebra.place_in_gram(i, j));
      return S(i == j ? 1 : 0);
    }
  };
  /// ...so that they are read one after another. What is asked for behind the last one is searched
  /// for: the solver tries again, or names a row.
  struct Asked {
    const SparseAlgebra& algebra;
    const S* gram;
    mutable const int* next;
    const int* end;
    const S& operator()(int i, int j) const {
      return gram[next != end ? *next++ : algebra.place_in_gram(i, j)];
    }
  };

  /// Pivots against the diagonal they came from.
  FactorReport report() const {
    const Eigen::Index m = pivots_.size();
    const double threshold = rank_threshold<S>(static_cast<int>(m));
    const S* __restrict pivot = pivots_.data();
    const S* __restrict diagonal = gram_.data();
    std::int64_t weak = 0;
    for (Eigen::Index k = 0; k < m; ++k)
      weak += is_strong(pivot[k], diagonal[k], threshold) ? 0 : 1;
    FactorReport report;
    if (weak == 0) return report;
    for (Eigen::Index k = 0; k < m; ++k) {
      using std::abs;
      const S size = abs(pivot[k]);
      report.smallest_pivot = std::min(report.smallest_pivot, smallest(size));
      if (smallest(pivot[k]) < 0) ++report.negative;
      if (!is_strong(size, diagonal[k], threshold) && report.ok) {
        report.ok = false;
        report.row = static_cast<int>(k);
      }
    }
    return report;
  }
  static bool is_strong(const S& pivot, const S& diagonal, double threshold) {
    using std::abs;
    if constexpr (ScalarTraits<S>::lanes > 1)
      return all_of(pivot > abs(diagonal) * threshold);
    else
      return pivot > threshold * abs(diagonal);
  }

  const CompiledSystem<S>& system_;
  const SparseAlgebra& algebra_;
  Values gram_;  // with a zero at its end
  Values factors_, pivots_, solution_;
  std::optional<StructuredLdlt<S>> solver_;
  std::vector<int> asked_;
};

// Compiled once: every solver of StructuredLdlt is in them.
extern template class CompiledAlgebra<double>;
extern template class CompiledAlgebra<Pack>;

}  // namespace rattleback
