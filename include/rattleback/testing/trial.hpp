// What all law checkers share: steppers in any scalar, states carried from one scalar to another,
// and failures that are kept.
//
// A method is anything with stepper<S>(system): a Method of the registry, Rattle<>, or your own. A
// start is given in quad precision; widen() makes one from double.
#pragma once

#include <cmath>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "rattleback/integrators/registry.hpp"
#include "rattleback/integrators/shake_rattle.hpp"

namespace rattleback::testing {

template <class Sys>
using Start = StateOf<Sys, Quad>;

/// One value in another scalar; partial derivatives are dropped or zero.
template <class To, class From>
To convert(const From& x) {
  if constexpr (ScalarTraits<From>::is_dual)
    return convert<To>(x.value);
  else
    return To(static_cast<Real<To>>(x));
}

template <class To, class From, int N>
State<To, N> convert(const State<From, N>& z) {
  State<To, N> out{Vector<To, N>(z.q.size()), Vector<To, N>(z.p.size())};
  for (Eigen::Index i = 0; i < z.q.size(); ++i) {
    out.q[i] = convert<To>(z.q[i]);
    out.p[i] = convert<To>(z.p[i]);
  }
  return out;
}

/// A start known in double only.
template <int N>
State<Quad, N> widen(const State<double, N>& z) {
  return convert<Quad>(z);
}

/// The largest difference of two phase points in any coordinate.
template <class A, class B, int N>
double distance(const State<A, N>& a, const State<B, N>& b) {
  double d = 0;
  for (Eigen::Index i = 0; i < a.q.size(); ++i) {
    d = larger(d, magnitude(Quad(convert<Quad>(a.q[i]) - convert<Quad>(b.q[i]))));
    d = larger(d, magnitude(Quad(convert<Quad>(a.p[i]) - convert<Quad>(b.p[i]))));
  }
  return d;
}

/// A failure of a step, or of a look at the state after it.
inline std::string failed(const char* what, long steps, const Status& status) {
  return std::string(what) + " " + std::to_string(steps) + " failed with outcome " +
         std::to_string(static_cast<int>(status.outcome)) + ", residual " +
         std::to_string(status.residual);
}

/// A stepper of a method for a system, with the state that it carries. The first failure is kept
/// and ends all further stepping.
template <class S, class Sys, class M>
class Trial {
 public:
  using Point = StateOf<Sys, S>;

  Trial(const Sys& system, const M& method, Point start)
      : system_(system), stepper_(method.template stepper<S>(system)), state_(std::move(start)) {
    stepper().reset();
  }

  bool step(const Real<S>& h) {
    if (!failure_.empty()) return false;
    const Status status = stepper().step(system_, state_, h);
    ++steps_;
    if (!status) failure_ = failed("step", steps_, status);
    return failure_.empty();
  }
  bool run(const Real<S>& h, int steps) {
    for (int k = 0; k < steps; ++k)
      if (!step(h)) return false;
    return true;
  }
  /// So many steps; where they vary, those that begin with h and end with the last of so many h.
  bool run_as_long_as(const Real<S>& h, int steps) {
    Clock* clock = clock_of(stepper());
    if (!clock) return run(h, steps);
    clock->end = static_cast<double>(h) * steps;
    while (!clock->at_end())
      if (!step(h)) return false;
    return true;
  }
  /// What the method chose at its start, and another trial of it then takes over: the laws of a map
  /// are those of one map.
  std::vector<double> memory() {
    std::vector<double> chosen;
    if (Clock* clock = clock_of(stepper())) clock->time = 0;
    if constexpr (requires { stepper().save(chosen); }) stepper().save(chosen);
    return chosen;
  }
  void remember(const std::vector<double>& chosen) {
    if constexpr (requires { stepper().restore(chosen); })
      if (!chosen.empty()) stepper().restore(chosen);
  }
  /// The state as it is carried.
  const Point& state() const { return state_; }
  /// The state as it is looked at.
  Point shown() {
    Point z = state_;
    if (!failure_.empty()) return z;
    if (const Status status = stepper().present(system_, z); !status)
      failure_ = failed("present", steps_, status);
    return z;
  }
  /// Position multipliers of the last step; empty where there are none.
  Vector<S, dynamic> multipliers() {
    if constexpr (requires { stepper().lambda(); })
      return stepper().lambda();
    else
      return {};
  }
  /// Goes on backwards along the steps that the method remembers; false where it has no memory.
  bool reverse() {
    if constexpr (requires { stepper().reverse(); })
      return failure_.empty() && stepper().reverse();
    else
      return false;
  }
  void restart(Point z) {
    state_ = std::move(z);
    stepper().reset();
  }
  const std::string& failure() const { return failure_; }

 private:
  auto& stepper() { return rattleback::detail::stepper_in(stepper_); }

  const Sys& system_;
  std::decay_t<decltype(std::declval<const M&>().template stepper<S>(std::declval<const Sys&>()))>
      stepper_;
  Point state_;
  std::string failure_;
  int steps_ = 0;
};

/// What a method that varies its steps chooses at this start; nothing for others.
template <class Sys, class M>
std::vector<double> chosen_memory(const Sys& system, const M& method, const Start<Sys>& start,
                                  double h) {
  if (!method.info().varies_steps) return {};
  Trial<double, Sys, M> trial(system, method, convert<double>(start));
  trial.step(h);
  return trial.memory();
}

/// z slid along its fibre to {g,H} = 0: what two points of one fibre have in common.
template <class S, class Sys>
bool project_along_fibre(const Sys& system, StateOf<Sys, S>& z) {
  if constexpr (std::is_same_v<Sys, AnySystem>) {
    static const Method& method = find_method("rattle:base=midpoint,project=output");
    return static_cast<bool>(method.stepper<S>(system)->present(system, z));
  } else {
    const Rattle<> method{.project = Projection::output};
    auto stepper = method.template stepper<S>(system);
    return static_cast<bool>(stepper.present(system, z));
  }
}

}  // namespace rattleback::testing
