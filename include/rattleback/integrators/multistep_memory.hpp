// What a multistep method remembers: the newest position q_F, the front, with the last difference
// behind it, and second differences, drives and multipliers of the steps before.
//
//   u_F = history + beta_0 w_F,   d_{F+1} = d_F + u_F,   q_{F+1} = q_F + d_{F+1},   d_j = q_j -
//   q_{j-1}
//
// The two sums keep what their rounding drops; u is of size h^2 and rounded there.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "rattleback/integrators/multistep_coefficients.hpp"
#include "rattleback/problem/vector_ops.hpp"

namespace rattleback {

/// a + b = sum + rest, in full.
template <class S>
RATTLEBACK_INLINE void add_in_full(const S& a, const S& b, S& sum, S& rest) {
  sum = a + b;
  const S seen = sum - a;
  rest = (a - (sum - seen)) + (b - seen);
}

/// A position and the last difference behind it, with what rounding dropped.
template <class Position>
struct MultistepFront {
  explicit MultistepFront(Eigen::Index n) : q(n), q_low(n), d(n), d_low(n) {}
  Position q, q_low, d, d_low;
};

template <class Position, class Multiplier>
class MultistepMemory {
 public:
  using S = typename Position::Scalar;
  using R = Real<S>;
  using Front = MultistepFront<Position>;

  MultistepMemory(int order, Eigen::Index n, Eigen::Index m)
      : c_(multistep_coefficients<R>(order)), last_(n) {
    u_.reserve(room), drives_.reserve(room), lambdas_.reserve(room);
    for (std::size_t i = 0; i < room; ++i)
      u_.emplace_back(n), drives_.emplace_back(n), lambdas_.emplace_back(m);
  }

  const MultistepCoefficients<R>& coefficients() const { return c_; }
  /// Of the state that is shown, half the order behind the front.
  const Multiplier& shown_multiplier() const { return lambdas_[slot(front_at_ - c_.order / 2)]; }

  // -- a step --

  /// What the past gives to u, where the front coasts to with that alone, and a guess of the next
  /// multiplier.
  RATTLEBACK_INLINE void remember(const Front& front, Position& history, Front& coast,
                                  Multiplier& guess) const {
    const S *u[memory], *w[memory], *l[memory + 1];
#pragma GCC unroll 8
    for (int j = 0; j < memory; ++j) {
      const std::size_t at = slot(front_at_ - 1 - j);
      u[j] = u_[at].data(), w[j] = drives_[at].data(), l[j] = lambdas_[at].data();
    }
    l[memory] = lambdas_[slot(front_at_ - 1 - memory)].data();
    S* __restrict past = history.data();
    for (Eigen::Index i = 0; i < history.size(); ++i) {
      S driven = w[memory - 1][i] * c_.drive[memory];
      S carried = u[memory - 1][i] * c_.inertia[memory - 1];
#pragma GCC unroll 8
      for (int j = memory - 2; j >= 0; --j) {  // the step waits for the newest ones: they are last
        driven += w[j][i] * c_.drive[j + 1];
        carried += u[j][i] * c_.inertia[j];
      }
      past[i] = driven - carried;
    }
    add(front, history, coast);
    S* __restrict next = guess.data();
    for (Eigen::Index i = 0; i < guess.size(); ++i) {
      S sum = l[memory][i] * c_.ahead[memory];
#pragma GCC unroll 8
      for (int j = memory - 1; j >= 0; --j) sum += l[j][i] * c_.ahead[j];
      next[i] = sum;
    }
  }
  /// q1 with the drive w, rounded once.
  RATTLEBACK_INLINE void reach(const Front& coast, const Position& w, Position& q1) const {
    const S *q = coast.q.data(), *low = coast.q_low.data(), *drive = w.data();
    S* __restrict out = q1.data();
    for (Eigen::Index i = 0; i < q1.size(); ++i) out[i] = q[i] + (low[i] + drive[i] * c_.drive[0]);
  }
  /// The rest of the front there, and u.
  RATTLEBACK_INLINE void arrive(const Front& coast, const Position& history, const Position& w,
                                Position& second, Front& ahead) const {
    const S *past = history.data(), *drive = w.data();
    const S *q = coast.q.data(), *q_low = coast.q_low.data();
    const S *d = coast.d.data(), *d_low = coast.d_low.data();
    S* __restrict u = second.data();
    S* __restrict q1 = ahead.q.data();
    S* __restrict q1_low = ahead.q_low.data();
    S* __restrict d1 = ahead.d.data();
    S* __restrict d1_low = ahead.d_low.data();
    for (Eigen::Index i = 0; i < second.size(); ++i) {
      const S push = drive[i] * c_.drive[0];
      u[i] = past[i] + push;
      add_in_full(q[i], S(q_low[i] + push), q1[i], q1_low[i]);
      add_in_full(d[i], S(d_low[i] + push), d1[i], d1_low[i]);
    }
  }
  /// Takes u, drive and multiplier of the front, which moves on.
  RATTLEBACK_INLINE void keep(Position& u, Position& drive, Multiplier& lambda) {
    const std::size_t at = slot(front_at_++);
    take(u, u_[at]), take(drive, drives_[at]), take(lambda, lambdas_[at]);
    if constexpr (is_small)
      if (at + 1 == room) [[unlikely]]
        move_down();
  }

  // -- the start: positions at order points about it, then differences --

  void clear() {
    front_at_ = c_.order / 2, first_ = front_at_ - ring;
    for_all(*this, [](auto& v) {
      for (Eigen::Index i = 0; i < v.size(); ++i) v[i] = S(0);
    });
  }
  Position& position(int j) { return u_[slot(j)]; }
  Position& drive(int j) { return drives_[slot(j)]; }
  Multiplier& multiplier(int j) { return lambdas_[slot(j)]; }
  void difference(Front& front) {
    const int newest = c_.order / 2, oldest = newest - c_.order + 1;
    copy(position(newest), front.q);
    for (int j = newest; j > oldest; --j) subtract_scaled(R(1), position(j - 1), position(j));
    copy(position(newest), front.d);
    for (int j = oldest + 1; j < newest; ++j)
      for (Eigen::Index i = 0; i < last_.size(); ++i)
        position(j)[i] = position(j + 1)[i] - position(j)[i];
    for (Eigen::Index i = 0; i < last_.size(); ++i) front.q_low[i] = front.d_low[i] = S(0);
  }

  // -- the state that is shown --

  /// q_n = q_F - sum d_j,   h v_n = sum_i slope_i (d_{n+i+1} + d_{n-i})
  void show(const Front& front, Position& q, Position& hv) {
    const int half = c_.order / 2;
    copy(front.q, q), copy(front.d, last_);
    add_scaled(R(1), front.q_low, q);
    for (Eigen::Index i = 0; i < hv.size(); ++i) hv[i] = S(0);
    for (int j = 0; j < c_.order; ++j) {
      if (j < half) subtract_scaled(R(1), last_, q);
      add_scaled(c_.slope[j < half ? half - 1 - j : j - half], last_, hv);
      if (j + 1 < c_.order) subtract_scaled(R(1), u_[slot(front_at_ - 1 - j)], last_);
    }
  }
  /// The same trajectory backwards from the state shown: the other end becomes the front.
  void reverse(Front& front) {
    for (int i = 1; i < c_.order; ++i) {
      retreat(front);
      for (Eigen::Index x = 0; x < last_.size(); ++x)
        subtract_in_full(u_[slot(front_at_ - i)][x], S(0), front.d[x], front.d_low[x]);
    }
    retreat(front);
    scale(R(-1), front.d), scale(R(-1), front.d_low);
    for (int i = 1, j = c_.order - 1; i < j; ++i, --j) {
      const std::size_t a = slot(front_at_ - i), b = slot(front_at_ - j);
      u_[a].swap(u_[b]), drives_[a].swap(drives_[b]), lambdas_[a].swap(lambdas_[b]);
    }
  }

  // -- as numbers --

  void save(std::vector<double>& to) const {
    for_kept(*this, [&](const auto& v) { to.insert(to.end(), v.begin(), v.end()); });
  }
  void restore(std::span<const double>& from) {
    std::size_t next = 0;
    front_at_ = ring, first_ = 0;
    for_kept(*this, [&](auto& v) {
      for (auto& x : v) x = from[next++];
    });
    from = from.subspan(next);
  }

 private:
  static constexpr int memory = MultistepCoefficients<R>::memory;
  static constexpr int ring = 8;  // the shown momentum of order 8 takes 7 of them
  // Small vectors stand one behind the other, so that their places are known; large ones take
  // turns.
  static constexpr bool is_small = Position::SizeAtCompileTime != dynamic;
  static constexpr std::size_t room = is_small ? 128 : ring;

  std::size_t slot(long j) const {
    return static_cast<std::size_t>(is_small ? j - first_ : j & (ring - 1));
  }
  [[gnu::noinline]] void move_down() {
    const std::size_t from = slot(front_at_ - ring);
    for (std::size_t i = 0; i < ring; ++i) {
      copy(u_[from + i], u_[i]), copy(drives_[from + i], drives_[i]);
      copy(lambdas_[from + i], lambdas_[i]);
    }
    first_ = front_at_ - ring;
  }
  template <class Self, class F>
  static void for_kept(Self& self, F&& f) {
    for (int j = 1; j <= ring; ++j) {
      const std::size_t at = self.slot(self.front_at_ - j);
      f(self.u_[at]), f(self.drives_[at]), f(self.lambdas_[at]);
    }
  }
  template <class Self, class F>
  static void for_all(Self& self, F&& f) {
    for (auto& v : self.u_) f(v);
    for (auto& v : self.drives_) f(v);
    for (auto& v : self.lambdas_) f(v);
  }
  template <class V>
  RATTLEBACK_INLINE static void take(V& from, V& to) {
    if constexpr (V::SizeAtCompileTime == dynamic)
      from.swap(to);
    else
      copy(from, to);
  }
  /// d + u, and q + d + u
  RATTLEBACK_INLINE static void add(const Front& front, const Position& second, Front& sum) {
    const S *q = front.q.data(), *q_low = front.q_low.data();
    const S *d = front.d.data(), *d_low = front.d_low.data(), *u = second.data();
    S* __restrict q1 = sum.q.data();
    S* __restrict q1_low = sum.q_low.data();
    S* __restrict d1 = sum.d.data();
    S* __restrict d1_low = sum.d_low.data();
    for (Eigen::Index i = 0; i < second.size(); ++i) {
      S high, rest;
      add_in_full(d[i], u[i], high, rest);
      d1[i] = high, d1_low[i] = rest + d_low[i];
      add_in_full(q[i], high, q1[i], rest);
      q1_low[i] = rest + (q_low[i] + d1_low[i]);
    }
  }
  /// q becomes the position before.
  static void retreat(Front& front) {
    for (Eigen::Index i = 0; i < front.q.size(); ++i)
      subtract_in_full(front.d[i], front.d_low[i], front.q[i], front.q_low[i]);
  }
  static void subtract_in_full(const S& term, const S& term_low, S& sum, S& low) {
    S high, rest;
    add_in_full(sum, S(-term), high, rest);
    add_in_full(high, S(rest + (low - term_low)), sum, low);
  }

  MultistepCoefficients<R> c_;
  Position last_;                     // room
  std::vector<Position> u_, drives_;  // by the position they belong to
  std::vector<Multiplier> lambdas_;
  long front_at_ = 0, first_ = 0;  // the step of the front, and of what stands first
};

}  // namespace rattleback
