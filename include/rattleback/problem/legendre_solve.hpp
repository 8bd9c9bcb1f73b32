// Solves f_y(x, y) = c for y, what both directions of the Legendre transform ask
// (lagrangian_system.hpp).
#pragma once

#include <cmath>
#include <string>
#include <utility>

#include "rattleback/problem/error.hpp"
#include "rattleback/problem/hamiltonian_system.hpp"

namespace rattleback::detail {

/// "(0.5, -1)": the values of x, of its worst lane where it has several.
template <class S, int N>
std::string quote(const Vector<S, N>& x) {
  std::string text = "(";
  for (Eigen::Index i = 0; i < x.size(); ++i)
    text += (i > 0 ? ", " : "") + quote(smallest(S(x[i])));
  return text + ")";
}

/// LU with row pivoting of a small matrix of base scalars; solves in any scalar above it.
template <class T, int N>
class PivotedLu {
 public:
  explicit PivotedLu(Eigen::Index n) : a_(n, n), row_(n) {}
  Matrix<T, N>& matrix() { return a_; }

  /// Smallest pivot in units of the largest entry: round-off or below means singular.
  double factor() {
    using std::abs;
    const Eigen::Index n = a_.rows();
    const double size = largest_magnitude(a_);
    double weakest = 1;
    for (Eigen::Index k = 0; k < n; ++k) {
      Eigen::Index best = k;
      for (Eigen::Index i = k + 1; i < n; ++i)
        if (smallest(T(abs(a_(i, k)))) > smallest(T(abs(a_(best, k))))) best = i;
      row_[k] = best;
      for (Eigen::Index j = 0; j < n && best != k; ++j) std::swap(a_(k, j), a_(best, j));
      const double pivot = smallest(T(abs(a_(k, k))));
      if (!(pivot > 0)) return 0;
      weakest = std::min(weakest, pivot / size);
      for (Eigen::Index i = k + 1; i < n; ++i) {
        a_(i, k) = a_(i, k) / a_(k, k);
        for (Eigen::Index j = k + 1; j < n; ++j) a_(i, j) -= a_(i, k) * a_(k, j);
      }
    }
    return weakest;
  }
  template <class S>
  void solve(Vector<S, N>& b) const {
    const Eigen::Index n = a_.rows();
    for (Eigen::Index k = 0; k < n; ++k)
      if (row_[k] != k) std::swap(b[k], b[row_[k]]);
    for (Eigen::Index i = 0; i < n; ++i)
      for (Eigen::Index k = 0; k < i; ++k) b[i] -= b[k] * a_(i, k);
    for (Eigen::Index i = n - 1; i >= 0; --i) {
      for (Eigen::Index k = i + 1; k < n; ++k) b[i] -= b[k] * a_(i, k);
      b[i] = b[i] / a_(i, i);
    }
  }

 private:
  Matrix<T, N> a_;
  Vector<Eigen::Index, N> row_;
};

/// Both gradients of f(x, y), the user's own where there is one.
template <class F, class S, int N>
void gradient_of(const F& f, const Vector<S, N>& x, const Vector<S, N>& y, Vector<S, N>& f_x,
                 Vector<S, N>& f_y) {
  if constexpr (requires { f.gradient(x, y, f_x, f_y); })
    f.gradient(x, y, f_x, f_y);
  else
    automatic_gradient(f, x, y, f_x, f_y);
}

/// f_yy(x, y), column by column from gradients at dual points.
template <class F, class T, int N>
void second_hessian(const F& f, const Vector<T, N>& x, const Vector<T, N>& y, Matrix<T, N>& out) {
  using D = Dual<T, 1>;
  const int n = static_cast<int>(x.size());
  auto&& lifted_x = scratch<D, N, struct TransformX>(n);
  auto&& lifted_y = scratch<D, N, struct TransformY>(n);
  auto&& f_x = scratch<D, N, struct TransformSlopeX>(n);
  auto&& f_y = scratch<D, N, struct TransformSlopeY>(n);
  for (int i = 0; i < n; ++i) lifted_x[i] = D(x[i]);
  sweep<1>(n, [&](const auto& chunk) {
    chunk.seed(y, lifted_y);
    gradient_of(f, lifted_x, lifted_y, f_x, f_y);
    chunk.read(f_y, out);
  });
}

/// Solves f_y(x, y) = c for y by Newton: damped in base scalars, then, for duals, undamped until
/// the partials have converged too. Where there is no y it is not a number, so that the step which
/// asks for it fails as a value, and failure() says why.
template <class F, class S, int N>
class LegendreSolve {
 public:
  using T = Base<S>;

  /// `names` are those of f_yy, x and y, for messages.
  struct Names {
    const char *matrix, *x, *y;
  };

  LegendreSolve(const F& f, Names names, const Vector<S, N>& x, const Vector<S, N>& c)
      : f_(f), names_(names), x_(x), c_(c), lu_(x.size()) {}

  /// y, and f_x(x, y).
  void run(Vector<S, N>& y, Vector<S, N>& f_x) {
    const Eigen::Index n = x_.size();
    Vector<T, N> x(n), c(n), start(n);
    for (Eigen::Index i = 0; i < n; ++i) x[i] = base(x_[i]), c[i] = base(c_[i]), start[i] = T(0);
    y.resize(n);
    if (!std::isfinite(largest_magnitude(x)) || !std::isfinite(largest_magnitude(c)))
      return leave_undefined(y, f_x);
    // From rest; from y = c where f_yy is singular at rest, as for |v|^4.
    if (!descend(x, c, start)) {
      const double pivot = pivot_;
      const Vector<T, N> rest = start;
      start = c;
      if (!descend(x, c, start)) {
        fail(pivot_ <= tiny ? start : rest, std::min(pivot, pivot_));
        return leave_undefined(y, f_x);
      }
    }
    for (Eigen::Index i = 0; i < n; ++i) y[i] = S(start[i]);
    polish(y, f_x);
    if (!std::isfinite(largest_magnitude(y))) fail(start, pivot_);
  }

  /// Why there is no y; empty where there is one, and where x or c is not finite.
  std::string failure() const {
    if (last_.size() == 0) return {};
    const std::string at =
        std::string(" at ") + names_.x + " = " + quote(x_) + ", " + names_.y + " = " + quote(last_);
    if (weakest_ <= tiny)
      return std::string("Legendre transform: ") + names_.matrix + " is singular (smallest pivot " +
             quote(weakest_) + " of its largest entry)" + at;
    return std::string("Legendre transform: no ") + names_.y + " found by Newton, last" + at;
  }

 private:
  static constexpr double tiny = 100 * epsilon<S>;

  static void leave_undefined(Vector<S, N>& y, Vector<S, N>& f_x) {
    for (Eigen::Index i = 0; i < y.size(); ++i) y[i] = f_x[i] = S(T(NAN));
  }

  bool factor(const Vector<T, N>& x, const Vector<T, N>& y) {
    second_hessian(f_, x, y, lu_.matrix());
    pivot_ = lu_.factor();
    return pivot_ > tiny;
  }

  /// Newton in base scalars; a correction that does not shrink the next one is halved. Whether one
  /// is round-off is judged with the matrix at y: near a pole of f_y that of another point makes
  /// everything small, or the unit that small is measured in large.
  bool descend(const Vector<T, N>& x, const Vector<T, N>& c, Vector<T, N>& y) {
    const Eigen::Index n = x.size();
    Vector<T, N> f_x(n), f_y(n), trial(n), correction(n), next(n);
    double unit = 0;  // y = f_yy^-1 c of the linear part, which may cancel
    bool is_current = false;
    const auto refactor = [&] {
      if (!factor(x, y)) return false;
      next = c;
      lu_.solve(next);
      unit = std::max(largest_magnitude(next), 1e-3);
      gradient_of(f_, x, y, f_x, f_y);
      return is_current = true;
    };
    if (!refactor()) return false;
    for (int k = 0; k < 100; ++k) {
      correction = f_y - c;
      lu_.solve(correction);
      const double size = largest_magnitude(correction);
      if (!std::isfinite(size)) return false;
      const double floor = epsilon<S> * std::max(unit, largest_magnitude(y));
      if (size <= 2 * floor && is_current) return true;
      double fraction = 1, smaller = size;
      const int most_halvings = size <= 2 * floor ? 0 : size <= 1e4 * floor ? 10 : 40;
      for (int halvings = 0; halvings < most_halvings; ++halvings, fraction /= 2) {
        for (Eigen::Index i = 0; i < n; ++i) trial[i] = y[i] - correction[i] * T(fraction);
        gradient_of(f_, x, trial, f_x, f_y);
        next = f_y - c;
        lu_.solve(next);
        smaller = largest_magnitude(next);
        if (smaller < size) break;
      }
      const bool closer = smaller < size;
      if (!closer && is_current) return size <= 1e4 * floor;  // round-off
      if (closer) y = trial, is_current = false;
      if ((!closer || smaller > 1e-2 * size) && !refactor()) return false;
    }
    return false;
  }

  void polish(Vector<S, N>& y, Vector<S, N>& f_x) {
    Vector<S, N> r(y.size());
    double last = 1e300;
    for (int k = 0; k < 20; ++k) {
      gradient_of(f_, x_, y, f_x, r);
      if (!is_dual<S>) return;
      for (Eigen::Index i = 0; i < y.size(); ++i) r[i] -= c_[i];
      lu_.solve(r);
      for (Eigen::Index i = 0; i < y.size(); ++i) y[i] -= r[i];
      const double size = largest_magnitude(r),
                   floor = epsilon<S> * std::max(largest_magnitude(y), 1e-3);
      // The matrix may be one Newton step old: the partials then converge linearly, and fast.
      if (size <= floor || (size > 0.25 * last && size <= 1e4 * floor)) break;
      last = size;
    }
    gradient_of(f_, x_, y, f_x, r);
  }

  void fail(const Vector<T, N>& last, double weakest) {
    last_ = last;
    weakest_ = weakest;
  }

  const F& f_;
  Names names_;
  const Vector<S, N>&x_, &c_;
  PivotedLu<T, N> lu_;
  double pivot_ = 0;
  Vector<T, dynamic> last_;  // y where it gave up; empty: it did not
  double weakest_ = 0;       // pivot
};

}  // namespace rattleback::detail
