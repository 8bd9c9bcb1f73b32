// Coefficients of series against the functions themselves: what a series of order K leaves out
// falls with the power K + 1, which one wrong coefficient would spoil.
#include "rattleback/expression/series.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>
#include <vector>

#include "rattleback/expression/recorder.hpp"
#include "rattleback/problem/dual.hpp"
#include "rattleback/problem/error.hpp"
#include "rattleback/problem/pack.hpp"
#include "rattleback/problem/quad.hpp"

namespace rattleback {
namespace {

constexpr int order = 9;

/// x(t) and y(t): polynomials of degree 3, x below 1 and y above.
template <class S>
struct Inputs {
  std::array<std::array<S, 4>, 2> coefficient{std::array<S, 4>{S(0.4), S(0.3), S(-0.5), S(0.25)},
                                              std::array<S, 4>{S(1.3), S(-0.6), S(0.35), S(-0.15)}};

  S at(int input, const S& t) const {
    const auto& c = coefficient[input];
    return ((c[3] * t + c[2]) * t + c[1]) * t + c[0];
  }
};

/// f(x, y) as a program of series.
template <class F>
SeriesProgram series_of(const F& f) {
  Graph graph;
  const Recorded x(graph, graph.input(0)), y(graph, graph.input(1));
  const Recorded value = f(x, y);
  const std::vector<Program::Output> outputs{{0, 0, value.in(graph)}};
  return SeriesProgram(Program(graph, 2, outputs));
}

template <class S>
std::vector<S> coefficients(const SeriesProgram& program, const Inputs<S>& inputs) {
  SeriesTape<S> tape(program, order);
  int result = -1;
  program.for_results([&](int, int, int value) { result = value; });
  for (int k = 0; k <= order; ++k) {
    for (int v = 0; v < static_cast<int>(program.values().size()); ++v)
      if (const auto& value = program.values()[v]; value.rule == SeriesProgram::Rule::input)
        tape.of(v)[k] = k < 4 ? inputs.coefficient[value.a][k] : S(0.0);
    tape.extend(k);
  }
  return {tape.of(result), tape.of(result) + order + 1};
}

struct Function {
  const char* name;
  SeriesProgram program;
  std::function<Quad(const Quad&, const Quad&)> value;
};

template <class F>
Function function(const char* name, F f) {
  return {name, series_of(f), f};
}

const std::vector<Function>& functions() {
  static const std::vector<Function> all = [] {
    std::vector<Function> list;
#define RATTLEBACK_FUNCTION(f)                                         \
  list.push_back(function(#f, [](const auto& x, const auto& y) {       \
    using std::sqrt, std::exp, std::log, std::sin, std::cos, std::tan; \
    using std::asin, std::acos, std::atan, std::sinh, std::cosh;       \
    using std::tanh, std::abs, std::atan2, std::pow;                   \
    using S = std::decay_t<decltype(x + y)>;                           \
    return S(f);                                                       \
  }))
    RATTLEBACK_FUNCTION(x + y * 3.0 - 0.5);
    RATTLEBACK_FUNCTION(x * y - y * y);
    RATTLEBACK_FUNCTION((x - 2.0 * y) / (x + y));
    RATTLEBACK_FUNCTION(0.7 / y);
    RATTLEBACK_FUNCTION(sqrt(x + y * y));
    RATTLEBACK_FUNCTION(exp(x * y));
    RATTLEBACK_FUNCTION(log(x + y));
    RATTLEBACK_FUNCTION(sin(2.0 * x + y));
    RATTLEBACK_FUNCTION(cos(x - y));
    RATTLEBACK_FUNCTION(tan(x));
    RATTLEBACK_FUNCTION(asin(x));
    RATTLEBACK_FUNCTION(acos(x));
    RATTLEBACK_FUNCTION(atan(x * y));
    RATTLEBACK_FUNCTION(sinh(y));
    RATTLEBACK_FUNCTION(cosh(y - x));
    RATTLEBACK_FUNCTION(tanh(x + y));
    RATTLEBACK_FUNCTION(abs(x - y) * x);
    RATTLEBACK_FUNCTION(atan2(x - 0.9, y));
    RATTLEBACK_FUNCTION(atan2(x, 0.2 - y));
    RATTLEBACK_FUNCTION(pow(x, S(5.0)));
    RATTLEBACK_FUNCTION(pow(y, S(-3.0)));
    RATTLEBACK_FUNCTION(pow(x + y, S(2.5)));
    RATTLEBACK_FUNCTION(pow(y, S(-0.75)));
    RATTLEBACK_FUNCTION(pow(y, S(70.0)));
    RATTLEBACK_FUNCTION(pow(y, x));
    RATTLEBACK_FUNCTION(sin(exp(x) / sqrt(y)) * log(y + 2.0 + cos(x)));
#undef RATTLEBACK_FUNCTION
    return list;
  }();
  return all;
}

/// What the coefficients leave out at t.
Quad left_out(const Function& f, const std::vector<Quad>& c, const Quad& t) {
  const Inputs<Quad> inputs;
  Quad sum(0);
  for (int k = order; k >= 0; --k) sum = sum * t + c[k];
  return sum - f.value(inputs.at(0, t), inputs.at(1, t));
}

TEST(Series, LeavesOutWhatIsOfHigherOrder) {
  for (const Function& f : functions()) {
    SCOPED_TRACE(f.name);
    const auto c = coefficients<Quad>(f.program, {});
    const Quad t = Quad(1) / 256;
    const double here = magnitude(left_out(f, c, t));
    const double twice = magnitude(left_out(f, c, Quad(2 * t)));
    if (twice < 1e-31) continue;  // a polynomial
    // Measured: 9.98 (pow(y, 70)) to 10.00.
    EXPECT_GT(std::log2(twice / here), order + 0.9) << twice;
    EXPECT_LT(here, 1e-6 * (1 + magnitude(c[0])));
  }
}

// Measured: 4.2e-16 (pow(y, 70)); packs are their copies to the bit where the compiler contracts
// both alike.
TEST(Series, IsTheSameInEveryScalar) {
  for (const Function& f : functions()) {
    SCOPED_TRACE(f.name);
    const auto exact = coefficients<Quad>(f.program, {});
    const auto real = coefficients<double>(f.program, {});
    Inputs<Pack> packs;
    for (auto& input : packs.coefficient)
      for (Pack& x : input)
        for (int lane = 1; lane < Pack::lanes; ++lane) x.set(lane, x[0] * (1 - lane / 256.0));
    const auto in_packs = coefficients<Pack>(f.program, packs);
    for (int k = 0; k <= order; ++k) {
      const double size = 1 + std::abs(static_cast<double>(exact[k]));
      EXPECT_NEAR(real[k], static_cast<double>(exact[k]), 1e-15 * size) << k;
      EXPECT_NEAR(in_packs[k][0], real[k], 1e-15 * size) << k;
    }
    for (int lane = 1; lane < Pack::lanes; ++lane) {
      Inputs<double> own;
      for (int i = 0; i < 2; ++i)
        for (int k = 0; k < 4; ++k) own.coefficient[i][k] = packs.coefficient[i][k][lane];
      const auto alone = coefficients<double>(f.program, own);
      for (int k = 0; k <= order; ++k)
        EXPECT_NEAR(in_packs[k][lane], alone[k], 1e-15 * (1 + std::abs(alone[k]))) << k;
    }
  }
}

// By x_0, against differences of two series. Measured: 4.6e-16.
TEST(Series, HasTheDerivativesOfItsCoefficients) {
  for (const Function& f : functions()) {
    SCOPED_TRACE(f.name);
    Inputs<Dual<double, 1>> inputs;
    inputs.coefficient[0][0].partials[0] = 1;
    const auto found = coefficients<Dual<double, 1>>(f.program, inputs);
    const Quad step(1e-12);
    Inputs<Quad> up, down;
    up.coefficient[0][0] += step, down.coefficient[0][0] -= step;
    const auto above = coefficients<Quad>(f.program, up),
               below = coefficients<Quad>(f.program, down);
    for (int k = 0; k <= order; ++k) {
      const auto slope = static_cast<double>(Quad((above[k] - below[k]) / (2 * step)));
      EXPECT_NEAR(found[k].partials[0], slope, 1e-15 * (1 + std::abs(slope))) << k;
    }
  }
}

TEST(Series, OfLanesMayDifferInNumbersOnly) {
  const auto scaled = [](double a, double e) {
    return series_of(
        [=](const auto& x, const auto& y) { return a * x + pow(y, std::decay_t<decltype(x)>(e)); });
  };
  std::vector<SeriesProgram> own;
  for (int lane = 0; lane < Pack::lanes; ++lane) own.push_back(scaled(2.5 + lane, 2.25 + lane));
  std::vector<const SeriesProgram*> lanes;
  for (const SeriesProgram& p : own) lanes.push_back(&p);
  const auto together = coefficients<Pack>(SeriesProgram::packed(lanes), {});
  for (int lane = 0; lane < Pack::lanes; ++lane) {
    const auto alone = coefficients<double>(own[lane], {});
    for (int k = 0; k <= order; ++k)
      EXPECT_NEAR(together[k][lane], alone[k], 1e-15 * (1 + std::abs(alone[k])))
          << lane << ' ' << k;
  }
  const SeriesProgram other = scaled(2.5, 2);  // a product
  lanes[1] = &other;
  EXPECT_THROW((void)SeriesProgram::packed(lanes), ModelError);
}

}  // namespace
}  // namespace rattleback
