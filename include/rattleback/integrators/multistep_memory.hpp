// What a multistep method remembers: the newest position q_F, the front, with the last difference
// behind it, and second differences, drives and multipliers of the steps before.
//
//   u_F = history + beta_0 w_F,   d_{F+1} = d_F + u_F,   q_{F+1} = q_F + d_{F+1}
//   d_j = q_j - q_{j-1}
//
// The two sums keep what their rounding drops; u is of size h^2 and rounded there.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "rattleback/integrators/multistep_modes.hpp"

namespace rattleback {

template <class Position, class Multiplier>
class MultistepMemory {
 public:
  using R = Real<typename Position::Scalar>;
  using Row = RowOf<Position>;
  using Cell = typename Row::Scalar;
  using Front = MultistepFront<Row>;
  using Ring = MultistepRing<Position, Multiplier>;

  MultistepMemory(int order, Eigen::Index n, Eigen::Index m)
      : c_(multistep_coefficients<R>(order)),
        n_(n),
        last_(n),
        shown_(n),
        slope_(n),
        last_vector_(n),
        ring_(n, m),
        modes_(n) {}

  const MultistepCoefficients<R>& coefficients() const { return c_; }
  /// Of the state that is shown, half the order behind the front.
  const Multiplier& shown_multiplier() const { return ring_.before(c_.order / 2).lambda; }

  // -- a step --

  /// What the past gives to u, where the front coasts to with that alone, and a guess of the next
  /// multiplier.
  RATTLEBACK_INLINE void remember(const Front& front, Row& history, Front& coast,
                                  Multiplier& guess) const {
    const Past past(ring_);
    recall(past, history);
    add(front, history, coast);
    extrapolate(past, guess);
  }
  RATTLEBACK_INLINE void guess(Multiplier& lambda) const { extrapolate(Past(ring_), lambda); }
  /// The same one step further, if the front ahead was reached with these u and drive.
  RATTLEBACK_INLINE void foresee(const Row& u, const Row& drive, const Front& ahead, Row& history,
                                 Front& coast) const {
    Past past(ring_);
#pragma GCC unroll 8
    for (int j = memory - 1; j > 0; --j)
      past.u[j] = past.u[j - 1], past.drive[j] = past.drive[j - 1];
    past.u[0] = u.data(), past.drive[0] = drive.data();
    recall(past, history);
    add(ahead, history, coast);
  }
  /// The drive was another by so much: what was foreseen is linear in it.
  RATTLEBACK_INLINE void mend(const Row& drive, Row& u, Front& ahead, Row& history,
                              Front& coast) const {
    const R here = c_.drive[0], later = c_.drive[1] - c_.inertia[0] * here;
    add_scaled(here, drive, u);
    add_scaled(here, drive, ahead.q_low), add_scaled(here, drive, ahead.d_low);
    add_scaled(later, drive, history);
    add_scaled(R(here + later), drive, coast.d_low);
    add_scaled(R(2 * here + later), drive, coast.q_low);
  }
  /// q1 = far + (near + beta w), rounded once.
  RATTLEBACK_INLINE void reach(const Row& far, const Row& near, const Position& w,
                               Position& q1) const {
    const R beta = c_.drive[0];
    const Eigen::Index n = q1.size();
    RATTLEBACK_INDEPENDENT
    for (Eigen::Index i = 0; i < n; ++i) q1[i] = entry(far, i) + (entry(near, i) + w[i] * beta);
  }
  /// The front there, and u.
  RATTLEBACK_INLINE void arrive(const Front& coast, const Row& history, const Row& w, Row& second,
                                Front& ahead) const {
    const Cell *past = history.data(), *drive = w.data();
    const Cell *q = coast.q.data(), *q_low = coast.q_low.data();
    const Cell *d = coast.d.data(), *d_low = coast.d_low.data();
    Cell* __restrict u = second.data();
    Cell* __restrict q1 = ahead.q.data();
    Cell* __restrict q1_low = ahead.q_low.data();
    Cell* __restrict d1 = ahead.d.data();
    Cell* __restrict d1_low = ahead.d_low.data();
    const R beta = c_.drive[0];
    const Eigen::Index n = second.size();
    RATTLEBACK_INDEPENDENT
    for (Eigen::Index i = 0; i < n; ++i) {
      const Cell push = drive[i] * beta;
      u[i] = past[i] + push;
      add_in_full(q[i], Cell(q_low[i] + push), q1[i], q1_low[i]);
      add_in_full(d[i], Cell(d_low[i] + push), d1[i], d1_low[i]);
    }
  }
  RATTLEBACK_INLINE void keep(Row& u, Position& drive, Multiplier& lambda) {
    ring_.keep(u, drive, lambda);
  }

  // -- a step of large vectors --

  /// What follows from the rest: the modes, and what the front coasts by with what they give to u,
  ///   q_{F+1} - q_F = near + beta_0 w_F
  void resume(const Front& front, Row& near) {
    modes_.resume(c_, ring_, near);
    for (Eigen::Index i = 0; i < near.size(); ++i)
      near[i] = (front.q_low[i] + front.d_low[i]) + (front.d[i] + near[i]);
  }
  /// With the drive w of the front: u_F, the front to q_{F+1}, which may have a place of its own,
  /// and near of the next step.
  RATTLEBACK_INLINE void arrive(const Position& w, Row& second, Front& front, Row& ahead,
                                Row& near) {
    modes_.turn(c_, w, second, near);
    const Cell *u = second.data(), *q = front.q.data();
    Cell *q1 = ahead.data(), *q_low = front.q_low.data(), *d = front.d.data();
    Cell *d_low = front.d_low.data(), *way = near.data();
    const Eigen::Index n = second.size();
    RATTLEBACK_INDEPENDENT
    for (Eigen::Index i = 0; i < n; ++i) {
      Cell step, step_low, high, rest, sum, dropped;
      add_small(d[i], Cell(d_low[i] + u[i]), step, step_low);
      add_small(q[i], step, high, rest);
      add_small(high, Cell(rest + (q_low[i] + step_low)), sum, dropped);
      d[i] = step, d_low[i] = step_low;
      q1[i] = sum, q_low[i] = dropped;
      way[i] = (dropped + step_low) + (step + way[i]);
    }
  }

  // -- the start: positions at order points about it, then differences --

  void clear() { ring_.clear(c_.order / 2); }
  void place(int j, const Position& q) { set(ring_.at(j).u, q); }
  void drive(int j, const Position& w) { set(ring_.at(j).drive, w); }
  Multiplier& multiplier(int j) { return ring_.at(j).lambda; }
  void difference(Front& front) {
    const int newest = c_.order / 2, oldest = newest - c_.order + 1;
    const auto placed = [this](int j) -> Row& { return ring_.at(j).u; };
    copy(placed(newest), front.q);
    for (int j = newest; j > oldest; --j) subtract_scaled(R(1), placed(j - 1), placed(j));
    copy(placed(newest), front.d);
    for (int j = oldest + 1; j < newest; ++j)
      for (Eigen::Index i = 0; i < last_.size(); ++i)
        placed(j)[i] = placed(j + 1)[i] - placed(j)[i];
    for (Eigen::Index i = 0; i < last_.size(); ++i) front.q_low[i] = front.d_low[i] = Cell{};
  }

  // -- the state that is shown --

  /// q_n = q_F - sum d_j,   h v_n = sum_i slope_i (d_{n+i+1} + d_{n-i})
  void show(const Front& front, Position& q, Position& hv) {
    const int half = c_.order / 2;
    copy(front.q, shown_), copy(front.d, last_);
    add_scaled(R(1), front.q_low, shown_), add_scaled(R(1), front.d_low, last_);
    for (Eigen::Index i = 0; i < slope_.size(); ++i) slope_[i] = Cell{};
    for (int j = 0; j < c_.order; ++j) {
      if (j < half) subtract_scaled(R(1), last_, shown_);
      add_scaled(c_.slope[j < half ? half - 1 - j : j - half], last_, slope_);
      if (j + 1 < c_.order) subtract_scaled(R(1), ring_.before(j + 1).u, last_);
    }
    copy(as_vector(shown_), q), copy(as_vector(slope_), hv);
  }
  /// The same trajectory backwards from the state shown: the other end becomes the front.
  void reverse(Front& front) {
    for (int i = 1; i < c_.order; ++i) {
      retreat(front);
      for (Eigen::Index x = 0; x < last_.size(); ++x)
        subtract_in_full(ring_.before(i).u[x], Cell{}, front.d[x], front.d_low[x]);
    }
    retreat(front);
    scale(R(-1), front.d), scale(R(-1), front.d_low);
    for (int i = 1, j = c_.order - 1; i < j; ++i, --j) std::swap(ring_.before(i), ring_.before(j));
  }

  // -- as numbers --

  void save(std::vector<double>& to, const Front& front) const {
    const auto append = [&](const auto& row) {
      for (Eigen::Index i = 0; i < n_; ++i) to.push_back(entry(row, i));
    };
    for (int j = 1; j <= Ring::size; ++j) {
      const Kept& k = ring_.before(j);
      append(k.u), append(k.drive);
      to.insert(to.end(), k.lambda.begin(), k.lambda.end());
    }
    append(front.q), append(front.q_low), append(front.d), append(front.d_low);
  }
  void restore(std::span<const double>& from, Front& front) {
    auto next = from.begin();
    const auto read = [&](Row& row) {
      for (Eigen::Index i = 0; i < n_; ++i) last_vector_[i] = *next++;
      set(row, last_vector_);
    };
    ring_.clear(0);
    for (int j = 1; j <= Ring::size; ++j) {
      Kept& k = ring_.before(j);
      read(k.u), read(k.drive);
      for (auto& x : k.lambda) x = *next++;
    }
    read(front.q), read(front.q_low), read(front.d), read(front.d_low);
    from = from.subspan(static_cast<std::size_t>(next - from.begin()));
  }

 private:
  using Kept = typename Ring::Kept;
  using Past = typename Ring::Past;
  static constexpr int memory = Ring::memory;

  /// What the past gives to u.
  RATTLEBACK_INLINE void recall(const Past& past, Row& history) const {
    Cell* __restrict sum = history.data();
    const auto beta = c_.drive;
    const auto gamma = c_.inertia;
    const Eigen::Index n = history.size();
    RATTLEBACK_INDEPENDENT
    for (Eigen::Index i = 0; i < n; ++i) {
      Cell driven = past.drive[memory - 1][i] * beta[memory];
      Cell carried = past.u[memory - 1][i] * gamma[memory - 1];
#pragma GCC unroll 8
      for (int j = memory - 2; j >= 0; --j) {  // the step waits for the newest ones: they are last
        driven += past.drive[j][i] * beta[j + 1];
        carried += past.u[j][i] * gamma[j];
      }
      sum[i] = driven - carried;
    }
  }
  RATTLEBACK_INLINE void extrapolate(const Past& past, Multiplier& guess) const {
    auto* __restrict next = guess.data();
    const auto ahead = c_.ahead;
    const Eigen::Index n = guess.size();
    RATTLEBACK_INDEPENDENT
    for (Eigen::Index i = 0; i < n; ++i) {
      typename Multiplier::Scalar sum = past.lambda[memory][i] * ahead[memory];
#pragma GCC unroll 8
      for (int j = memory - 1; j >= 0; --j) sum += past.lambda[j][i] * ahead[j];
      next[i] = sum;
    }
  }
  static void set(Row& row, const Position& v) {
    if constexpr (std::is_same_v<Row, Position>)
      copy(v, row);
    else
      row = Row(v);
  }
  /// d + u, and q + d + u
  RATTLEBACK_INLINE static void add(const Front& front, const Row& second, Front& sum) {
    const Cell *q = front.q.data(), *q_low = front.q_low.data();
    const Cell *d = front.d.data(), *d_low = front.d_low.data(), *u = second.data();
    Cell* __restrict q1 = sum.q.data();
    Cell* __restrict q1_low = sum.q_low.data();
    Cell* __restrict d1 = sum.d.data();
    Cell* __restrict d1_low = sum.d_low.data();
    const Eigen::Index n = second.size();
    RATTLEBACK_INDEPENDENT
    for (Eigen::Index i = 0; i < n; ++i) {
      Cell high, rest;
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
  static void subtract_in_full(const Cell& term, const Cell& term_low, Cell& sum, Cell& low) {
    Cell high, rest;
    add_in_full(sum, Cell(-term), high, rest);
    add_in_full(high, Cell(rest + (low - term_low)), sum, low);
  }

  MultistepCoefficients<R> c_;
  Eigen::Index n_;
  Row last_, shown_, slope_;  // room
  Position last_vector_;
  Ring ring_;
  MultistepModes<Position, Multiplier> modes_;  // of large vectors
};

}  // namespace rattleback
