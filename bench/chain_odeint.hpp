// Boost.Odeint's fixed-step Runge-Kutta-Fehlberg 7(8) with projection on a chain of rods, with the
// eliminations that our own steps use: that of a chain from both ends (RATTLE, multistep), and that
// in strands (taylor).
//
//   q' = v,   M v' = f - G^T lambda,   G M^-1 G^T lambda = G M^-1 f + g_qq(v, v)
#pragma once

#include <array>
#include <cstring>

#include "baseline/odeint.hpp"
#include "chain_run.hpp"
#include "rattleback/problem/largest.hpp"
#include "rattleback/solve/strands.hpp"

namespace bench {

using ChainPosition = rb::Vector<double, rb::dynamic>;

template <int links>
class ChainByOdeint {
 public:
  using State = std::array<double, 4 * links>;

  ChainPosition run(double time, long steps) {
    const auto z = start_of(baseline::Chain(links));
    State y;
    std::copy(z.q.begin(), z.q.end(), y.begin());
    std::copy(z.p.begin(), z.p.end(), y.begin() + 2 * links);
    const double h = time / static_cast<double>(steps);
    baseline::odeint::runge_kutta_fehlberg78<State> stepper;
    for (long k = 0; k < steps; ++k) {
      stepper.do_step([this](const State& a, State& f, double) { field(a, f); }, y, 0.0, h);
      project(y);
    }
    return Eigen::Map<ChainPosition>(y.data(), 2 * links);
  }

 private:
  using System = decltype(hanging_chain(links));
  using Kernel = rb::ChainKernel<System, double>;

  void field(const State& y, State& out) {
    const double *v = y.data() + 2 * links, *q = y.data();
    q_ = Eigen::Map<const ChainPosition>(q, 2 * links);
    kernel_.linearise(system_, q_, g_, jacobian_);
    (void)kernel_.factor(system_, jacobian_);
    system_.potential_gradient(q_, f_);
    kernel_.hidden(system_, jacobian_, f_, g_);
    g_[0] = v[0] * v[0] + v[1] * v[1] - g_[0];
    for (int k = 1; k < links; ++k) {
      const double a = v[2 * k] - v[2 * k - 2], b = v[2 * k + 1] - v[2 * k - 1];
      g_[k] = a * a + b * b - g_[k];
    }
    kernel_.solve(g_);
    f_ = -f_;
    kernel_.kick(jacobian_, g_, f_);
    std::copy(v, v + 2 * links, out.begin());
    std::copy(f_.begin(), f_.end(), out.begin() + 2 * links);
  }
  void project(State& y) {
    q_ = Eigen::Map<const ChainPosition>(y.data(), 2 * links);
    p_ = Eigen::Map<const ChainPosition>(y.data() + 2 * links, 2 * links);
    const ChainPosition at = q_;
    kernel_.linearise(system_, at, g_, jacobian_);
    (void)kernel_.factor(system_, jacobian_);
    for (int k = 0; k < 10 && !kernel_.settled(system_, q_, g_, next_, 1e-14); ++k) {
      kernel_.solve(g_);
      kernel_.shift(system_, jacobian_, g_, true, q_, total_);
    }
    (void)kernel_.factor(system_, next_);
    kernel_.hidden(system_, next_, p_, g_);
    kernel_.solve(g_);
    kernel_.kick(next_, g_, p_);
    std::copy(q_.begin(), q_.end(), y.begin());
    std::copy(p_.begin(), p_.end(), y.begin() + 2 * links);
  }

  System system_ = hanging_chain(links);
  Kernel kernel_{system_};
  typename Kernel::Jacobian jacobian_{system_}, next_{system_};
  ChainPosition q_{2 * links}, p_{2 * links}, f_{2 * links}, g_{links}, total_{links};
};

/// The links d and their velocities in strands, from which nothing has to be put in order.
template <int links>
class ChainInStrandsByOdeint {
 public:
  using Of = rb::Strands<double>;
  using Row = Of::Row;
  static constexpr int length = (links + Of::count - 1) / Of::count, width = Of::count * length;
  using State = std::array<double, 4 * width>;

  ChainInStrandsByOdeint() {
    for (int i = 0; i < links; ++i) {
      Of::set(after_[i % length], i / length, i + 1 < links ? 1 : 0);
      Of::set(own_[i % length], i / length, i > 0 ? 2 : 1);
      Of::set(before_[i % length], i / length, i > 0 ? 1 : 0);
      Of::set(square_[i % length], i / length, 1);
    }
    Of::set(field_[0], 0, -1);  // what falls is the first body alone, relative to what holds it
    for (int i = links; i < width; ++i) Of::set(beyond_[i % length], i / length, 1);
  }

  ChainPosition run(double time, long steps) {
    const auto z = start_of(baseline::Chain(links));
    State y{};
    for (int i = 0; i < links; ++i)
      for (int c = 0; c < 2; ++c) {
        const int x = 2 * i + c;
        y[place(c, i)] = z.q[x] - (i > 0 ? z.q[x - 2] : 0);
        y[2 * width + place(c, i)] = z.p[x] - (i > 0 ? z.p[x - 2] : 0);
      }
    const double h = time / static_cast<double>(steps);
    baseline::odeint::runge_kutta_fehlberg78<State> stepper;
    for (long k = 0; k < steps; ++k) {
      stepper.do_step([this](const State& a, State& f, double) { field(a, f); }, y, 0.0, h);
      project(y);
    }
    ChainPosition q(2 * links);
    for (int c = 0; c < 2; ++c) {
      double sum = 0;
      for (int i = 0; i < links; ++i) q[2 * i + c] = sum += y[place(c, i)];
    }
    return q;
  }

 private:
  using Rows = std::array<Row, length>;
  using Plane = std::array<Rows, 2>;

  static int place(int c, int i) { return c * width + Of::count * (i % length) + i / length; }
  static void load(const double* from, Plane& to) { std::memcpy(&to, from, sizeof to); }
  static void store(const Plane& from, double* to) { std::memcpy(to, &from, sizeof from); }
  static Row dot(const Plane& a, const Plane& b, int r) {
    return a[0][r] * b[0][r] + a[1][r] * b[1][r];
  }

  /// out(c, r, B(x d)): what pulls x along d do to the links.
  template <class Out>
  RATTLEBACK_INLINE void spread(const Rows& x, const Plane& d, Out&& out) {
    for (int c = 0; c < 2; ++c) {
      Rows pull;
      for (int r = 0; r < length; ++r) pull[r] = x[r] * d[c][r];
      Row before = Of::from_before(pull[length - 1]), here = pull[0];
      const Row first = Of::from_after(here);
      for (int r = 0; r < length; ++r) {
        const Row after = r + 1 < length ? pull[r + 1] : first;
        out(c, r, after_[r] * after - own_[r] * here + before_[r] * before);
        before = here, here = after;
      }
    }
  }
  RATTLEBACK_INLINE void factor(const Plane& d) {
    const Row wrap[] = {Of::from_before(d[0][length - 1]), Of::from_before(d[1][length - 1])};
    (void)gram_.factor(
        [&](int r) RATTLEBACK_INLINE_LAMBDA { return dot(d, d, r) * own_[r] + beyond_[r]; },
        [&](int r) RATTLEBACK_INLINE_LAMBDA {
          return -(before_[r] * (r == 0 ? d[0][0] * wrap[0] + d[1][0] * wrap[1]
                                        : d[0][r] * d[0][r - 1] + d[1][r] * d[1][r - 1]));
        });
  }
  template <class Right>
  RATTLEBACK_INLINE void solve(Right&& right) {
    gram_.solve(room_.data(), right,
                [&](int r, const Row& x) RATTLEBACK_INLINE_LAMBDA { lambda_[r] = x; });
  }

  RATTLEBACK_PASS void field(const State& y, State& out) {
    load(y.data(), d_), load(y.data() + 2 * width, v_);
    factor(d_);
    solve([&](int r) RATTLEBACK_INLINE_LAMBDA { return dot(v_, v_, r) + d_[1][r] * field_[r]; });
    spread(lambda_, d_, [&](int c, int r, const Row& pull) RATTLEBACK_INLINE_LAMBDA {
      moved_[c][r] = c == 1 ? pull + field_[r] : pull;
    });
    store(v_, out.data()), store(moved_, out.data() + 2 * width);
  }
  RATTLEBACK_PASS void project(State& y) {
    load(y.data(), d_), load(y.data() + 2 * width, v_);
    factor(d_);
    moved_ = d_;
    for (int k = 0; k < 10; ++k) {
      rb::Largest<Row> most;
      for (int r = 0; r < length; ++r) {
        right_[r] = (dot(moved_, moved_, r) - square_[r]) * 0.5;
        most.add(right_[r]);
      }
      if (most.value() < 1e-15) break;
      solve([&](int r) RATTLEBACK_INLINE_LAMBDA { return right_[r]; });
      spread(lambda_, d_,
             [&](int c, int r, const Row& pull) RATTLEBACK_INLINE_LAMBDA { moved_[c][r] += pull; });
    }
    factor(moved_);
    solve([&](int r) RATTLEBACK_INLINE_LAMBDA { return dot(moved_, v_, r); });
    spread(lambda_, moved_,
           [&](int c, int r, const Row& pull) RATTLEBACK_INLINE_LAMBDA { v_[c][r] += pull; });
    store(moved_, y.data()), store(v_, y.data() + 2 * width);
  }

  rb::StrandLdlt<double> gram_{links};
  Rows after_{}, own_{}, before_{}, beyond_{}, square_{}, field_{};
  Rows room_{}, lambda_{}, right_{};
  Plane d_{}, v_{}, moved_{};
};

}  // namespace bench
