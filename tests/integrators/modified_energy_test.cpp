// The energies that methods keep: from brackets, and as estimated from steps.
#include "rattleback/integrators/modified_energy.hpp"

#include <gtest/gtest.h>

#include "rattleback/integrators/registry.hpp"
#include "rattleback/testing/witness_systems.hpp"
#include "rattleback/text/model.hpp"

namespace rattleback {
namespace {

const std::vector<double> rattle_c{1, 0}, rattle_d{0.5, 0.5};

const testing::WitnessSystem& witness_named(const std::string& name) {
  for (const auto& witness : testing::witness_systems())
    if (witness.name() == name) return witness;
  throw InputError("witness", name);
}
State<double> start_at(const testing::WitnessSystem& witness) {
  return {witness.start.q.cast<double>(), witness.start.p.cast<double>()};
}

/// max - min of a function of the state over a run, at h and h/2 and h/4.
template <class Function>
std::vector<double> fluctuations(const AnySystem& system, const State<double>& start,
                                 const char* method, double h, Function&& f) {
  std::vector<double> all;
  for (int k = 0; k < 3; ++k, h /= 2) {
    State<double> z = start;
    auto stepper = find_method(method).stepper<double>(system);
    double least = f(z, h), most = least;
    for (long step = 0; static_cast<double>(step) * h < 4; ++step) {
      EXPECT_TRUE(stepper->step(system, z, h));
      least = std::min(least, f(z, h)), most = std::max(most, f(z, h));
    }
    all.push_back(most - least);
  }
  return all;
}

void expect_slopes(const std::vector<double>& errors, double order, double allowed,
                   const std::string& where) {
  for (std::size_t k = 1; k < errors.size(); ++k)
    EXPECT_NEAR(std::log2(errors[k - 1] / errors[k]), order, allowed)
        << where << ": " << errors[k - 1] << ", " << errors[k];
}

TEST(ModifiedEnergy, ErrorsOfSplittings) {
  const auto rattle = splitting_errors(rattle_c, rattle_d);
  EXPECT_NEAR(rattle.a, 0, 1e-16);
  EXPECT_NEAR(rattle.b, 1.0 / 12, 1e-16);
  EXPECT_NEAR(rattle.c, -1.0 / 24, 1e-16);
  EXPECT_EQ(rattle.cubes, 1);
  // [Reich93] has the other sign: that of drifts first.
  const auto euler = splitting_errors(std::vector{1.0}, std::vector{1.0});
  EXPECT_EQ(euler.a, -0.5);
  // Ruth's third order method, which without constraints has no errors up to h^2.
  const auto ruth = splitting_errors(std::vector{2.0 / 3, -2.0 / 3, 1.0},
                                     std::vector{7.0 / 24, 3.0 / 4, -1.0 / 24});
  EXPECT_NEAR(ruth.a, 0, 1e-15);
  EXPECT_NEAR(ruth.b, 0, 1e-15);
  EXPECT_NEAR(ruth.c, 0, 1e-15);
  EXPECT_NEAR(ruth.cubes, 1, 1e-15);
  EXPECT_THROW((void)splitting_errors(std::vector{1.0}, std::vector{0.5, 0.5}), InputError);
}

TEST(ModifiedEnergy, ErrorsOfMethods) {
  const auto rattle = splitting_errors(rattle_c, rattle_d);
  const auto same = [](const std::optional<SplittingErrors>& found, const SplittingErrors& e) {
    return found && std::abs(found->a - e.a) < 1e-15 && std::abs(found->b - e.b) < 1e-15 &&
           std::abs(found->c - e.c) < 1e-15 && std::abs(found->cubes - e.cubes) < 1e-15;
  };
  EXPECT_TRUE(same(splitting_errors(find_method("rattle")), rattle));
  EXPECT_TRUE(same(splitting_errors(find_method("splitting")), rattle));
  EXPECT_TRUE(
      same(splitting_errors(find_method("rattle:base=euler-a")), {-0.5, 1.0 / 12, 1.0 / 12, 1}));
  EXPECT_TRUE(
      same(splitting_errors(find_method("rattle:base=verlet-b")), {0, -1.0 / 24, 1.0 / 12, 0.25}));
  // No errors of order h^2 are left.
  const auto composed = splitting_errors(find_method("rattle:compose=suzuki4"));
  EXPECT_TRUE(same(composed, {0, 0, 0, 0}));
  for (const char* other : {"rattle:base=midpoint", "shake", "multistep", "sundman", "gauss"})
    EXPECT_FALSE(splitting_errors(find_method(other))) << other;
}

/// H~ = H + h^2 (w^4/24 + w^2 cos(theta)/12 - sin(theta)^2/24) for RATTLE on the pendulum of unit
/// mass and length, from x = sin(theta), y = -cos(theta), w the angular velocity.
TEST(ModifiedEnergy, OfThePendulumIsKnown) {
  const auto& witness = witness_named("planar_pendulum");
  const AnySystem& system = witness.system;
  const auto errors = splitting_errors(rattle_c, rattle_d);
  const auto known = [&](const State<double>& z, double h) {
    const double w2 = z.p.squaredNorm(), sine = z.q[0], cosine = -z.q[1];
    return system.energy(z.q, z.p) + h * h * (w2 * w2 / 24 + w2 * cosine / 12 - sine * sine / 24);
  };
  const State<double> z = start_at(witness);
  EXPECT_NEAR(modified_energy(system, z, 0.1, errors), known(z, 0.1), 1e-15);
  const auto found = fluctuations(system, z, "rattle", 0.05, known);
  expect_slopes(found, 4, 0.02, "planar_pendulum");  // measured: 0.01
}

TEST(ModifiedEnergy, FromBracketsLeavesTheNextOrder) {
  const auto rattle = splitting_errors(rattle_c, rattle_d);
  const auto euler = splitting_errors(std::vector{1.0}, std::vector{1.0});
  for (const char* name : {"double_pendulum", "quartic", "full_mass_sphere", "four_bar"}) {
    const auto& witness = witness_named(name);
    const double h = witness.name() == "four_bar" ? 0.02 : 0.005;  // slow, and at round-off soon
    const State<double> start = start_at(witness);
    const auto of = [&](const SplittingErrors& errors) {
      return [&](const State<double>& z, double h) {
        return modified_energy(witness.system, z, h, errors);
      };
    };
    expect_slopes(fluctuations(witness.system, start, "rattle", h, of(rattle)), 4, 0.1,
                  witness.name());
    expect_slopes(fluctuations(witness.system, start, "rattle:base=euler-a", h, of(euler)), 3, 0.1,
                  witness.name() + ", euler-a");
    // Any one of them left out is seen.
    for (double SplittingErrors::*part :
         {&SplittingErrors::b, &SplittingErrors::c, &SplittingErrors::cubes}) {
      SplittingErrors wrong = rattle;
      wrong.*part = 0;
      const auto found = fluctuations(witness.system, start, "rattle", h, of(wrong));
      EXPECT_LT(std::log2(found[1] / found[2]), 2.2) << witness.name();
    }
  }
}

CanonicalSystem from_file(const std::string& name) {
  return canonical(read_model(RATTLEBACK_SOURCE_DIR "/examples/witness/" + name + ".toml").system);
}

TEST(ModifiedEnergy, EstimateIsThatOfBrackets) {
  const auto& witness = witness_named("double_pendulum");
  const AnySystem& system = witness.system;
  const State<double> start = start_at(witness);
  const double h = 0.01;
  const auto estimate =
      estimate_modified_energy(from_file("double_pendulum"), find_method("rattle"), start, h, 100);
  ASSERT_TRUE(estimate.status);
  ASSERT_EQ(estimate.modified.size(), 93u);
  State<double> z = start;
  auto stepper = find_method("rattle").stepper<double>(system);
  for (int k = 0; k < 4; ++k) ASSERT_TRUE(stepper->step(system, z, h));
  const double wanted = modified_energy(system, z, h, splitting_errors(rattle_c, rattle_d));
  EXPECT_NEAR(estimate.energies[0], system.energy(z.q, z.p), 1e-13);
  EXPECT_NEAR(estimate.modified[0], wanted, 1e-2 * std::abs(wanted - estimate.energies[0]));
}

TEST(ModifiedEnergy, EstimateIsKeptByEverySymplecticMethod) {
  struct Case {
    const char *problem, *method;
    double step;
  };
  for (const Case& c :
       {Case{"double_pendulum", "rattle", 0.01},
        Case{"double_pendulum", "rattle:base=euler-a", 0.01},
        Case{"double_pendulum", "rattle:compose=triplejump4", 0.01},
        Case{"magnetic", "rattle:base=midpoint", 0.02}, Case{"magnetic", "prk1", 0.02},
        Case{"double_pendulum", "shake", 0.01}, Case{"hopf_quartic", "rattle", 0.005}}) {
    const std::string where = std::string(c.method) + " on " + c.problem;
    const State<double> start = start_at(witness_named(c.problem));
    const auto estimate =
        estimate_modified_energy(from_file(c.problem), find_method(c.method), start, c.step, 200);
    ASSERT_TRUE(estimate.status) << where;
    EXPECT_LT(estimate.modified_error(), 1e-3 * estimate.energy_error())
        << where << ": H " << estimate.energy_error() << ", H~ " << estimate.modified_error();
  }
  EXPECT_THROW((void)estimate_modified_energy(from_file("double_pendulum"), find_method("baseline"),
                                              {}, 0.01, 10),
               InputError);
}

}  // namespace
}  // namespace rattleback
