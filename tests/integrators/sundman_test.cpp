// Reversible adaptive steps: that they vary and come back, end where they are told to, go on to the
// bit, are as accurate as asked for, and are refused rather than accepted where they diverge.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "rattleback/expression/expression_system.hpp"
#include "rattleback/integrators/integrate.hpp"
#include "rattleback/integrators/registry.hpp"
#include "rattleback/problem/error.hpp"
#include "rattleback/testing/witness_systems.hpp"
#include "rattleback/text/model.hpp"

namespace rb = rattleback;

namespace {

using State = rb::State<double>;

struct Model {
  rb::AnySystem system;
  State start;
};

Model model(const std::string& text) {
  const rb::ModelFile file = rb::parse_model(text, "test");
  Model m{rb::expression_system(file.system), {}};
  const auto n = static_cast<Eigen::Index>(file.initial->q.size());
  m.start = {rb::Vector<double, rb::dynamic>(n), rb::Vector<double, rb::dynamic>(n)};
  for (Eigen::Index i = 0; i < n; ++i)
    m.start.q[i] = file.initial->q[i], m.start.p[i] = file.initial->p[i];
  return m;
}

/// Quadratic g, and a force that is large at the tips.
Model bead() {
  return model(
      "[model]\ncoordinates = [\"x\", \"y\"]\nmass = [1.0]\npotential = \"y\"\n"
      "constraints = [\"(x^2 + 25*y^2 - 1)/2\"]\n[initial]\nq = [0, -0.2]\np = [1.3, 0]\n");
}
/// The symmetric projection.
Model quartic() {
  return model(
      "[model]\ncoordinates = [\"x\", \"y\", \"z\"]\nmass = [1.0, 2.0, 1.0]\npotential = \"z/2\"\n"
      "constraints = [\"(x^4 + y^4 + z^4 - 1)/4\"]\n"
      "[initial]\nq = [0, 0, -1]\np = [0.5, 0.4, 0]\n");
}

double distance(const State& a, const State& b) {
  return std::max((a.q - b.q).cwiseAbs().maxCoeff(), (a.p - b.p).cwiseAbs().maxCoeff());
}

class Sundman : public ::testing::TestWithParam<Model (*)()> {};

// Measured: 3e-13 (bead) and 2e-12 (quartic).
TEST_P(Sundman, ComesBackThroughStepsThatVary) {
  const Model m = GetParam()();
  // Of two stages, so that the projection of the quartic is large enough to be seen.
  const auto stepper = rb::find_method("sundman:stages=2").stepper<double>(m.system);
  State z = m.start;
  const double h = 0.1;
  double least = 1e9, most = 0, before = 0;
  for (int k = 0; k < 300; ++k) {
    ASSERT_TRUE(stepper->step(m.system, z, h));
    const double taken = stepper->clock()->time - std::exchange(before, stepper->clock()->time);
    least = std::min(least, taken), most = std::max(most, taken);
  }
  EXPECT_GT(most / least, 1.5);
  EXPECT_GT(distance(z, m.start), 0.1);
  ASSERT_TRUE(stepper->advance(m.system, z, -h, 300).status);
  EXPECT_LT(distance(z, m.start), 1e-11);
  EXPECT_LT(std::abs(stepper->clock()->time), 1e-11);
}

TEST_P(Sundman, EndsAtTheTimeAskedFor) {
  const Model m = GetParam()();
  const rb::Method method = rb::find_method("sundman");
  const auto run = rb::integrate(m.system, method, m.start, {.step = 0.13, .time = 10, .every = 7});
  ASSERT_TRUE(run.ok()) << run.failure.text();
  EXPECT_EQ(run.time(), 10);
  EXPECT_EQ(run.times.back(), 10);
  EXPECT_EQ(run.wanted, run.steps);
  EXPECT_TRUE(std::ranges::is_sorted(run.times));
  EXPECT_EQ(std::ssize(run.times), 2 + (run.steps - 1) / 7);
  const auto fine = rb::integrate(m.system, method, m.start, {.step = 0.05, .time = 10});
  EXPECT_LT(distance(run.final, fine.final), 1e-7);
  // A number of steps is that number, wherever it leads.
  const auto counted = rb::integrate(m.system, method, m.start, {.step = 0.13, .steps = 20});
  EXPECT_EQ(counted.steps, 20);
  EXPECT_GT(std::abs(counted.time() - 2.6), 1e-3);
}

TEST_P(Sundman, GoesOnToTheBit) {
  const Model m = GetParam()();
  const rb::Method method = rb::find_method("sundman");
  std::vector<rb::Checkpoint> saved;
  rb::RunOptions<State> options{.step = 0.1, .time = 12, .restart_every = 30};
  options.checkpoint = [&](const rb::Checkpoint& c) { saved.push_back(c); };
  const auto whole = rb::integrate(m.system, method, m.start, options);
  ASSERT_GT(saved.size(), 2U);
  options.resume = saved[1];
  const auto rest = rb::integrate(m.system, method, m.start, options);
  ASSERT_TRUE(rest.ok()) << rest.failure.text();
  EXPECT_EQ(rest.steps, whole.steps);
  EXPECT_EQ(rest.time(), whole.time());
  EXPECT_EQ(distance(rest.final, whole.final), 0);
  EXPECT_EQ(rest.times.back(), 12);
}

TEST_P(Sundman, IsAsAccurateAsAskedFor) {
  const Model m = GetParam()();
  const auto at = [&](const std::string& method, double step) {
    return rb::integrate(m.system, rb::find_method(method), m.start, {.step = step, .time = 20});
  };
  const auto truth = at("sundman", 0.02);
  for (const char* accuracy : {"1e-4", "1e-8"}) {
    const auto run = at(std::string("sundman:accuracy=") + accuracy, 0.01);
    ASSERT_TRUE(run.ok());
    EXPECT_LT(distance(run.final, truth.final), std::stod(accuracy));
    EXPECT_LT(run.steps, truth.steps);
  }
}

TEST_P(Sundman, RefusesAStepThatDiverges) {
  const Model m = GetParam()();
  const auto stepper = rb::find_method("sundman").stepper<double>(m.system);
  State z = m.start;
  EXPECT_FALSE(stepper->step(m.system, z, 40.0));
  EXPECT_EQ(distance(z, m.start), 0);
  EXPECT_EQ(stepper->clock()->time, 0);
}

INSTANTIATE_TEST_SUITE_P(Models, Sundman, ::testing::Values(bead, quartic),
                         [](const auto& p) { return p.index == 0 ? "bead" : "quartic"; });

/// The same steps by compiled code and by duals of a C++ system.
TEST(SundmanField, CompiledIsWhatElsewhereIsEvaluated) {
  for (const rb::testing::WitnessSystem& w : rb::testing::witness_systems()) {
    const rb::Method method = rb::find_method("sundman:stages=3");
    if (!method.info().applies(w.system.traits())) continue;
    SCOPED_TRACE(w.name());
    rb::ModelFile file =
        rb::read_model(RATTLEBACK_SOURCE_DIR "/examples/witness/" + w.name() + ".toml");
    const rb::AnySystem text = rb::expression_system(file.system);
    State a = {w.start.q.cast<double>(), w.start.p.cast<double>()}, b = a;
    ASSERT_TRUE(method.stepper<double>(text)->advance(text, a, 0.05, 5).status);
    ASSERT_TRUE(method.stepper<double>(w.system)->advance(w.system, b, 0.05, 5).status);
    EXPECT_LT(distance(a, b), 2e-13);
  }
}

TEST(SundmanField, IsNoMethodForPacks) {
  const Model m = bead();
  const rb::AnySystem* members[] = {&m.system};
  const rb::AnySystem packed = rb::packed_system(members);
  EXPECT_THROW((void)rb::find_method("sundman").stepper<rb::Pack>(packed), rb::ModelError);
}

}  // namespace
