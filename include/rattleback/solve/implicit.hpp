// Implicit equations F(x) = 0 by Newton, in any scalar. F is written once, for two kinds of x:
//
//   Status F(on, x, r)    r = F(x)
//
// on the unknowns themselves, and on duals of their base values, which give the matrix. `on` says
// which of the two it is: everything else in F is a constant on duals, and on(c) is c without the
// partial derivatives that it may carry; ForRuns keeps room for both.
#pragma once

#include <cmath>
#include <concepts>

#include "rattleback/problem/sweep.hpp"
#include "rattleback/solve/dense.hpp"
#include "rattleback/solve/newton.hpp"

namespace rattleback {

namespace detail {

/// Base values of a vector or matrix, entry by entry.
template <class V>
struct BaseValues {
  const V& v;
  Eigen::Index rows() const { return v.rows(); }
  Eigen::Index cols() const { return v.cols(); }
  Eigen::Index size() const { return v.size(); }
  auto operator[](Eigen::Index i) const { return base(v[i]); }
  auto operator()(Eigen::Index i, Eigen::Index j) const { return base(v(i, j)); }
};

}  // namespace detail

struct OnUnknowns {
  template <class C>
  const C& operator()(const C& c) const {
    return c;
  }
};
struct OnDuals {
  template <class C>
  auto operator()(const C& c) const {
    if constexpr (requires { c.rows(); })
      return detail::BaseValues<C>{c};
    else
      return base(c);
  }
};

/// What a residual needs room for, once for each kind of run: room[on].
template <class Plain, class Lifted>
struct ForRuns {
  Plain plain;
  Lifted lifted;
  Plain& operator[](OnUnknowns) { return plain; }
  Lifted& operator[](OnDuals) { return lifted; }
};

/// F(x) = 0 with U unknowns: room, matrix, factorisation. Newton itself is newton().
template <class S, int U>
class Implicit {
 public:
  using T = Base<S>;
  using Unknown = Vector<S, U>;
  using Lifted = Dual<T, chunk_for<U>>;

  explicit Implicit(int unknowns, SolveOptions options = {})
      : options_(options),
        r_(unknowns),
        lifted_x_(unknowns),
        lifted_r_(unknowns),
        matrix_(unknowns, unknowns),
        lu_(std::max(unknowns, 1)) {}

  /// x from a first guess; stops when corrections are below `floor`.
  template <class Residual>
  Status solve(Unknown& x, double floor, Residual&& residual) {
    return solve(x, floor, residual,
                 [&](const Unknown& at, Square& out) { return differentiate(at, residual, out); });
  }
  /// With a matrix of one's own, where that is cheaper: matrix(x, out) writes F'(x) at base values.
  template <class Residual, class OwnMatrix>
  Status solve(Unknown& x, double floor, Residual&& residual, OwnMatrix&& matrix) {
    if (x.size() == 0) return {};
    return newton(
        x, r_, floor, options_,
        [&](const Unknown& at, Unknown& r) { return residual(OnUnknowns{}, at, r); },
        [&](const Unknown& at) {
          if constexpr (std::is_void_v<decltype(matrix(at, matrix_))>)
            matrix(at, matrix_);
          else if (!matrix(at, matrix_))
            return false;
          return factor_matrix();
        },
        lu_);
  }

  /// F' at x, for iterations of another kind: correct(r) then turns r into F'^-1 r.
  template <class Residual>
  Status factor(const Unknown& x, Residual&& residual) {
    if (Status s = differentiate(x, residual, matrix_); !s) return s;
    if (factor_matrix()) return {};
    const bool finite = std::isfinite(largest_magnitude(matrix_));
    return {finite ? Outcome::rank_loss : Outcome::not_finite, 0, report_.smallest_pivot};
  }
  template <class Vec>
  void correct(Vec& r) const {
    lu_.solve(r);
  }
  const auto& matrix() const { return matrix_; }
  const FactorReport& report() const { return report_; }

 private:
  /// Above this size the LU of sizes known at run time is the faster one: it is blocked.
  static constexpr int known_up_to = 32;
  static constexpr int known = U == 0 ? 1 : U <= known_up_to ? U : dynamic;
  using Square = Matrix<T, U == 0 ? 0 : known>;

  template <class Residual>
  Status differentiate(const Unknown& x, Residual&& residual, Square& out) {
    constexpr int K = chunk_for<U>;
    return sweep<K, U>(static_cast<int>(x.size()), [&](const auto& chunk) {
      chunk.seed(x, lifted_x_);
      Status status = residual(OnDuals{}, lifted_x_, lifted_r_);
      if (status) chunk.read(lifted_r_, out);
      return status;
    });
  }
  bool factor_matrix() {
    report_ = lu_.factor([&](int i, int j) { return matrix_(i, j); });
    return report_.ok;
  }

  SolveOptions options_;
  Unknown r_;
  Vector<Lifted, U> lifted_x_, lifted_r_;
  Square matrix_;
  DenseLu<T, known> lu_;
  FactorReport report_;
};

}  // namespace rattleback
