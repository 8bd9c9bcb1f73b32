// The laws of motions in any space: order, reversal, residuals, energy and the symplectic form. A
// motion brings its own retraction and differences; make(z) gives a new one that starts at z.
#pragma once

#include <concepts>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "rattleback/integrators/any_motion.hpp"
#include "rattleback/testing/energy.hpp"
#include "rattleback/testing/jacobian.hpp"
#include "rattleback/testing/order.hpp"
#include "rattleback/testing/residuals.hpp"
#include "rattleback/testing/reversal.hpp"

namespace rattleback::testing {

template <class Held>
struct MotionIn {
  using type = Held;
};
template <class M>
struct MotionIn<std::unique_ptr<M>> {
  using type = M;
};

template <class Make, class Point>
concept MotionMaker = requires(const Make& make, const Point& z) {
  requires Motion<typename MotionIn<std::remove_cvref_t<decltype(make(z))>>::type>;
};

/// A motion, by itself or behind a pointer. The first failure is kept and ends all further
/// stepping.
template <class Held>
class MotionTrial {
 public:
  using Point = typename MotionIn<Held>::type::Point;

  explicit MotionTrial(Held held) : held_(std::move(held)) { motion().reset(); }

  bool step(double h) { return run(h, 1); }
  bool run(double h, int steps) {
    if (!failure_.empty()) return false;
    const Advance done = motion().advance(h, steps);
    steps_ += done.steps;
    if (!done.status) failure_ = failed("step", steps_ + 1, done.status);
    return failure_.empty();
  }
  Look<Point> look() {
    Look<Point> look{.point = motion().state()};
    if (!failure_.empty()) return look;
    Status status = motion().present(look.point);
    if (status) status = motion().measure(look);
    if (!status) failure_ = failed("look after step", steps_, status);
    return look;
  }
  Point shown() { return look().point; }
  const std::string& failure() const { return failure_; }
  auto& motion() { return rattleback::detail::stepper_in(held_); }

 private:
  Held held_;
  std::string failure_;
  long steps_ = 0;
};

/// truth is the exact solution at options.time.
template <class Point, MotionMaker<Point> Make>
OrderResult check_order(const Make& make, const Point& start, const Point& truth, int expected,
                        const OrderOptions& options = {}) {
  return measure_order(expected, options, [&](double h, int steps, std::string& failure) {
    MotionTrial trial(make(start));
    trial.run(h, steps);
    const Point z = trial.shown();
    failure = trial.failure();
    return rattleback::distance(trial.motion(), truth, z);
  });
}

template <class Point, MotionMaker<Point> Make>
ReversalResult check_reversal(const Make& make, const Point& start,
                              const ReversalOptions& options = {}) {
  MotionTrial there(make(start));
  there.run(options.step, options.steps);
  MotionTrial back(make(there.shown()));
  back.run(-options.step, options.steps);
  const Point z = back.shown();
  return {{there.failure() + back.failure()},
          rattleback::distance(back.motion(), start, z),
          options.step};
}

/// As the motion measures them: absolute.
template <class Point, MotionMaker<Point> Make>
ResidualResult check_residuals(const Make& make, const Point& start,
                               const ResidualOptions& options = {}) {
  MotionTrial trial(make(start));
  ResidualResult result;
  for (; result.steps < options.steps && trial.step(options.step); ++result.steps) {
    const auto look = trial.look();
    result.primary = larger(result.primary, look.constraint);
    result.hidden = larger(result.hidden, look.hidden);
  }
  result.failure = trial.failure();
  return result;
}

template <class Point, MotionMaker<Point> Make>
EnergyResult check_energy(const Make& make, const Point& start, const EnergyOptions& options = {}) {
  MotionTrial trial(make(start));
  const double before = trial.look().energy;
  return measure_energy(
      trial, before, [&] { return trial.look().energy; }, options);
}

/// The derivative of some steps between tangent spaces, by central differences: off by 1e-10.
template <class Point, MotionMaker<Point> Make>
Matrix<double, dynamic> tangent_map(const Make& make, const Point& start, const MapOptions& options,
                                    std::string& failure) {
  constexpr double d = 1e-5;
  const auto image = [&](const Point& z) {
    MotionTrial trial(make(z));
    trial.run(options.step, options.steps);
    const Point end = trial.shown();
    if (failure.empty()) failure = trial.failure();
    return end;
  };
  MotionTrial trial(make(start));
  auto& space = trial.motion();
  std::vector<double> tangent, ahead, behind;
  space.difference(start, start, tangent);
  const auto n = static_cast<Eigen::Index>(tangent.size());
  const Point base = image(start);
  Matrix<double, dynamic> map(n, n);
  for (Eigen::Index k = 0; k < n && failure.empty(); ++k) {
    std::vector<double> unit(tangent.size(), 0.0);
    unit[static_cast<std::size_t>(k)] = d;
    space.difference(base, image(space.retract(start, unit)), ahead);
    unit[static_cast<std::size_t>(k)] = -d;
    space.difference(base, image(space.retract(start, unit)), behind);
    for (Eigen::Index i = 0; i < n; ++i)
      map(i, k) =
          (ahead[static_cast<std::size_t>(i)] - behind[static_cast<std::size_t>(i)]) / (2 * d);
  }
  return map;
}

/// form(z) is the matrix of the symplectic form at z, in the coordinates of tangent vectors.
template <class Point, MotionMaker<Point> Make, class Form>
FormResult check_form(const Make& make, const Point& start, const Form& form,
                      const MapOptions& options = {}) {
  FormResult result{.on = SymplecticOn::phase_space};
  const Matrix<double, dynamic> map = tangent_map(make, start, options, result.failure);
  result.directions = static_cast<int>(map.cols());
  MotionTrial trial(make(start));
  trial.run(options.step, options.steps);
  const Matrix<double, dynamic> before = form(start), after = form(trial.shown());
  if (!result.failure.empty()) return result;
  result.defect =
      largest_magnitude(Matrix<double, dynamic>(map.transpose() * after * map - before));
  return result;
}

}  // namespace rattleback::testing
