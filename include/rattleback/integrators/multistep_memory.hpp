// What a multistep method remembers: the newest position q_F, the front, with the last difference
// behind it, and second differences, drives and multipliers of the steps before.
//
//   u_F = history + beta_0 w_F,   d_{F+1} = d_F + u_F,   q_{F+1} = q_F + d_{F+1},   d_j = q_j -
//   q_{j-1}
//
// The two sums keep what their rounding drops; u is of size h^2 and rounded there.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "rattleback/integrators/multistep_coefficients.hpp"
#include "rattleback/integrators/multistep_row.hpp"

namespace rattleback {

template <class Position, class Multiplier>
class MultistepMemory {
 public:
  using R = Real<typename Position::Scalar>;
  using Row = RowOf<Position>;
  using Cell = typename Row::Scalar;
  using Front = MultistepFront<Row>;

  MultistepMemory(int order, Eigen::Index n, Eigen::Index m)
      : c_(multistep_coefficients<R>(order)),
        n_(n),
        last_(n),
        shown_(n),
        slope_(n),
        last_vector_(n) {
    kept_.reserve(room);
    for (std::size_t i = 0; i < room; ++i) kept_.emplace_back(n, m);
  }

  const MultistepCoefficients<R>& coefficients() const { return c_; }
  /// Of the state that is shown, half the order behind the front.
  const Multiplier& shown_multiplier() const { return kept(front_at_ - c_.order / 2).lambda; }

  // -- a step --

  /// What the past gives to u, where the front coasts to with that alone, and a guess of the next
  /// multiplier.
  RATTLEBACK_INLINE void remember(const Front& front, Row& history, Front& coast,
                                  Multiplier& guess) const {
    const Past past(*this);
    recall(past.u, past.drive, history);
    add(front, history, coast);
    extrapolate(past, guess);
  }
  RATTLEBACK_INLINE void guess(Multiplier& lambda) const { extrapolate(Past(*this), lambda); }
  /// The same one step further, if the front ahead was reached with these u and drive.
  RATTLEBACK_INLINE void foresee(const Row& u, const Row& drive, const Front& ahead, Row& history,
                                 Front& coast) const {
    const Past past(*this);
    const Cell *us[memory] = {u.data()}, *drives[memory] = {drive.data()};
#pragma GCC unroll 8
    for (int j = 1; j < memory; ++j) us[j] = past.u[j - 1], drives[j] = past.drive[j - 1];
    recall(us, drives, history);
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
  /// q1 with the drive w, rounded once.
  RATTLEBACK_INLINE void reach(const Front& coast, const Position& w, Position& q1) const {
    const R beta = c_.drive[0];
    const Eigen::Index n = q1.size();
    RATTLEBACK_INDEPENDENT
    for (Eigen::Index i = 0; i < n; ++i)
      q1[i] = entry(coast.q, i) + (entry(coast.q_low, i) + w[i] * beta);
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
  /// Takes u, drive and multiplier of the front, which moves on.
  RATTLEBACK_INLINE void keep(Row& u, Position& drive, Multiplier& lambda) {
    Kept& next = kept(front_at_++);
    if constexpr (is_small) {
      next.u = u, next.drive = as_row(drive);
      copy(lambda, next.lambda);
      if (&next == &kept_.back()) [[unlikely]]
        move_down();
    } else {
      next.u.swap(u), next.drive.swap(drive), next.lambda.swap(lambda);
    }
  }

  // -- the start: positions at order points about it, then differences --

  void clear() {
    front_at_ = c_.order / 2, first_ = front_at_ - ring;
    for (Kept& k : kept_) {
      for (Eigen::Index i = 0; i < k.u.size(); ++i) k.u[i] = k.drive[i] = Cell{};
      for (Eigen::Index i = 0; i < k.lambda.size(); ++i)
        k.lambda[i] = typename Multiplier::Scalar(0);
    }
  }
  void place(int j, const Position& q) { set(kept(j).u, q); }
  void drive(int j, const Position& w) { set(kept(j).drive, w); }
  Multiplier& multiplier(int j) { return kept(j).lambda; }
  void difference(Front& front) {
    const int newest = c_.order / 2, oldest = newest - c_.order + 1;
    const auto placed = [this](int j) -> Row& { return kept(j).u; };
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
      if (j + 1 < c_.order) subtract_scaled(R(1), kept(front_at_ - 1 - j).u, last_);
    }
    copy(as_vector(shown_), q), copy(as_vector(slope_), hv);
  }
  /// The same trajectory backwards from the state shown: the other end becomes the front.
  void reverse(Front& front) {
    for (int i = 1; i < c_.order; ++i) {
      retreat(front);
      for (Eigen::Index x = 0; x < last_.size(); ++x)
        subtract_in_full(kept(front_at_ - i).u[x], Cell{}, front.d[x], front.d_low[x]);
    }
    retreat(front);
    scale(R(-1), front.d), scale(R(-1), front.d_low);
    for (int i = 1, j = c_.order - 1; i < j; ++i, --j)
      std::swap(kept(front_at_ - i), kept(front_at_ - j));
  }

  // -- as numbers --

  void save(std::vector<double>& to, const Front& front) const {
    const auto append = [&](const auto& row) {
      for (Eigen::Index i = 0; i < n_; ++i) to.push_back(entry(row, i));
    };
    for (int j = 1; j <= ring; ++j) {
      const Kept& k = kept(front_at_ - j);
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
    front_at_ = ring, first_ = 0;
    for (int j = 1; j <= ring; ++j) {
      Kept& k = kept(front_at_ - j);
      read(k.u), read(k.drive);
      for (auto& x : k.lambda) x = *next++;
    }
    read(front.q), read(front.q_low), read(front.d), read(front.d_low);
    from = from.subspan(static_cast<std::size_t>(next - from.begin()));
  }

 private:
  /// Of one step.
  struct Kept {
    Kept(Eigen::Index n, Eigen::Index m) : u(n), drive(n), lambda(m) {}
    Row u, drive;
    Multiplier lambda;
  };
  static constexpr int memory = MultistepCoefficients<R>::memory;
  static constexpr int ring = 8;  // the shown momentum of order 8 takes 7 of them
  // Small vectors stand one behind the other, so that their places are known; large ones take
  // turns.
  static constexpr bool is_small = Position::SizeAtCompileTime != dynamic;
  static constexpr std::size_t room = is_small ? 4 * ring : ring;

  /// Of the last steps, from the newest one on.
  struct Past {
    RATTLEBACK_INLINE explicit Past(const MultistepMemory& m) {
      const Kept* newest = &m.kept(m.front_at_ - 1);
#pragma GCC unroll 8
      for (int j = 0; j <= memory; ++j) {
        const Kept* k = is_small ? newest - j : &m.kept(m.front_at_ - 1 - j);
        if (j < memory) u[j] = k->u.data(), drive[j] = k->drive.data();
        lambda[j] = k->lambda.data();
      }
    }
    const Cell *u[memory], *drive[memory];
    const typename Multiplier::Scalar* lambda[memory + 1];
  };
  RATTLEBACK_INLINE void recall(const Cell* const (&u)[memory], const Cell* const (&w)[memory],
                                Row& history) const {
    Cell* __restrict sum = history.data();
    const auto beta = c_.drive;
    const auto gamma = c_.inertia;
    const Eigen::Index n = history.size();
    RATTLEBACK_INDEPENDENT
    for (Eigen::Index i = 0; i < n; ++i) {
      Cell driven = w[memory - 1][i] * beta[memory];
      Cell carried = u[memory - 1][i] * gamma[memory - 1];
#pragma GCC unroll 8
      for (int j = memory - 2; j >= 0; --j) {  // the step waits for the newest ones: they are last
        driven += w[j][i] * beta[j + 1];
        carried += u[j][i] * gamma[j];
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
  RATTLEBACK_INLINE static std::size_t slot(long j, long first) {
    return static_cast<std::size_t>(is_small ? j - first : j & (ring - 1));
  }
  RATTLEBACK_INLINE const Kept& kept(long j) const { return kept_[slot(j, first_)]; }
  RATTLEBACK_INLINE Kept& kept(long j) { return kept_[slot(j, first_)]; }
  [[gnu::noinline]] void move_down() {
    std::copy(kept_.end() - ring, kept_.end(), kept_.begin());
    first_ = front_at_ - ring;
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
  std::vector<Kept> kept_;             // by the position they belong to
  long front_at_ = 0, first_ = -ring;  // the step of the front, and of what stands first
};

}  // namespace rattleback
