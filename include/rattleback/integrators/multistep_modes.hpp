// The past of a multistep method, each pair of roots of gamma by itself:
//
//   u_n = beta_0 w_n + sum_j weight_j y^j_n,   y^j_{n+1} = w_n - turn_j y^j_n - y^j_{n-1}
//
// It is the recurrence of all u and w before, in half as many numbers: two y of each pair.
#pragma once

#include <utility>
#include <vector>

#include "rattleback/integrators/multistep_ring.hpp"

namespace rattleback {

template <class Position, class Multiplier>
class MultistepModes {
 public:
  using R = Real<typename Position::Scalar>;
  using Row = RowOf<Position>;
  using Cell = typename Row::Scalar;
  using Ring = MultistepRing<Position, Multiplier>;
  using Coefficients = MultistepCoefficients<R>;
  static constexpr int count = Coefficients::modes;
  static_assert(count == 3, "turn() is written out for three");

  explicit MultistepModes(Eigen::Index n) : now_(count, Row(n)), before_(now_) {}

  /// Those of what is kept, and what they give to the next u.
  void resume(const Coefficients& c, const Ring& ring, Row& history) {
    const typename Ring::Past past(ring);
    for (int j = 0; j < count; ++j) {
      past.sum(c.now[j], now_[j]);
      past.sum(c.before[j], before_[j]);
    }
    const Cell *y0 = now_[0].data(), *y1 = now_[1].data(), *y2 = now_[2].data();
    Cell* next = history.data();
    const auto weight = c.weight;
    const Eigen::Index n = history.size();
    RATTLEBACK_INDEPENDENT
    for (Eigen::Index i = 0; i < n; ++i)
      next[i] = y0[i] * weight[0] + y1[i] * weight[1] + y2[i] * weight[2];
  }
  /// One step on with the drive w: u, and what the modes give to the next.
  RATTLEBACK_INLINE void turn(const Coefficients& c, const Position& drive, Row& second,
                              Row& history) {
    const Cell *y0 = now_[0].data(), *y1 = now_[1].data(), *y2 = now_[2].data(), *w = drive.data();
    Cell *z0 = before_[0].data(), *z1 = before_[1].data(), *z2 = before_[2].data();
    Cell *u = second.data(), *next = history.data();
    const R beta = c.drive[0];
    const auto weight = c.weight, turn = c.turn;
    const Eigen::Index n = second.size();
    RATTLEBACK_INDEPENDENT
    for (Eigen::Index i = 0; i < n; ++i) {
      const Cell next0 = w[i] - y0[i] * turn[0] - z0[i], next1 = w[i] - y1[i] * turn[1] - z1[i],
                 next2 = w[i] - y2[i] * turn[2] - z2[i];
      u[i] = w[i] * beta + (y0[i] * weight[0] + y1[i] * weight[1] + y2[i] * weight[2]);
      z0[i] = next0, z1[i] = next1, z2[i] = next2;
      next[i] = next0 * weight[0] + next1 * weight[1] + next2 * weight[2];
    }
    now_.swap(before_);
  }

 private:
  std::vector<Row> now_, before_;
};

}  // namespace rattleback
