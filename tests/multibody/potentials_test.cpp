// [[potential]]: against the same one in C++, and against motions known from elsewhere.
#include <gtest/gtest.h>

#include "mechanisms.hpp"
#include "rattleback/text/model.hpp"

namespace rattleback::testing {
namespace {

Mechanism from_text(const std::string& text) {
  return *parse_mechanism("[model]\nkind = \"multibody\"\n" + text, "test.toml").mechanism;
}

const std::string planet = R"toml(
parameters = { mu = 1.0 }
[[body]]
name = "planet"
mass = 1
inertia = [0.1, 0.2, 0.3]
position = [0.5, 0, 0]
velocity = [0, "sqrt(3)", 0]
angular_velocity = [0.1, 2, 0.3]
[[potential]]
bodies = ["planet"]
energy = "-mu/sqrt(x^2 + y^2 + z^2)"
)toml";

/// An ellipse of half axis 1 and eccentricity 1/2.
TEST(Potentials, a_planet_is_back_after_its_year) {
  const Mechanism m = from_text(planet);
  const double year = 2 * std::acos(-1.0);
  const auto motion = mechanism_motion(m, find_mechanism_method("rattlie:compose=yoshida8"));
  const auto run = run_motion(*motion, {.step = year / 400, .steps = 400});
  ASSERT_TRUE(run.ok()) << run.failure.text();
  const Body end = bodies_of(m, run.final)[0];
  EXPECT_LT((end.position - m.bodies[0].position).norm(), 2e-10);
  EXPECT_LT((end.velocity - m.bodies[0].velocity).norm(), 2e-10);
  EXPECT_NEAR(run.initial_energy, -0.5 + 0.5 * (0.1 * 0.01 + 0.2 * 4 + 0.3 * 0.09), 1e-15);
}

/// A needle on a hinge in a field: I a'' = -B sin(a - 1/2).
TEST(Potentials, a_needle_swings_as_a_pendulum) {
  const Mechanism m = from_text(R"toml(
parameters = { B = [3.0, 1.0], tilt = 0.5 }
[[body]]
name = "needle"
mass = 1
inertia = [0.1, 0.2, 0.3]
angular_velocity = [0, 0, 1]
[[joint]]
type = "revolute"
bodies = ["world", "needle"]
axis = [0, 0, 1]
[[potential]]
bodies = ["needle", "needle", "world"]
points = [[0, 0, 0], [1, 0, 0], [7, 8, 9]]
energy = "-B[1]*(cos(tilt)*(x[2] - x[1]) + sin(tilt)*(y[2] - y[1])) + z[3]"
)toml");
  const auto run = end_of(m, "rattlie:compose=yoshida8", 0.01, 100);
  const auto known = runge_kutta({0, 1}, 1, 2000, [](const std::vector<double>& y) {
    return std::vector<double>{y[1], -3 * std::sin(y[0] - 0.5) / 0.3};
  });
  const Body end = bodies_of(m, run)[0];
  EXPECT_NEAR(lie::log(end.orientation)[2], known[0], 1e-11);
  EXPECT_NEAR(end.angular_velocity[2], known[1], 1e-11);
}

/// k/4 |p - q|^4 between the ends of two links, and a field at one of them.
TEST(Potentials, are_those_of_cpp) {
  const std::string bodies = R"toml(
[[body]]
name = "a"
mass = 1
inertia = [0.1, 0.2, 0.3]
angular_velocity = [1, 2, 3]
[[body]]
name = "b"
mass = 2
inertia = [[0.3, 0.1, 0], [0.1, 0.4, 0], [0, 0, 0.5]]
position = [2, 0, 1]
)toml";
  Mechanism plain = from_text(bodies);
  const Mechanism text = from_text("parameters = { k = 5.0 }" + bodies + R"toml(
[[potential]]
bodies = ["b", "a"]
points = [[0.1, 0.2, 0.3], [0.4, 0, 0.5]]
energy = "k/4*((x[1] - x[2])^2 + (y[1] - y[2])^2 + (z[1] - z[2])^2)^2 + y[2]"
)toml");
  const Vector3 p(0.4, 0, 0.5), q(0.1, 0.2, 0.3);
  plain.add(Potential{.name = "quartic",
                      .bodies = {"a", "b"},
                      .energy = [&](std::span<const BodyPose> poses, std::span<Wrench> wrenches) {
                        const Vector3 at = poses[0].position + poses[0].rotation * p;
                        const Vector3 gap = poses[1].position + poses[1].rotation * q - at;
                        const Vector3 pull = 5 * gap.squaredNorm() * gap, lift(0, -1, 0);
                        const Vector3 on_a = pull + lift;
                        wrenches[0].force += on_a;
                        wrenches[0].torque +=
                            lie::cross<double>(p, poses[0].rotation.transpose() * on_a);
                        wrenches[1].force -= pull;
                        wrenches[1].torque -=
                            lie::cross<double>(q, poses[1].rotation.transpose() * pull);
                        return 1.25 * gap.squaredNorm() * gap.squaredNorm() + at[1];
                      }});
  const auto a = end_of(text, "rattlie", 0.01, 100), b = end_of(plain, "rattlie", 0.01, 100);
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], 1e-12) << i;
}

}  // namespace
}  // namespace rattleback::testing
