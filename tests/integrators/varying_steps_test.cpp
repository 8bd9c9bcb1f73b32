// Reversible adaptive steps, sundman and density: that they vary and come back, end where they are
// told to, go on to the bit, are as accurate as asked for, and are refused rather than accepted
// where they diverge.
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

/// A model, and a method with a step that is not small for it.
struct Case {
  const char* name;
  Model (*model)();
  std::string method;
  double step;
  double reversal;  ///< measured times about two
};
std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.name; }

class VaryingSteps : public ::testing::TestWithParam<Case> {
 protected:
  Model m = GetParam().model();
  double h = GetParam().step;
  rb::Method method = rb::find_method(GetParam().method);
};

TEST_P(VaryingSteps, ComeBack) {
  const auto stepper = method.stepper<double>(m.system);
  State z = m.start;
  double least = 1e9, most = 0, before = 0;
  for (int k = 0; k < 300; ++k) {
    ASSERT_TRUE(stepper->step(m.system, z, h));
    const double taken = stepper->clock()->time - std::exchange(before, stepper->clock()->time);
    least = std::min(least, taken), most = std::max(most, taken);
  }
  EXPECT_GT(most / least, 1.5);
  EXPECT_GT(distance(z, m.start), 0.1);
  ASSERT_TRUE(stepper->advance(m.system, z, -h, 300).status);
  ASSERT_TRUE(stepper->present(m.system, z));
  EXPECT_LT(distance(z, m.start), GetParam().reversal);
  EXPECT_LT(std::abs(stepper->clock()->time), GetParam().reversal);
}

TEST_P(VaryingSteps, EndAtTheTimeAskedFor) {
  const auto run = rb::integrate(m.system, method, m.start, {.step = h, .time = 10, .every = 7});
  ASSERT_TRUE(run.ok()) << run.failure.text();
  EXPECT_EQ(run.time(), 10);
  EXPECT_EQ(run.times.back(), 10);
  EXPECT_EQ(run.wanted, run.steps);
  EXPECT_TRUE(std::ranges::is_sorted(run.times));
  EXPECT_EQ(std::ssize(run.times), 2 + (run.steps - 1) / 7);
  // Of order 4 at least: at a quarter of the step, a 256th of the error.
  const auto fine = rb::integrate(m.system, method, m.start, {.step = h / 4, .time = 10});
  const auto truth =
      rb::integrate(m.system, rb::find_method("sundman"), m.start, {.step = 0.02, .time = 10});
  EXPECT_LT(distance(fine.final, truth.final), distance(run.final, truth.final) / 100 + 1e-10);
  // A number of steps is that number, wherever it leads.
  const auto counted = rb::integrate(m.system, method, m.start, {.step = h, .steps = 20});
  EXPECT_EQ(counted.steps, 20);
  EXPECT_GT(std::abs(counted.time() - 20 * h), 1e-3);
}

TEST_P(VaryingSteps, GoOnToTheBit) {
  std::vector<rb::Checkpoint> saved;
  rb::RunOptions<State> options{.step = h, .time = 120 * h, .restart_every = 30};
  options.checkpoint = [&](const rb::Checkpoint& c) { saved.push_back(c); };
  const auto whole = rb::integrate(m.system, method, m.start, options);
  ASSERT_GT(saved.size(), 2U);
  options.resume = saved[1];
  const auto rest = rb::integrate(m.system, method, m.start, options);
  ASSERT_TRUE(rest.ok()) << rest.failure.text();
  EXPECT_EQ(rest.steps, whole.steps);
  EXPECT_EQ(rest.time(), whole.time());
  EXPECT_EQ(distance(rest.final, whole.final), 0);
  EXPECT_EQ(rest.times.back(), 120 * h);
}

TEST_P(VaryingSteps, AreAsAccurateAsAskedFor) {
  const auto at = [&](const rb::Method& with, double step) {
    return rb::integrate(m.system, with, m.start, {.step = step, .time = 20});
  };
  const auto truth = at(rb::find_method("sundman"), 0.02);
  long before = 0;
  for (const double accuracy : {1e-4, 1e-7}) {
    const auto run = at(method.with("accuracy", accuracy), 0.01);
    ASSERT_TRUE(run.ok());
    EXPECT_LT(distance(run.final, truth.final), accuracy);
    EXPECT_GT(distance(run.final, truth.final), accuracy * 1e-4);
    EXPECT_GT(run.steps, before);
    before = run.steps;
  }
}

TEST_P(VaryingSteps, RefuseToDiverge) {
  const auto stepper = method.stepper<double>(m.system);
  State z = m.start;
  EXPECT_FALSE(stepper->step(m.system, z, 40.0));
  EXPECT_EQ(distance(z, m.start), 0);
  EXPECT_EQ(stepper->clock()->time, 0);
}

const std::string density = "rattle:density=reversible,compose=";
// Two stages, so that the projection of the quartic is large enough to be seen.
INSTANTIATE_TEST_SUITE_P(
    Methods, VaryingSteps,
    ::testing::Values(Case{"sundman_bead", bead, "sundman:stages=2", 0.1, 1e-11},
                      Case{"sundman_quartic", quartic, "sundman:stages=2", 0.1, 1e-11},
                      Case{"density_bead", bead, density + "triplejump4", 0.05, 1e-11},
                      Case{"density_quartic", quartic, density + "kahanli8,project=output", 0.2,
                           1e-11}),
    [](const auto& p) { return p.param.name; });

TEST(Density, IsForSymmetricMethods) {
  EXPECT_THROW((void)rb::find_method("rattle:base=euler-a,density=reversible"), rb::InputError);
  EXPECT_THROW((void)rb::find_method("rattle:accuracy=1e-3"), rb::InputError);
}

// Measured: 3e-13 at most.
TEST(Density, BringsEverySymmetricFamilyBack) {
  const Model m = quartic();
  for (const char* name :
       {"lobatto:stages=3", "spark:stages=2", "splitting:order=4", "variational:", "prk2:"}) {
    SCOPED_TRACE(name);
    const std::string comma = std::string(name).back() == ':' ? "" : ",";
    const auto stepper =
        rb::find_method(name + comma + "density=reversible").stepper<double>(m.system);
    State z = m.start;
    ASSERT_TRUE(stepper->advance(m.system, z, 0.05, 150).status);
    EXPECT_GT(std::abs(stepper->clock()->time - 7.5), 0.1);
    ASSERT_TRUE(stepper->advance(m.system, z, -0.05, 150).status);
    ASSERT_TRUE(stepper->present(m.system, z));
    EXPECT_LT(distance(z, m.start), 1e-12);
  }
}

/// Whatever the step: what is accepted can be undone, and keeps the energy to some extent. At the
/// edge one step in a hundred takes nearly all iterations that it may, and the one back is refused.
TEST(SundmanSteps, AreNotAcceptedWhereTheyDiverge) {
  for (const auto& [m, name] :
       {std::pair(bead(), "sundman"), std::pair(quartic(), "sundman"),
        std::pair(bead(), "sundman:stages=2"), std::pair(quartic(), "sundman:stages=2")}) {
    const double energy = m.system.energy(m.start.q, m.start.p);
    int accepted = 0, refused = 0, edge = 0;
    for (double h = 0.1; h < 60; h *= 1.25) {
      SCOPED_TRACE(name + std::string(", h = ") + std::to_string(h));
      const auto stepper = rb::find_method(name).stepper<double>(m.system);
      State z = m.start;
      if (!stepper->step(m.system, z, h)) {
        ++refused;
        EXPECT_EQ(distance(z, m.start), 0);
        continue;
      }
      ++accepted;
      EXPECT_LT(std::abs(m.system.energy(z.q, z.p) - energy), 0.3);
      const State there = z;
      if (!stepper->step(m.system, z, -h)) {
        ++edge;
        EXPECT_EQ(distance(z, there), 0);
        continue;
      }
      EXPECT_LT(distance(z, m.start), 1e-11);
    }
    EXPECT_LE(edge, 1);
    EXPECT_GT(accepted, 3);
    EXPECT_GT(refused, 3);
  }
}

/// Where Q is taken is where the state is looked at: the same steps whether p is projected or not.
TEST(Density, IsTheSameOnFibres) {
  const Model m = quartic();
  State z[2] = {m.start, m.start};
  for (int k = 0; k < 2; ++k) {
    const auto method =
        rb::find_method(density + "suzuki4,project=" + (k == 0 ? "every" : "output"));
    const auto stepper = method.stepper<double>(m.system);
    ASSERT_TRUE(stepper->advance(m.system, z[k], 0.1, 50).status);
    ASSERT_TRUE(stepper->present(m.system, z[k]));
  }
  EXPECT_LT(distance(z[0], z[1]), 1e-12);
}

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

/// A plane chain of rods that hangs at an angle, from rest.
Model rods(int count) {
  return model("[model]\nparameters = { N = " + std::to_string(count) +
               " }\ncoordinates = [\"x[1..N]\", \"y[1..N]\"]\nmass = [1.0]\n"
               "potential = \"sum(i, 1, N, y[i])\"\n"
               "constraints = [\"(x[1]^2 + y[1]^2 - 1)/2\", "
               "\"each(i, 2, N, ((x[i]-x[i-1])^2 + (y[i]-y[i-1])^2 - 1)/2)\"]\n"
               "[initial]\nq = { x = \"i*0.6\", y = \"-i*0.8\" }\np = { x = \"0\", y = \"0\" }\n");
}

/// Curvature as its only force, and steps that cross a face of it.
Model free_on_quartic() {
  return model(
      "[model]\ncoordinates = [\"x\", \"y\", \"z\"]\nmass = [1.0]\npotential = \"0\"\n"
      "constraints = [\"(x^4 + y^4 + z^4 - 1)/4\"]\n"
      "[initial]\nq = [\"2^-0.25\", \"2^-0.25\", 0]\np = [0.5, -0.5, 0.6]\n");
}

/// Iterations a step from here on.
double iterations(const Model& m, double h, double end = 50, double tolerance = 0) {
  const auto stepper =
      rb::find_method("sundman").stepper<double>(m.system, {.tolerance = tolerance});
  stepper->clock()->end = end;
  State z = m.start;
  const rb::Advance done = stepper->advance(m.system, z, h, 10'000);
  EXPECT_TRUE(done.status);
  return static_cast<double>(done.newton) / static_cast<double>(done.steps);
}

// Measured: 16.80, 18.65 and 7.41. Where stages do not start from the polynomial of the last step,
// 17.17, 18.87 and 9.72; where no iteration goes ahead, 22.7, 24.4 and 7.42.
TEST(SundmanSteps, TakeFewIterations) {
  EXPECT_LT(iterations(rods(2), 1), 17);
  EXPECT_LT(iterations(rods(3), 1), 18.8);
  EXPECT_LT(iterations(quartic(), 0.4), 8.2);
  // 25.7; 35 where a projection counts what the stages have yet to change.
  EXPECT_LT(iterations(free_on_quartic(), 1.1, 100), 28);
}

/// Stages as far as a tolerance asks for: fewer iterations, another end by about as much, and
/// constraints that hold all the same.
TEST(SundmanSteps, FollowATolerance) {
  constexpr double tolerance = 1e-7;
  for (const auto& [m, h] : {std::pair(rods(3), 0.7), std::pair(free_on_quartic(), 0.7)}) {
    EXPECT_LT(iterations(m, h, 20, tolerance), 0.7 * iterations(m, h, 20));  // 0.47 and 0.44
    const auto run = [&](double to) {
      const auto stepper = rb::find_method("sundman").stepper<double>(m.system, {.tolerance = to});
      State z = m.start;
      EXPECT_TRUE(stepper->advance(m.system, z, h, 30).status);
      return z;
    };
    const State loose = run(tolerance), exact = run(0);
    EXPECT_GT(distance(loose, exact), 1e-3 * tolerance);
    EXPECT_LT(distance(loose, exact), 1e4 * tolerance);
    EXPECT_EQ(distance(run(1e-30), exact), 0);
    const int count = m.system.constraint_count(), n = m.system.dimension();
    rb::Vector<double, rb::dynamic> g(count), v(n);
    rb::Matrix<double, rb::dynamic> g_q(count, n), g_p(count, n);
    m.system.linearise(loose.q, loose.p, g, g_q, g_p);
    m.system.velocity(loose.p, v);
    EXPECT_LT(g.cwiseAbs().maxCoeff(), 2e-15);
    EXPECT_LT((g_q * v).cwiseAbs().maxCoeff(), 2e-15);
  }
}

TEST(VaryingStepsOfCopies, AreNotForPacks) {
  const Model m = bead();
  const rb::AnySystem* members[] = {&m.system};
  const rb::AnySystem packed = rb::packed_system(members);
  for (const char* method : {"sundman", "rattle:density=reversible"})
    EXPECT_THROW((void)rb::find_method(method).stepper<rb::Pack>(packed), rb::ModelError);
}

}  // namespace
