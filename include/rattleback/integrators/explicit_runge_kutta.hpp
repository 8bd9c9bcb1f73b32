// Explicit Runge-Kutta steps z' = f(z) for any field of phase space, of fixed length or, with a
// pair of formulas, of a length that holds the estimated error; with the pair's continuous
// extension.
//
// A field has evaluate(system, z, dq, dp), as UnderlyingField has. Packs take the steps of their
// worst lane. Boost.Odeint has rk4 and dopri5 (tests hold them against these), but not dop853 nor
// steps for packs.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "rattleback/problem/system.hpp"
#include "rattleback/problem/vector_ops.hpp"
#include "rattleback/solve/explicit_tableau.hpp"
#include "rattleback/solve/status.hpp"
#include "rattleback/solve/thresholds.hpp"

namespace rattleback {

template <class Sys, class S>
class ExplicitRungeKutta {
 public:
  static constexpr int N = Sys::dimension_at_compile_time;
  using Point = State<S, N>;
  using R = Real<S>;

  ExplicitRungeKutta(ExplicitTableau<R> tableau, int n) : tableau_(std::move(tableau)) {
    const Point point{Vector<S, N>(n), Vector<S, N>(n)};
    start_ = end_ = work_ = other_ = point;
    slopes_.assign(tableau_.stages() + 1 + tableau_.dense_a.size(), point);
    dense_.assign(tableau_.dense.empty() ? 0 : 4 + tableau_.dense.size() - 1, point);
  }

  /// One step of length h.
  template <class Field>
  Status step(Field& field, const Sys& system, Point& z, const R& h) {
    if (Status s = attempt(field, system, z, h); !s) return s;
    assign(end_, z);
    return {};
  }

  /// Over h in steps whose error is estimated below `tolerance`, relative to the largest coordinate
  /// and to the largest momentum. The first one tried is h: a map of z alone, without history.
  template <class Field>
  Status advance(Field& field, const Sys& system, Point& z, const R& h, double tolerance) {
    assign(z, work_);
    R substep = h;
    Status status = pursue(field, system, work_, h, substep, tolerance, [](const R&, const R&) {});
    if (status) assign(work_, z);
    return status;
  }

  /// The same, with looks at times between 0 and the last of them, ascending: visit(k, state at
  /// times[k]) from the continuous extension, so that steps are as long as the error allows.
  template <class Field, class Visit>
  Status follow(Field& field, const Sys& system, Point& z, std::span<const R> times,
                double tolerance, Visit&& visit) {
    if (times.empty() || dense_.empty()) return {};
    Point shown = z;
    std::size_t next = 0;
    Status inner;
    R substep = times.back();
    Status status = pursue(field, system, z, times.back(), substep, tolerance,
                           [&](const R& from, const R& length) {
                             const R to = from + length;
                             const bool any = next < times.size() && !(times[next] > to);
                             if (any && inner) inner = extend(field, system, length);
                             for (; inner && next < times.size() && !(times[next] > to); ++next) {
                               interpolate(R((times[next] - from) / length), shown);
                               visit(next, shown);
                             }
                           });
    for (; status && inner && next < times.size(); ++next) visit(next, z);  // rounding at the end
    return status ? inner : status;
  }

  /// How many steps the last advance() or follow() took, and how many it tried.
  long taken() const { return taken_; }
  long tried() const { return tried_; }

 private:
  static void assign(const Point& from, Point& to) { copy(from.q, to.q), copy(from.p, to.p); }

  /// The slopes of all stages, and z1 as end_.
  template <class Field>
  Status attempt(Field& field, const Sys& system, const Point& z, const R& h) {
    assign(z, start_);
    for (int i = 0; i <= tableau_.stages(); ++i) {
      stage(h, tableau_.a[i]);
      if (i == tableau_.stages()) break;
      if (Status s = field.evaluate(system, end_, slopes_[i].q, slopes_[i].p); !s) return s;
    }
    const double size = larger(largest_magnitude(end_.q), largest_magnitude(end_.p));
    if (!(size < threshold::overflow)) return {Outcome::not_finite, 0, size};
    return {};
  }
  /// end_ = start_ + h sum_j a_j k_j
  void stage(const R& h, const std::vector<R>& a) {
    assign(start_, end_);
    for (std::size_t j = 0; j < a.size(); ++j) {
      if (a[j] == R(0)) continue;
      const R weight = h * a[j];
      add_scaled(weight, slopes_[j].q, end_.q);
      add_scaled(weight, slopes_[j].p, end_.p);
    }
  }

  template <class Field, class Done>
  Status pursue(Field& field, const Sys& system, Point& z, const R& h, R& substep, double tolerance,
                Done&& done) {
    using std::abs;
    R at(0);
    taken_ = tried_ = 0;
    while (tried_ < most_tries) {
      const R rest = h - at;
      const bool last = !(abs(substep) < abs(rest));
      const R length = last ? rest : substep;
      ++tried_;
      if (Status s = attempt(field, system, z, length); !s) return s;
      const int end = tableau_.stages();
      if (Status s = field.evaluate(system, end_, slopes_[end].q, slopes_[end].p); !s) return s;
      const double error = estimated(length) / tolerance;
      if (std::isnan(error)) return {Outcome::not_finite, 0, error};
      const double factor = 0.9 * std::pow(std::max(error, 1e-10), -1.0 / tableau_.order);
      substep = length * R(std::clamp(factor, 0.2, 6.0));
      if (error > 1) {
        if (magnitude(substep) <= 16 * epsilon<S> * magnitude(h)) break;
        continue;
      }
      ++taken_;
      done(at, length);
      assign(end_, z);
      if (last) return {};
      at += length;
    }
    return {Outcome::no_convergence, 0, magnitude(substep)};
  }

  /// Largest over coordinates and over momenta, relative to them.
  double estimated(const R& h) {
    const double fine = weighted(tableau_.error) * magnitude(h);
    if (tableau_.rough_error.empty()) return fine;
    const double rough = weighted(tableau_.rough_error) * magnitude(h);
    const double both = std::hypot(fine, 0.1 * rough);  // [Hairer93 II.10]
    return both > 0 ? fine * (fine / both) : both;
  }
  double weighted(const std::vector<R>& e) {
    other_.q.setConstant(S(0)), other_.p.setConstant(S(0));
    for (std::size_t j = 0; j < e.size(); ++j) {
      add_scaled(e[j], slopes_[j].q, other_.q);
      add_scaled(e[j], slopes_[j].p, other_.p);
    }
    const auto relative = [](const auto& error, const auto& size) {
      return largest_magnitude(error) / std::max(largest_magnitude(size), threshold::least_scale);
    };
    return larger(relative(other_.q, end_.q), relative(other_.p, end_.p));
  }

  /// What interpolate() needs of the step last tried, whose end is end_.
  template <class Field>
  Status extend(Field& field, const Sys& system, const R& h) {
    const int end = tableau_.stages();
    assign(end_, other_);
    for (std::size_t i = 0; i < tableau_.dense_a.size(); ++i) {
      stage(h, tableau_.dense_a[i]);
      Point& slope = slopes_[end + 1 + i];
      if (Status s = field.evaluate(system, end_, slope.q, slope.p); !s) return s;
    }
    assign(other_, end_);
    for (const bool momenta : {false, true}) {
      const auto half = [&](auto& point) -> auto& { return momenta ? point.p : point.q; };
      for (Eigen::Index i = 0; i < half(end_).size(); ++i) {
        const S change = half(end_)[i] - half(start_)[i];
        const S left = half(slopes_[0])[i] * h - change, right = change - half(slopes_[end])[i] * h;
        half(dense_[0])[i] = change;
        half(dense_[1])[i] = left;
        half(dense_[2])[i] = right - left;
      }
      for (std::size_t k = 0; k < tableau_.dense.size(); ++k) {
        auto& out = half(dense_[3 + k]);
        out.setConstant(S(0));
        for (std::size_t j = 0; j < tableau_.dense[k].size(); ++j)
          add_scaled(R(h * tableau_.dense[k][j]), half(slopes_[j]), out);
      }
    }
    return {};
  }
  /// y + t (d0 + (1-t) (d1 + t (d2 + (1-t) (d3 + ...))))
  void interpolate(const R& t, Point& z) const {
    for (const bool momenta : {false, true}) {
      const auto half = [&](auto& point) -> auto& { return momenta ? point.p : point.q; };
      for (Eigen::Index i = 0; i < half(start_).size(); ++i) {
        S sum(0);
        for (int k = static_cast<int>(dense_.size()) - 1; k >= 0; --k)
          sum = (sum + half(dense_[k])[i]) * (k % 2 == 0 ? t : R(R(1) - t));
        half(z)[i] = half(start_)[i] + sum;
      }
    }
  }

  static constexpr long most_tries = 100000;

  ExplicitTableau<R> tableau_;
  Point start_, end_, work_, other_;
  std::vector<Point> slopes_, dense_;
  long taken_ = 0, tried_ = 0;
};

}  // namespace rattleback
