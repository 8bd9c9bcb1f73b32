// The force as a measure of time, for steps that vary with it:
//
//   sigma = (f.M^-1 f + c^2)^(-1/4)
//
// with f and sigma as in expression/scaled_field.hpp. What a method needs of it: the c to begin
// with, and how fast sigma changes along the motion.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "rattleback/integrators/stage_lanes.hpp"

namespace rattleback {

/// Chosen at a start, in double for all scalars, so that they run the same method.
struct ForceChoice {
  double floor = 0;     ///< c^2
  double slowness = 0;  ///< 1/sigma at the start; 0: nothing is chosen yet
};

/// Field as of SundmanStepper.
template <class S>
class ForceScale {
 public:
  using R = Real<S>;
  explicit ForceScale(int n) : n_(n), x_(n + 1), a_(n + 1), y_(n), b_(n) {}

  /// sigma at a point, and the field there.
  template <class Field, class Sys, class Array>
  S sigma(Field& field, const Sys& system, const Array& q, const Array& p, double floor) {
    for (int i = 0; i < n_; ++i) {
      x_[i] = each_stage<S>([&](int) { return S(q[i]); });
      y_[i] = each_stage<S>([&](int) { return S(p[i]); });
    }
    x_[n_] = each_stage<S>([&](int) { return S(R(floor)); });
    field.evaluate(system, x_.data(), y_.data(), a_.data(), b_.data());
    return S(a_[n_][0]);
  }
  /// sigma q' and sigma p' where sigma was last asked for.
  S first(int i) const { return S(a_[i][0]); }
  S second(int i) const { return S(b_[i][0]); }

  /// d log(1/sigma)/dt along the motion, as the difference between two points sigma eps/2 ahead and
  /// behind: half a step, so that what steps add up is the whole change, and follows sigma for
  /// long. It is as odd in p as the derivative is, whatever eps: what is reversible with the one is
  /// with the other.
  template <class Field, class Sys, class Array>
  S rate(Field& field, const Sys& system, const Array& q, const Array& p, double floor,
         const R& eps) {
    const S here = sigma(field, system, q, p, floor);
    const R d = eps / R(2);
    const auto beside = [&](const S& at, const S& slope) {
      return each_stage<S>(
          [&](int lane) { return lane == 0 ? S(at + slope * d) : S(at - slope * d); });
    };
    for (int i = 0; i < n_; ++i) x_[i] = beside(q[i], first(i)), y_[i] = beside(p[i], second(i));
    field.evaluate(system, x_.data(), y_.data(), a_.data(), b_.data());
    using std::log;
    return log(S(S(a_[n_][1]) / S(a_[n_][0]))) / (here * (R(2) * d));
  }

 private:
  int n_;
  std::vector<StageLanes<S>> x_, a_, y_, b_;
};

/// c is that part of what |f| is along a rough path, by the explicit midpoint rule. Its steps begin
/// with h/4 and double up to sigma/8, as h may be much smaller than the motion asks for and the
/// start a place without a force; those that lead where sigma is less than four of them are halved
/// again. The slowness is not finite where there is no field.
template <class Field, class Sys, class State>
ForceChoice choose_force_scale(Field& field, const Sys& system, const State& z, double h,
                               double part) {
  constexpr int samples = 16, most = 64;
  constexpr double nothing = 1e-200;
  const int n = static_cast<int>(z.q.size());
  ForceScale<double> scale(n);
  std::vector<double> x(2 * n), y(2 * n);
  std::copy(z.q.begin(), z.q.end(), x.begin());
  std::copy(z.p.begin(), z.p.end(), x.begin() + n);
  const auto slowness = [&](const std::vector<double>& at) {
    return 1 / scale.sigma(field, system, at.data(), at.data() + n, nothing);
  };
  const auto move = [&](double by) {
    for (int i = 0; i < 2 * n; ++i)
      y[i] = x[i] + by * (i < n ? scale.first(i) : scale.second(i - n));
  };
  const double first = slowness(x);
  double rough = h / 4, time = rough, here = first, sum = first * time;
  bool at_x = true;  // what was evaluated last
  for (int k = 1, tried = 0; k < samples && tried < most && std::isfinite(here); ++tried) {
    if (!at_x) (void)slowness(x);
    move(rough / 2 * here);
    const double middle = slowness(y);
    move(rough * middle);
    const double there = slowness(y);
    const bool far = !(std::abs(rough) * std::max(middle, there) < 0.25);
    at_x = !far || std::abs(rough) <= std::abs(h) / 4;
    if (!at_x) {
      rough /= 2;
      continue;
    }
    x = y, here = there, ++k;
    if (std::isfinite(here)) sum += here * rough, time += rough;
    if (std::abs(rough) * here < 0.0625) rough *= 2;
  }
  const double mean = sum / time, c = part * mean * mean, floor = mean > 1e-40 ? c * c : 1;
  return {floor, std::sqrt(std::sqrt(first * first * first * first + floor))};
}

/// By how much to multiply steps for a wanted error at the end, after `whole`. By runs of some
/// steps, and of as many halves, up to one time: errors of a symmetric method grow with time, and
/// with its order in the step. run(factor, end, most_steps, w) starts anew, leaves the last state
/// in w, and returns the time it reached, 0 where a step failed.
template <class State, class Run>
double factor_for_accuracy(double factor, int order, double accuracy, double whole,
                           const State& start, Run&& run) {
  constexpr int pilot_steps = 40, attempts = 12;
  constexpr double never = std::numeric_limits<double>::infinity();
  for (int k = 0; k < attempts; ++k) {
    State coarse = start, fine = start;
    double end = run(factor, never, pilot_steps, coarse);
    if (std::abs(end) > whole) end = std::copysign(whole, end);
    if (end == 0 || run(factor, end, 4 * pilot_steps, coarse) != end ||
        run(factor / 2, end, 4 * pilot_steps, fine) != end) {
      factor /= 2;
      continue;
    }
    const double apart = std::max((coarse.q - fine.q).cwiseAbs().maxCoeff(),
                                  (coarse.p - fine.p).cwiseAbs().maxCoeff());
    const double error = std::max(apart, 1e-15) * std::max(1.0, whole / std::abs(end));
    const double change = std::pow(accuracy / 20 / error, 1.0 / order);
    factor *= std::clamp(change, 0.3, 2.0);
    if (std::abs(change - 1) < 0.1) break;
  }
  return factor;
}

}  // namespace rattleback
