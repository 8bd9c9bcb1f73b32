// Taylor's method for natural systems with constant mass and constraints on positions: the series
// of the motion through the state, summed up at the end of the step.
//
//   q(t + s h) = sum_k Q_k s^k,   h^2 lambda = sum_k L_k s^k
//   (k+1)(k+2) M Q_{k+2} = A_k - G_0^T L_k,   A_k = -[h^2 V_q]_k - sum_{j<k} G_{k-j}^T L_j
//   (G_0 M^-1 G_0^T) L_k = G_0 M^-1 A_k + (k+1) sum_{j=1}^{k+1} (k+2-j) G_j Q_{k+2-j}
//
// The last line says that G q' does not change. One matrix and one solve a coefficient, and no
// iteration; order K takes Q up to K + 1. In the scaled time s nothing overflows, and the size of
// the last coefficient tells the error of the step: where it is not small beside the first ones the
// step is refused. Then g = 0 and {g,H} = 0 are restored, along M^-1 G^T.
//
// It has no structure of its own, neither symmetric nor symplectic, but errors as small as one
// asks for: with steps at which the last coefficient is round-off, and sums that keep what rounding
// drops, nothing is left to be seen.
//
// Coefficients of G and V_q come from expressions (expression/series.hpp), of chains of rods in a
// uniform field by a recurrence of their own (rod_series.hpp).
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "rattleback/expression/derivative.hpp"
#include "rattleback/expression/recorder.hpp"
#include "rattleback/integrators/advance.hpp"
#include "rattleback/integrators/method_info.hpp"
#include "rattleback/integrators/rod_series.hpp"
#include "rattleback/integrators/taped_series.hpp"

namespace rattleback {

inline constexpr int highest_taylor_order = 40;

inline MethodInfo taylor_info(int order) {
  return {.name = "taylor:order=" + std::to_string(order),
          .order = order,
          .preserves_primary = true,
          .preserves_hidden = true,
          .applies = {.natural = true, .holonomic = true},
          .cite = "[Jorba05]"};
}

/// Series has load(system, z, h), step(system), show(system, z), lambda() and structure(system). A
/// step that fails leaves the state as it was.
template <class Sys, class S, class Series>
class TaylorStepper {
 public:
  using Point = StateOf<Sys, S>;
  using R = Real<S>;

  explicit TaylorStepper(Series series) : series_(std::move(series)) {}

  void reset() { loaded_ = false; }
  Status present(const Sys&, Point&) { return {}; }
  const auto& lambda() const { return series_.lambda(); }
  Projections projections(long steps, long) const { return {steps, steps}; }
  std::string structure(const Sys& system) const { return series_.structure(system); }

  Status step(const Sys& system, Point& z, const R& h) { return advance(system, z, h, 1).status; }
  Advance advance(const Sys& system, Point& z, const R& h, long count) {
    if (!loaded_ || h != h_) series_.load(system, z, h);
    loaded_ = true, h_ = h;
    Advance done;
    for (; done.steps < count; ++done.steps) {
      done.status = series_.step(system);
      if (!done.status) break;
      done.newton += done.status.iterations;
      done.newton_max = std::max(done.newton_max, done.status.iterations);
    }
    if (done.steps > 0) series_.show(system, z);
    return done;
  }

 private:
  Series series_;
  R h_{0};
  bool loaded_ = false;
};

namespace detail {

template <class Sys>
constexpr bool is_rod_chain() {
  if constexpr (requires { Sys::is_rod; })
    return Sys::is_chain && Sys::is_rod;
  else
    return false;
}

/// -V_q where it is the same everywhere, else empty. Throws ModelError where V branches.
template <class Sys>
std::vector<double> uniform_field(const Sys& system) {
  constexpr int D = Sys::space;
  std::vector<double> field(static_cast<std::size_t>(D) * system.bodies(), 0.0);
  for (int i = 0; i < system.bodies(); ++i) {
    if (i > 0 && Sys::is_common) {
      for (int c = 0; c < D; ++c) field[D * i + c] = field[c];
      continue;
    }
    Graph graph;
    Vector<Recorded, D> x;
    for (int c = 0; c < D; ++c) x[c] = Recorded(graph, graph.input(c));
    const Recorded potential = system.template body_potential<Recorded>(x, i);
    for (const auto& [c, slope] : gradient(graph, potential.in(graph), 0, D)) {
      if (!graph.is_constant(slope)) return {};
      field[D * i + c] = -graph.value(slope);
    }
  }
  return field;
}

template <class Sys, class S>
std::shared_ptr<const SeriesField> recorded_field(const Sys& system) {
  return std::make_shared<const SeriesField>(series_field(canonical(record(system))));
}

/// A chain of rods, in a uniform field or any other.
template <class Sys, class S>
class ChainSeries {
 public:
  ChainSeries(const Sys& system, int order, const SolveOptions& options) {
    if (const auto field = uniform_field(system); !field.empty())
      either_.template emplace<Rods>(system, order, field, options);
    else
      either_.template emplace<Taped>(system, order, recorded_field<Sys, S>(system), options);
  }
  void load(const Sys& system, const State<S>& z, const Real<S>& h) {
    visit([&](auto& series) { series.load(system, z, h); });
  }
  Status step(const Sys& system) {
    return visit([&](auto& series) { return series.step(system); });
  }
  void show(const Sys& system, State<S>& z) {
    visit([&](auto& series) { series.show(system, z); });
  }
  const Vector<S, dynamic>& lambda() const {
    return std::holds_alternative<Rods>(either_) ? std::get<Rods>(either_).lambda()
                                                 : std::get<Taped>(either_).lambda();
  }
  static std::string structure(const Sys& system) { return Rods::structure(system); }

 private:
  using Rods = RodSeries<Sys, S>;
  using Taped = TapedSeries<Sys, S>;
  template <class F>
  auto visit(F&& f) {
    return either_.index() == 1 ? f(std::get<1>(either_)) : f(std::get<2>(either_));
  }
  std::variant<std::monostate, Rods, Taped> either_;
};

}  // namespace detail

/// On a C++ system, which must not branch on its inputs (ModelError).
template <class Sys, class S>
auto taylor_stepper(const Sys& system, int order, const SolveOptions& options) {
  if constexpr (detail::is_rod_chain<Sys>()) {
    using Series = detail::ChainSeries<Sys, S>;
    return TaylorStepper<Sys, S, Series>(Series(system, order, options));
  } else {
    using Series = TapedSeries<Sys, S>;
    return TaylorStepper<Sys, S, Series>(
        Series(system, order, detail::recorded_field<Sys, S>(system), options));
  }
}

/// [Jorba05] as a method.
struct Taylor {
  int order = 8;
  SolveOptions solve{};
  MethodInfo info() const { return taylor_info(order); }
  template <class S, class Sys>
  auto stepper(const Sys& system) const {
    return taylor_stepper<Sys, S>(system, order, solve);
  }
};

}  // namespace rattleback
