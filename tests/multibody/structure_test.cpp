// What steps of mechanisms keep: form, energy, joints, momentum, the way back; and identities.
#include <gtest/gtest.h>

#include "mechanisms.hpp"
#include "rattleback/study/load.hpp"
#include "rattleback/testing/motion_laws.hpp"

namespace rattleback::testing {
namespace {

using Flat = AnyMotion::Point;

Mechanism example(const std::string& name) {
  return *study::load(RATTLEBACK_SOURCE_DIR "/examples/mechanisms/" + name + ".toml").mechanism;
}

AnyMotionPointer motion_of(const Mechanism& m, const std::string& method) {
  return mechanism_motion(m, find_mechanism_method(method));
}
/// Starts anywhere.
auto maker(const Mechanism& m, const std::string& method) {
  return [m, method](const Flat& z) {
    Mechanism at = m;
    at.bodies = bodies_of(m, z);
    return motion_of(at, method);
  };
}

double far_apart(const Flat& a, const Flat& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
  return most;
}

const std::vector<std::string> symmetric_methods{
    "rattlie",     "rattlie:retraction=cayley", "rattlie:group=SE3",
    "lie-rattle",  "lie-rattle:group=SE3",      "lie-composition",
    "rigid-rattle"};

TEST(MechanismStructure, symmetric_methods_find_back) {
  const Mechanism m = chain({0.7, -0.4}, JointType::ball, {1, 2});
  const Flat start = motion_of(m, "rattlie")->state();
  for (const auto& method : symmetric_methods) {
    const auto result = check_reversal(maker(m, method), start, {.step = 0.02, .steps = 10});
    EXPECT_TRUE(result.holds(1e-13)) << method << ": " << result;  // measured: up to 2e-14
  }
  for (const char* method : {"lie-euler-a", "lie-euler-b"})
    EXPECT_GT(check_reversal(maker(m, method), start, {.step = 0.02, .steps = 10}).defect, 1e-4);
}

TEST(MechanismStructure, joints_hold_at_round_off_and_energy_stays) {
  for (const char* name : {"four_bar", "crank_slider", "heavy_top", "double_pendulum"})
    for (const auto& method : symmetric_methods) {
      const Mechanism m = example(name);
      const double h = std::string(name) == "heavy_top" ? 0.001 : 0.002;
      const auto motion = motion_of(m, method);
      const auto run = run_motion(*motion, {.step = h, .steps = 2000, .every = 10});
      ASSERT_TRUE(run.ok()) << name << ", " << method << ": " << run.failure.text();
      EXPECT_LT(run.constraint, 4e-14) << name << ", " << method;
      EXPECT_LT(run.hidden, 2e-11) << name << ", " << method;
      EXPECT_LT(run.energy_error, 4e-3 * std::abs(run.initial_energy)) << name << ", " << method;
    }
}

/// A Jacobian of (angles, canonical momenta) of the double pendulum, by central differences.
template <class Map>
double form_defect(const Map& map, const std::vector<double>& z) {
  constexpr double d = 1e-5;
  Matrix<double, 4> jacobian, form = Matrix<double, 4>::Zero();
  for (int k = 0; k < 4; ++k) {
    auto ahead = z, behind = z;
    ahead[static_cast<std::size_t>(k)] += d, behind[static_cast<std::size_t>(k)] -= d;
    const auto a = map(ahead), b = map(behind);
    for (int i = 0; i < 4; ++i)
      jacobian(i, k) = (a[static_cast<std::size_t>(i)] - b[static_cast<std::size_t>(i)]) / (2 * d);
  }
  form(0, 2) = form(1, 3) = 1, form(2, 0) = form(3, 1) = -1;
  return largest_magnitude(Matrix<double, 4>(jacobian.transpose() * form * jacobian - form));
}

/// (a, b, a', b') to (a, b, p_a, p_b), and back.
std::vector<double> with_momenta(std::vector<double> z, bool back) {
  const double c = 0.5 * std::cos(z[0] - z[1]), m11 = 0.085 + 1.25, m22 = 0.085 + 0.25;
  const double det = back ? m11 * m22 - c * c : 1;
  const double x = back ? m22 : m11, y = back ? -c : c, w = back ? m11 : m22;
  return {z[0], z[1], (x * z[2] + y * z[3]) / det, (y * z[2] + w * z[3]) / det};
}

TEST(MechanismStructure, steps_are_symplectic_in_the_fewest_coordinates) {
  const std::vector<double> start{0.7, -0.4, 1.0, 0.3};
  for (const char* method : {"rattlie", "rattlie:retraction=cayley", "rattlie:group=SE3",
                             "lie-rattle", "lie-composition", "lie-euler-a", "lie-euler-b",
                             "rigid-rattle", "rattlie:compose=suzuki4"}) {
    const double defect = form_defect(
        [&](const std::vector<double>& z) {
          const auto v = with_momenta(z, true);
          const Mechanism m = chain({v[0], v[1]}, JointType::ball, {v[2], v[3]});
          const auto end = bodies_of(m, end_of(m, method, 0.1, 3));
          return with_momenta({lie::log(end[0].orientation)[1], lie::log(end[1].orientation)[1],
                               end[0].angular_velocity[1], end[1].angular_velocity[1]},
                              false);
        },
        start);
    EXPECT_LT(defect, 2e-9) << method;  // what differences leave: measured up to 5e-10
  }
  // What is not symplectic is seen.
  EXPECT_GT(form_defect(
                [](const std::vector<double>& z) {
                  auto v = with_momenta(z, true);
                  for (int n = 0; n < 3; ++n) {
                    const auto half = double_pendulum_slope(v);
                    for (std::size_t i = 0; i < 4; ++i) v[i] += 0.1 * half[i];
                  }
                  return with_momenta(v, false);
                },
                start),
            1e-3);
}

TEST(MechanismStructure, a_free_body_keeps_its_momentum_in_space) {
  const Mechanism m = example("flip");
  for (const char* method : {"rattlie", "rattlie:retraction=cayley", "lie-rattle"}) {
    const auto end = bodies_of(m, end_of(m, method, 0.05, 2000))[0];
    const Body& start = m.bodies[0];
    const Vector3 before = start.inertia * start.angular_velocity;
    const Vector3 after = end.orientation(Vector3(start.inertia * end.angular_velocity));
    EXPECT_LT((after - before).norm(), 4e-13) << method;  // measured: 6e-14 after 2000 steps
  }
}

TEST(MechanismStructure, redundant_hinges_move_as_those_that_are_enough) {
  const Mechanism all = example("four_bar");
  Mechanism enough = all;
  enough.joints[1].type = JointType::ball, enough.joints[2].type = JointType::cylindrical;
  const MechanismReport report = report_on(all), less = report_on(enough);
  EXPECT_EQ(report.equations, 20);
  EXPECT_EQ(report.rank, 17);
  EXPECT_EQ(report.freedoms(), 1);
  EXPECT_EQ(report.redundant.size(), 3U);
  EXPECT_EQ(less.rank, 17);
  EXPECT_TRUE(less.redundant.empty());
  EXPECT_LT(far_apart(end_of(all, "rattlie", 0.002, 1000), end_of(enough, "rattlie", 0.002, 1000)),
            1e-11);
}

TEST(MechanismStructure, lie_rattle_is_rattlie_for_spherical_bodies_and_exp_only) {
  Mechanism m = chain({0.7, -0.4, 0.2}, JointType::ball, {1, 2, 0});
  for (Body& body : m.bodies) body.inertia = diagonal(0.09, 0.09, 0.09);
  m.bodies[2].angular_velocity += Vector3(0, 0, 3);
  m = with_consistent_velocities(m);
  EXPECT_LT(far_apart(end_of(m, "rattlie", 0.01, 50), end_of(m, "lie-rattle", 0.01, 50)), 1e-12);
  EXPECT_GT(far_apart(end_of(m, "rattlie:retraction=cayley", 0.01, 50),
                      end_of(m, "lie-rattle:retraction=cayley", 0.01, 50)),
            1e-8);
}

TEST(MechanismStructure, runs_go_on_to_the_bit) {
  const Mechanism m = example("four_bar");
  const auto whole = motion_of(m, "rattlie:compose=suzuki4"), part = motion_of(m, "rattlie");
  std::optional<Checkpoint> saved;
  RunOptions<Flat> options{.step = 0.002, .steps = 200, .every = 10, .restart_every = 50};
  const auto motion = motion_of(m, "rattlie");
  const auto straight = run_motion(*motion, options);
  options.steps = 100;
  options.checkpoint = [&](const Checkpoint& c) { saved = c; };
  (void)run_motion(*part, options);
  options.steps = 200;
  options.resume = saved;
  const auto again = motion_of(m, "rattlie");
  const auto resumed = run_motion(*again, options);
  EXPECT_EQ(straight.final, resumed.final);
}

/// Turns of 2.5 radians are steps, those of 5 are not; two substeps of lie-composition are shorter.
TEST(MechanismStructure, divided_steps_are_steps_of_half_the_size) {
  const Mechanism m = heavy_top(500);
  for (const char* method : {"rattlie", "rattlie:compose=suzuki4", "lie-euler-b"}) {
    const auto whole = motion_of(m, method), half = motion_of(m, method);
    const auto run = run_motion(*whole, {.step = 0.01, .steps = 10});
    ASSERT_TRUE(run.ok()) << method << ": " << run.failure.text();
    EXPECT_EQ(run.divided, (Divided{10, 2})) << method;
    EXPECT_NE(run.summary().find("10 of 10 steps, at the end into 2"), std::string::npos);
    const auto small = run_motion(*half, {.step = 0.005, .steps = 20});
    EXPECT_EQ(small.divided, Divided()) << method;
    EXPECT_EQ(run.final, small.final) << method;
  }
}

TEST(MechanismStructure, too_large_a_step_says_so) {
  const Mechanism m = heavy_top(5e4);  // 8 radians in the smallest part
  const auto motion = motion_of(m, "rattlie");
  const Flat start = motion->state();
  const auto run = run_motion(*motion, {.step = 0.01, .steps = 10});
  EXPECT_FALSE(run.ok());
  EXPECT_EQ(motion->state(), start);
  EXPECT_EQ(run.divided, Divided());
  EXPECT_NE(run.failure.text().find("a body turns by"), std::string::npos) << run.failure.text();
}

}  // namespace
}  // namespace rattleback::testing
