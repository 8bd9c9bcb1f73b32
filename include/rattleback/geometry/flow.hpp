// Flow of a vector field to round-off, by extrapolation of the modified midpoint rule (Gragg,
// Bulirsch, Stoer): explicit, with rational coefficients, so that every scalar type gets its own
// full precision. Used for fibres without a closed form and for the base map `exact`.
#pragma once

#include <vector>

#include "rattleback/problem/system.hpp"
#include "rattleback/problem/vector_ops.hpp"
#include "rattleback/solve/status.hpp"

namespace rattleback {

template <class S, int N>
class RoundOffFlow {
 public:
  using Point = Vector<S, N>;

  explicit RoundOffFlow(Eigen::Index n) : row_(columns, point(n)) {
    for (auto* v : {&x0_, &y_, &previous_, &current_, &slope_}) *v = point(n);
  }

  /// x <- flow of x' = field(x, out) over time t. The time is cut in halves until it converges.
  template <class Field>
  Status advance(Field&& field, const Real<S>& t, Point& x) {
    double size = 0;
    for (int pieces = 1; pieces <= max_pieces; pieces *= 2) {
      y_ = x;
      bool converged = true;
      for (int piece = 0; piece < pieces && converged; ++piece)
        converged = extrapolate(field, Real<S>(t / pieces), y_, size);
      if (converged) {
        x = y_;
        return {};
      }
      if (!(size < 1e150)) return {Outcome::not_finite, pieces, size};
    }
    return {Outcome::no_convergence, max_pieces, size};
  }

 private:
  // More columns for more digits. Enough for full precision in the tests; not tuned for speed.
  static constexpr int columns = epsilon<S> < 1e-20 ? 18 : 10;
  static constexpr int max_pieces = 64;

  static Point point(Eigen::Index n) {
    Point p;
    p.resize(n);
    return p;
  }

  template <class Field>
  bool extrapolate(Field&& field, const Real<S>& t, Point& x, double& size) {
    x0_ = x;
    const double scale = std::max(largest_magnitude(x0_), 1e-30);
    double last = 1e150;
    for (int k = 0; k < columns; ++k) {
      gragg(field, t, 2 * (k + 1), row_[k]);
      // Aitken-Neville in (t/n)^2, in place from the newest to the oldest entry.
      for (int j = k - 1; j >= 0; --j) {
        const Real<S> ratio = Real<S>(k + 1) / Real<S>(j + 1);
        const Real<S> weight = Real<S>(1) / (ratio * ratio - Real<S>(1));
        for (Eigen::Index i = 0; i < x.size(); ++i)
          row_[j][i] = row_[j + 1][i] + (row_[j + 1][i] - row_[j][i]) * weight;
      }
      if (k == 0) continue;
      // The newest extrapolation against its neighbour.
      current_ = row_[0] - row_[1];
      size = largest_magnitude(current_);
      if (size <= 2 * epsilon<S> * scale || (size >= last && last <= 64 * epsilon<S> * scale)) {
        x = row_[0];
        return true;
      }
      if (!(size < 1e150)) return false;
      last = size;
    }
    return false;
  }

  /// Gragg's method with n (even) substeps and no smoothing.
  template <class Field>
  void gragg(Field&& field, const Real<S>& t, int n, Point& out) {
    const Real<S> h = t / n;
    previous_ = x0_;
    field(x0_, slope_);
    out = x0_;
    add_scaled(h, slope_, out);
    for (int i = 1; i < n; ++i) {
      field(out, slope_);
      add_scaled(Real<S>(2 * h), slope_, previous_);
      previous_.swap(out);
    }
  }

  std::vector<Point> row_;
  Point x0_, y_, previous_, current_, slope_;
};

}  // namespace rattleback
