// A phase point of a system, and the stepper that moves it.
#pragma once

#include <cmath>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "rattleback/geometry/residuals.hpp"
#include "rattleback/integrators/explain.hpp"
#include "rattleback/integrators/motion.hpp"

namespace rattleback {

/// q and then p, as a layout has them.
template <int N>
void flatten(const State<double, N>& z, std::vector<double>& to) {
  to.assign(z.q.begin(), z.q.end());
  to.insert(to.end(), z.p.begin(), z.p.end());
}
template <int N = dynamic>
State<double, N> phase_point(std::span<const double> values) {
  const auto n = static_cast<Eigen::Index>(values.size() / 2);
  using Half = Eigen::Map<const Vector<double, dynamic>>;
  return {Half(values.data(), n), Half(values.data() + n, n)};
}

namespace detail {

/// A stepper, by itself or behind a pointer.
template <class Stepper>
RATTLEBACK_INLINE auto& stepper_in(Stepper& stepper) {
  if constexpr (requires { *stepper; })
    return *stepper;
  else
    return stepper;
}

/// Throws InputError where there are not as many as the motion has.
void require_numbers(std::size_t given, std::size_t needed);

}  // namespace detail

/// System is AnySystem, or a reference to a system; the stepper was made for it.
/// What steps is inlined and hands out copies only, so that what is known of the method where the
/// stepper is made is known in the loop of its steps: 44 against 49 ns a step of the pendulum.
template <class System, class Stepper>
class PhaseSpaceMotion {
 public:
  using Sys = std::remove_cvref_t<System>;
  using Point = StateOf<Sys, double>;

  RATTLEBACK_INLINE PhaseSpaceMotion(const Sys& system, Stepper stepper, const Point& start,
                                     MotionInfo info)
      : system_(system),
        stepper_(std::move(stepper)),
        z_(start),
        beside_(std::make_unique<Beside>(Beside{std::move(info), Residuals<Sys, double>(system)})) {
  }

  const MotionInfo& info() const { return beside_->info; }
  RATTLEBACK_INLINE Advance advance(double h, long count) {
    return rattleback::advance(stepper(), system_, z_, h, count);
  }
  RATTLEBACK_INLINE void reset() { stepper().reset(); }
  RATTLEBACK_INLINE void settle() {
    if constexpr (requires { stepper().settle(); })
      stepper().settle();
    else
      reset();
  }
  RATTLEBACK_INLINE Clock* clock() { return clock_of(stepper()); }

  RATTLEBACK_INLINE Point state() const { return z_; }
  RATTLEBACK_INLINE Status present(Point& z) { return stepper().present(system_, z); }
  RATTLEBACK_INLINE Status measure(Look<Point>& look) { return beside_->measure(system_, look); }
  RATTLEBACK_INLINE void multipliers(std::vector<double>& to) const {
    to.clear();
    if constexpr (requires { stepper().lambda(); }) {
      const MultiplierOf<Sys, double> lambda = stepper().lambda();
      to.assign(lambda.begin(), lambda.end());
    }
  }
  RATTLEBACK_INLINE Projections projections(long steps, long looks) {
    if constexpr (requires { stepper().projections(steps, looks); })
      return stepper().projections(steps, looks);
    else
      return {};
  }
  RATTLEBACK_INLINE Failure explain(const Status& status, const Point& z, double step,
                                    double t) const {
    return rattleback::explain(system_, status, z, step, t);
  }

  static void values(const Point& z, std::vector<double>& to) { flatten(z, to); }
  static Point point(std::span<const double> values) {
    return phase_point<Sys::dimension_at_compile_time>(values);
  }
  RATTLEBACK_INLINE void save(std::vector<double>& to) const {
    const Point z = z_;
    flatten(z, to);
    if constexpr (requires { stepper().save(to); }) stepper().save(to);
  }
  RATTLEBACK_INLINE void restore(std::span<const double> saved) {
    std::vector<double> now;
    save(now);
    detail::require_numbers(saved.size(), now.size());
    const auto state = static_cast<std::size_t>(z_.q.size() + z_.p.size());
    z_ = point(saved.first(state));
    reset();
    if constexpr (requires { stepper().restore(saved); }) stepper().restore(saved.subspan(state));
  }

  static Point retract(const Point& z, std::span<const double> tangent) {
    const Point v = point(tangent);
    return {z.q + v.q, z.p + v.p};
  }
  static void difference(const Point& a, const Point& b, std::vector<double>& to) {
    flatten(Point{b.q - a.q, b.p - a.p}, to);
  }

 private:
  /// What others may know the address of.
  struct Beside {
    MotionInfo info;
    Residuals<Sys, double> residuals;

    Status measure(const Sys& system, Look<Point>& look) {
      look.energy = system.energy(look.point.q, look.point.p);
      if (!std::isfinite(look.energy)) return {Outcome::not_finite, 0, look.energy};
      residuals.evaluate(system, look.point);
      look.constraint = residuals.largest_primary();
      look.hidden = residuals.largest_hidden();
      return {};
    }
  };

  RATTLEBACK_INLINE auto& stepper() { return detail::stepper_in(stepper_); }
  RATTLEBACK_INLINE const auto& stepper() const { return detail::stepper_in(stepper_); }

  System system_;
  Stepper stepper_;
  Point z_;
  std::unique_ptr<Beside> beside_;
};

}  // namespace rattleback
