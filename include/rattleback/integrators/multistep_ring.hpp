// What a multistep method keeps of its last steps.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "rattleback/integrators/multistep_coefficients.hpp"
#include "rattleback/integrators/multistep_row.hpp"

namespace rattleback {

/// Second differences, drives and multipliers by the step they belong to. Small vectors stand one
/// behind the other, so that their places are known; large ones take turns.
template <class Position, class Multiplier>
class MultistepRing {
 public:
  using R = Real<typename Position::Scalar>;
  using Row = RowOf<Position>;
  using Cell = typename Row::Scalar;
  static constexpr int memory = MultistepCoefficients<R>::memory;
  static constexpr int size = 8;  ///< the shown momentum of order 8 takes 7 of them

  struct Kept {
    Kept(Eigen::Index n, Eigen::Index m) : u(n), drive(n), lambda(m) {}
    Row u, drive;
    Multiplier lambda;
  };
  /// Of the last steps, from the newest one on.
  struct Past {
    RATTLEBACK_INLINE explicit Past(const MultistepRing& ring) {
      const Kept* newest = &ring.before(1);
#pragma GCC unroll 8
      for (int j = 0; j <= memory; ++j) {
        const Kept* k = is_small ? newest - j : &ring.before(j + 1);
        if (j < memory) u[j] = k->u.data(), drive[j] = k->drive.data();
        lambda[j] = k->lambda.data();
      }
    }
    /// Of all u and drives.
    template <class FromPast>
    void sum(const FromPast& from, Row& out) const {
      Cell* __restrict sum = out.data();
      const Eigen::Index n = out.size();
      RATTLEBACK_INDEPENDENT
      for (Eigen::Index i = 0; i < n; ++i) {
        Cell terms = u[0][i] * from.u[0] + drive[0][i] * from.w[0];
#pragma GCC unroll 8
        for (int j = 1; j < memory; ++j) terms += u[j][i] * from.u[j] + drive[j][i] * from.w[j];
        sum[i] = terms;
      }
    }
    const Cell *u[memory], *drive[memory];
    const typename Multiplier::Scalar* lambda[memory + 1];
  };

  MultistepRing(Eigen::Index n, Eigen::Index m) {
    kept_.reserve(room);
    for (std::size_t i = 0; i < room; ++i) kept_.emplace_back(n, m);
  }
  /// Empty, with the front at this step.
  void clear(long front) {
    front_ = front, first_ = front_ - size;
    for (Kept& k : kept_) {
      for (Eigen::Index i = 0; i < k.u.size(); ++i) k.u[i] = k.drive[i] = Cell{};
      for (Eigen::Index i = 0; i < k.lambda.size(); ++i)
        k.lambda[i] = typename Multiplier::Scalar(0);
    }
  }
  RATTLEBACK_INLINE const Kept& at(long j) const { return kept_[slot(j)]; }
  RATTLEBACK_INLINE Kept& at(long j) { return kept_[slot(j)]; }
  /// So many steps before the front.
  RATTLEBACK_INLINE const Kept& before(int j) const { return at(front_ - j); }
  RATTLEBACK_INLINE Kept& before(int j) { return at(front_ - j); }
  /// Takes u, drive and multiplier of the front, which moves on.
  RATTLEBACK_INLINE void keep(Row& u, Position& drive, Multiplier& lambda) {
    Kept& next = at(front_++);
    if constexpr (is_small) {
      next.u = u, next.drive = as_row(drive);
      copy(lambda, next.lambda);
      if (&next == &kept_.back()) [[unlikely]]
        move_down();
    } else {
      next.u.swap(u), next.drive.swap(drive), next.lambda.swap(lambda);
    }
  }

 private:
  static constexpr bool is_small = Position::SizeAtCompileTime != dynamic;
  static constexpr std::size_t room = is_small ? 4 * size : size;

  RATTLEBACK_INLINE std::size_t slot(long j) const {
    return static_cast<std::size_t>(is_small ? j - first_ : j & (size - 1));
  }
  [[gnu::noinline]] void move_down() {
    std::copy(kept_.end() - size, kept_.end(), kept_.begin());
    first_ = front_ - size;
  }

  std::vector<Kept> kept_;
  long front_ = 0, first_ = -size;  // the step of the front, and of what stands first
};

}  // namespace rattleback
