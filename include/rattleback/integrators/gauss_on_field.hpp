// Gauss collocation on z' = f(z) for a field whose derivative is not known:
//   Z_i = z + h sum_j a_ij f(Z_j),   z1 = z + h sum_i b_i f(Z_i)
// Unknowns are the increments Z_i - z, from the tangent h c_i f(z) on. The iteration that puts f of
// the last stages into these equations contracts by O(h), and Broyden's method makes more of it; to
// the round-off of z.
#pragma once

#include <algorithm>
#include <vector>

#include "rattleback/problem/system.hpp"
#include "rattleback/solve/broyden.hpp"
#include "rattleback/solve/newton.hpp"
#include "rattleback/solve/tableau.hpp"

namespace rattleback {

template <class Sys, class S>
class GaussOnField {
 public:
  static constexpr int N = Sys::dimension_at_compile_time;
  using Point = State<S, N>;
  using R = Real<S>;
  using Unknown = Vector<S, dynamic>;

  GaussOnField(int stages, int n, SolveOptions options = {})
      : n_(n),
        options_(options),
        tableau_(gauss_tableau<R>(stages)),
        x_(2 * n * stages),
        r_(2 * n * stages),
        slope_(2 * n * stages),
        point_{Vector<S, N>(n), Vector<S, N>(n)},
        f_(point_),
        broyden_(2 * n * stages) {}

  template <class Field>
  Status step(Field& field, const Sys& system, Point& z, const R& h) {
    const int s = tableau_.stages();
    if (Status status = field.evaluate(system, z, f_.q, f_.p); !status) return status;
    for (int i = 0; i < s; ++i)
      for (int k = 0; k < n_; ++k) {
        x_[2 * n_ * i + k] = f_.q[k] * R(h * tableau_.c[i]);
        x_[2 * n_ * i + n_ + k] = f_.p[k] * R(h * tableau_.c[i]);
      }
    const double reach = largest_magnitude(x_);
    Status status = solve(field, system, z, h);
    if (!status) return status;
    // The stages of the right branch are O(h^2) from the tangent.
    if (largest_magnitude(x_) > farthest * reach) return {Outcome::branch_jump, status.iterations};
    if (Status again = slopes(field, system, z); !again) return again;
    for (int j = 0; j < s; ++j) {
      const R weight = h * tableau_.b[j];
      for (int k = 0; k < n_; ++k) {
        z.q[k] += slope_[2 * n_ * j + k] * weight;
        z.p[k] += slope_[2 * n_ * j + n_ + k] * weight;
      }
    }
    return status;
  }

 private:
  static constexpr double farthest = 8;

  template <class Field>
  Status solve(Field& field, const Sys& system, const Point& z, const R& h) {
    const double size =
        std::max({largest_magnitude(z.q), largest_magnitude(z.p), threshold::least_scale});
    Stopping stopping(std::max(2 * epsilon<S> * size, options_.tolerance), options_.band);
    broyden_.reset();
    for (int k = 0; k < 2 * options_.max_iterations; ++k) {
      if (Status status = slopes(field, system, z); !status) return status;
      copy(x_, r_);
      for (int i = 0; i < tableau_.stages(); ++i)
        for (int j = 0; j < tableau_.stages(); ++j) {
          const R weight = h * tableau_.a(i, j);
          for (int l = 0; l < 2 * n_; ++l) r_[2 * n_ * i + l] -= slope_[2 * n_ * j + l] * weight;
        }
      broyden_.correct(r_);
      subtract_scaled(1, r_, x_);
      const double change = largest_magnitude(r_);
      const auto verdict = stopping.judge(change);
      if (verdict == Stopping::Verdict::not_finite) return {Outcome::not_finite, k + 1, change};
      if (verdict == Stopping::Verdict::done) return {Outcome::ok, k + 1, change};
    }
    return {Outcome::no_convergence, 2 * options_.max_iterations, stopping.last()};
  }
  template <class Field>
  Status slopes(Field& field, const Sys& system, const Point& z) {
    for (int j = 0; j < tableau_.stages(); ++j) {
      for (int k = 0; k < n_; ++k) {
        point_.q[k] = z.q[k] + x_[2 * n_ * j + k];
        point_.p[k] = z.p[k] + x_[2 * n_ * j + n_ + k];
      }
      if (Status status = field.evaluate(system, point_, f_.q, f_.p); !status) return status;
      for (int k = 0; k < n_; ++k) {
        slope_[2 * n_ * j + k] = f_.q[k];
        slope_[2 * n_ * j + n_ + k] = f_.p[k];
      }
    }
    return {};
  }

  int n_;
  SolveOptions options_;
  Tableau<R> tableau_;
  Unknown x_, r_, slope_;
  Point point_, f_;
  Broyden<Unknown> broyden_;
};

}  // namespace rattleback
