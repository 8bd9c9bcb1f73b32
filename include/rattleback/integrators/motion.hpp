// What can be run: a state on its way, in whatever space it is. Runs, their files, pictures and
// laws know motions only; a phase point with a stepper is one (phase_space_motion.hpp).
#pragma once

#include <cmath>
#include <concepts>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "rattleback/integrators/advance.hpp"
#include "rattleback/integrators/failure.hpp"
#include "rattleback/integrators/layout.hpp"
#include "rattleback/integrators/method_info.hpp"

namespace rattleback {

/// What moves, and how.
struct MotionInfo {
  std::string model{};   ///< its name
  std::string method{};  ///< specification, as the command line takes it
  Layout layout{};
  int constraints = 0;
  int multipliers = 0;    ///< that a step tells
  std::size_t saved = 0;  ///< numbers that it saves; counted by erase_motion()
};

/// A state as it is looked at, and what was measured there.
template <class Point>
struct Look {
  Point point{};
  double energy = 0;
  double constraint = 0, hidden = 0;  ///< max |g|, max |{g,H}|
};

/// Numbers are doubles in flat vectors: those of a point in the order of the layout, those that are
/// saved in any order, a tangent vector's in the motion's own coordinates. A motion whose steps
/// vary has a clock() besides, one that may divide them divided() (advance.hpp).
template <class M>
concept Motion = requires(M& motion, const M& fixed, typename M::Point& z,
                          Look<typename M::Point>& look, std::vector<double>& numbers,
                          std::span<const double> given, const Status& status, double h, long n) {
  { fixed.info() } -> std::convertible_to<MotionInfo>;
  /// n steps of size h, or up to the first one that fails.
  { motion.advance(h, n) } -> std::same_as<Advance>;
  /// Forgets the steps before: all that is left is the state.
  { motion.reset() };

  /// As it is carried.
  { fixed.state() } -> std::convertible_to<typename M::Point>;
  /// Makes a carried state fit to be looked at.
  { motion.present(z) } -> std::same_as<Status>;
  /// Fills in the rest of the look; not_finite where there is no energy.
  { motion.measure(look) } -> std::same_as<Status>;
  /// Of the last step; empty where there are none.
  { fixed.multipliers(numbers) };
  /// Done since the last call, in so many steps and looks.
  { motion.projections(n, n) } -> std::same_as<Projections>;
  /// Of a step of size h that failed at time t, with the last good state.
  { fixed.explain(status, z, h, h) } -> std::same_as<Failure>;

  { fixed.values(z, numbers) };
  { fixed.point(given) } -> std::same_as<typename M::Point>;
  /// All that a motion that was reset, or settled, needs to go on to the bit.
  { fixed.save(numbers) };
  { motion.restore(given) };

  /// For laws: where a tangent vector leads, and the one that leads from a point to another.
  { fixed.retract(z, given) } -> std::same_as<typename M::Point>;
  { fixed.difference(z, z, numbers) };
};

namespace detail {

/// Forgets what is not saved. A motion may bring a settle() of its own, where it saves more than
/// its state; others are reset.
template <class M>
RATTLEBACK_INLINE void settle(M& motion) {
  if constexpr (requires { motion.settle(); })
    motion.settle();
  else
    motion.reset();
}

}  // namespace detail

/// How far two points are apart: the largest number of their difference.
template <Motion M>
double distance(const M& motion, const typename M::Point& a, const typename M::Point& b) {
  std::vector<double> tangent;
  motion.difference(a, b, tangent);
  double largest = 0;
  for (const double x : tangent) largest = larger(largest, std::abs(x));
  return largest;
}

}  // namespace rattleback
