// The figures of a run, each against what its stored states say.
#include <gtest/gtest.h>

#include <cmath>

#include "sample_run.hpp"

namespace rattleback::testing {
namespace {

/// Least squares in two passes and in quad, from the samples as they are.
double slope(const std::vector<double>& t, const std::vector<double>& y) {
  Quad mean_t(0), mean_y(0), tt(0), ty(0);
  for (std::size_t i = 0; i < t.size(); ++i) mean_t += Quad(t[i]), mean_y += Quad(y[i]);
  mean_t /= Quad(t.size()), mean_y /= Quad(t.size());
  for (std::size_t i = 0; i < t.size(); ++i) {
    const Quad dt = Quad(t[i]) - mean_t;
    tt += dt * dt;
    ty += dt * (Quad(y[i]) - mean_y);
  }
  return static_cast<double>(Quad(ty / tt));
}

double largest(const std::vector<double>& values) {
  return *std::max_element(values.begin(), values.end());
}

/// What a line of the summary says after `label`.
double said(const std::string& summary, const std::string& label) {
  const auto at = summary.find(label);
  EXPECT_NE(at, std::string::npos) << label << " in\n" << summary;
  return at == std::string::npos ? 0 : std::strtod(summary.c_str() + at + label.size(), nullptr);
}

class Figures : public ::testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(Figures, AreThoseOfTheStoredStates) {
  const auto [problem, method] = GetParam();
  SampleRun sample(problem, method);
  sample.options = {.step = 0.02, .steps = 503, .every = 7};  // the last state is stored too
  MemorySink memory(sample.header());
  const auto run = sample.to(memory);
  const RunData& data = memory.data();
  ASSERT_TRUE(run.ok()) << run.failure;
  ASSERT_EQ(data.rows(), 73);

  const auto energy = [&](long row) {
    const auto at = [row](const Table& field) {
      return Vector<double, dynamic>(Eigen::Map<const Vector<double, dynamic>>(
          &field.values[row * field.columns], field.columns));
    };
    return sample.witness.system.energy(at(data.field("q")), at(data.field("p")));
  };
  std::vector<double> energies, errors;
  for (long row = 0; row < data.rows(); ++row) {
    energies.push_back(energy(row));
    errors.push_back(std::abs(energies[row] - energies[0]));
    EXPECT_EQ(data.energy[row], energies[row]);
    EXPECT_EQ(data.time[row], 0.02 * static_cast<double>(row == 72 ? 503 : 7 * row));
  }
  const double error = largest(errors), drift = slope(data.time, energies);
  EXPECT_EQ(run.initial_energy, energies.front());
  EXPECT_EQ(run.final_energy, energies.back());
  EXPECT_EQ(run.energy_error, error);
  // Changes of the energy are sums that cancel: to the round-off of their terms.
  EXPECT_NEAR(run.energy_drift, drift, 1e-15 * std::abs(energies[0]) + 1e-13 * error);
  EXPECT_GT(std::abs(drift), 1e-9) << "no drift: this tests nothing";
  EXPECT_EQ(run.constraint, largest(data.constraint));
  EXPECT_EQ(run.hidden, largest(data.hidden));
  long newton = 0;
  for (const auto n : data.newton) newton += n;
  EXPECT_EQ(run.newton_mean, static_cast<double>(newton) / 503);

  const std::string text = run.summary();
  const auto three = [](double x) { return 5e-3 * std::abs(x); };  // digits that are printed
  EXPECT_EQ(said(text, "steps              "), 503);
  EXPECT_EQ(said(text, " of "), 503);
  EXPECT_EQ(said(text, "h = "), 0.02);
  EXPECT_NEAR(said(text, "t = "), 10.06, 1e-7);
  EXPECT_EQ(said(text, "energy             "), energies.front());
  EXPECT_EQ(said(text, " -> "), energies.back());
  EXPECT_NEAR(said(text, "largest error    "), error, three(error));
  EXPECT_NEAR(said(text, "drift per time   "), drift, three(drift));
  EXPECT_NEAR(said(text, "max |g| = "), largest(data.constraint), three(run.constraint));
  EXPECT_NEAR(said(text, "max |{g,H}| = "), largest(data.hidden), three(run.hidden));
  EXPECT_NEAR(said(text, "Newton             "), run.newton_mean, 0.0051);
  EXPECT_EQ(said(text, "at most "), run.newton_max);
}

INSTANTIATE_TEST_SUITE_P(Runs, Figures,
                         ::testing::Values(std::pair("double_pendulum", "rattle"),
                                           std::pair("hopf_quartic", "rattle:base=midpoint"),
                                           std::pair("quartic", "shake"),
                                           std::pair("planar_pendulum", "baseline:kind=rk4")),
                         [](const auto& info) { return std::string(info.param.first); });

/// newton_max, from runs whose every step is seen.
TEST(Figures, TheMostIterationsAreThoseOfSomeStep) {
  for (const char* method : {"rattle", "rattle:base=midpoint", "variational"}) {
    SampleRun sample("double_pendulum", method);
    sample.options = {.step = 0.05, .steps = 400, .every = 1};
    MemorySink memory(sample.header());
    const auto run = sample.to(memory);
    const auto& newton = memory.data().newton;
    EXPECT_EQ(run.newton_max, *std::max_element(newton.begin(), newton.end())) << method;
    EXPECT_GT(run.newton_max, run.newton_mean) << method;
  }
}

/// Rows hold the multipliers of the step that led to them: M (q1 - q)/h = p - G^T lambda - h/2 V_q.
TEST(Figures, MultipliersAreThoseOfTheSteps) {
  SampleRun sample("double_pendulum");
  const double h = 0.01;
  sample.options = {.step = h, .steps = 50, .every = 1};
  MemorySink memory(sample.header());
  (void)sample.to(memory);
  const RunData& data = memory.data();
  ASSERT_EQ(data.multipliers.columns, 2);
  const double masses[] = {1, 1, 2, 2};
  Vector<double, dynamic> q(4), p(4), h_q(4), h_p(4), g(2);
  Matrix<double, dynamic> g_q(2, 4), g_p(2, 4);
  for (long row = 0; row + 1 < data.rows(); ++row) {
    for (int i = 0; i < 4; ++i) q[i] = data.field("q")(row, i), p[i] = data.field("p")(row, i);
    sample.witness.system.energy_gradient(q, p, h_q, h_p);
    sample.witness.system.linearise(q, p, g, g_q, g_p);
    for (int i = 0; i < 4; ++i) {
      const double force =
          masses[i] * (data.field("q")(row + 1, i) - q[i]) / h - p[i] + h / 2 * h_q[i];
      const double told =
          g_q(0, i) * data.multipliers(row + 1, 0) + g_q(1, i) * data.multipliers(row + 1, 1);
      EXPECT_NEAR(force, -told, 2e-13) << row;  // eps |q|/h
    }
    EXPECT_GT(std::abs(data.multipliers(row + 1, 0)), 1e-3);
  }
}

TEST(Figures, ProgressCountsUpToTheEnd) {
  SampleRun sample("planar_pendulum");
  std::vector<Progress> seen;
  RunOptions<Point> options{.step = 0.01, .steps = 700, .every = 90};
  std::vector<std::pair<long, double>> observed;
  options.progress = [&](const Progress& p) {
    seen.push_back(p);
    return true;
  };
  options.observe = [&](long step, double t, const Point&) { observed.emplace_back(step, t); };
  const auto run = integrate(sample.witness.system, sample.method, sample.start, options);
  ASSERT_FALSE(seen.empty());
  long before = 0;
  for (const Progress& p : seen) {
    EXPECT_EQ(p.steps, 700);
    EXPECT_GE(p.step, before);
    EXPECT_LE(p.seconds, run.seconds);
    before = p.step;
  }
  EXPECT_EQ(before, 700);
  ASSERT_EQ(observed.size(), 9u);
  for (long k = 0; k < 9; ++k) {
    EXPECT_EQ(observed[k].first, k == 8 ? 700 : 90 * k);
    EXPECT_DOUBLE_EQ(observed[k].second, 0.01 * static_cast<double>(observed[k].first));
  }
  EXPECT_EQ(run.steps, 700);
  EXPECT_EQ(run.wanted, 700);
  EXPECT_FALSE(run.stopped);
}

TEST(Slope, IsThatOfALineAndOfAParabola) {
  rattleback::detail::Slope line, parabola;
  EXPECT_EQ(line.value(), 0);
  line.add(3, 5);
  EXPECT_EQ(line.value(), 0);  // one point has none
  line = {};
  for (int i = 0; i < 5; ++i) line.add(0.5 * i, 2 - 3 * 0.5 * i);
  EXPECT_DOUBLE_EQ(line.value(), -3);
  // t^2 at t = 0..n: the slope is n.
  for (int i = 0; i <= 10; ++i) parabola.add(i, i * i);
  EXPECT_DOUBLE_EQ(parabola.value(), 10);
  // Points that are not evenly spaced: (0,0), (1,0), (4,3): mean t 5/3, s_ty = 7, s_tt = 26/3.
  rattleback::detail::Slope few;
  few.add(0, 0), few.add(1, 0), few.add(4, 3);
  EXPECT_NEAR(few.value(), 21.0 / 26, 1e-15);
}

TEST(Slope, IsThatOfTwoPassesInQuad) {
  // Small changes of a large value, and times far from zero.
  std::vector<double> t, y;
  rattleback::detail::Slope one;
  for (int i = 0; i < 20000; ++i) {
    t.push_back(1000 + 0.01 * i + 0.003 * std::sin(7.0 * i));
    y.push_back(1e-6 * std::sin(0.7 * i) + 1e-11 * i);
    one.add(t.back(), y.back());
  }
  EXPECT_NEAR(one.value() / slope(t, y), 1, 2e-11) << one.value() / slope(t, y) - 1;
}

}  // namespace
}  // namespace rattleback::testing
