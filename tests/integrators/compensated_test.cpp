// Compensated accumulation: the same map, round-off that is small and does not drift.
#include "rattleback/integrators/compensated.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "rattleback/integrators/ensemble.hpp"
#include "rattleback/integrators/integrate.hpp"
#include "rattleback/integrators/registry.hpp"
#include "rattleback/problem/witness.hpp"

namespace rattleback {
namespace {

/// Which invariant curve of the exact step map a state lies on: the mean of H along the map in quad
/// precision, with weights that vanish smoothly at both ends (a Birkhoff average; here it repeats
/// to 1e-20). H itself oscillates by O(h^2) along the curve and would hide all round-off.
template <class Sys>
Quad energy_level(const Sys& system, State<Quad, 2> z, double h) {
  auto stepper = Rattle<>{}.stepper<Quad>(system);
  const Quad first = system.energy(z.q, z.p);
  Quad sum = 0, weights = 0;
  const int n = 25000;
  for (int i = 1; i < n; ++i) {
    if (!stepper.step(system, z, Quad(h))) throw ModelError("the quad step failed");
    const double t = static_cast<double>(i) / n;
    const double weight = std::exp(-1 / (t * (1 - t)));
    sum += weight * (system.energy(z.q, z.p) - first);
    weights += weight;
  }
  return first + sum / weights;
}

State<Quad, 2> exact(const State<double, 2>& z) { return {z.q.cast<Quad>(), z.p.cast<Quad>()}; }

/// Librations of several amplitudes.
std::vector<State<double, 2>> starts() {
  const auto system = witness::planar_pendulum();
  std::vector<State<double, 2>> all;
  for (int k = 0; k < 4; ++k) {
    const double angle = 0.7 + 0.2 * k, spin = 0.2 + 0.1 * k, s = std::sin(angle),
                 c = std::cos(angle);
    all.push_back(consistent(system, {.q = {s, -c}, .p = {spin * c, spin * s}}));
  }
  return all;
}

/// Root mean square over the starts of the change in energy level after each number of steps.
template <class Make, class Read>
std::vector<double> spread_after(const std::vector<long>& after, Make&& make, Read&& read) {
  const auto system = witness::planar_pendulum();
  const double h = 0.01;
  std::vector<double> square(after.size(), 0.0);
  const auto all = starts();
  for (auto z : all) {
    const Quad level = energy_level(system, exact(z), h);
    auto stepper = make(system);
    long step = 0;
    for (std::size_t k = 0; k < after.size(); ++k) {
      for (; step < after[k]; ++step)
        if (!stepper.step(system, z, h)) throw ModelError("a step failed");
      const double error = static_cast<double>(energy_level(system, read(stepper, z), h) - level);
      square[k] += error * error / static_cast<double>(all.size());
    }
  }
  for (double& s : square) s = std::sqrt(s);
  return square;
}

TEST(Compensated, round_off_grows_like_the_square_root_of_the_steps) {
  const std::vector<long> after{10'000, 1'000'000};
  const auto plain = spread_after(
      after, [](const auto& system) { return Rattle<>{}.stepper<double>(system); },
      [](const auto&, const auto& z) { return exact(z); });
  const auto compensated = spread_after(
      after,
      [](const auto& system) {
        return Rattle<BaseMap::verlet, Sums::compensated>{}.stepper<double>(system);
      },
      [](const auto& stepper, const auto& z) {
        State<Quad, 2> full = exact(z), low = exact(stepper.core().low());
        full.q += low.q;
        full.p += low.p;
        return full;
      });
  // Measured with six starts: plain 1.2e-14 and 1.7e-13, compensated 5e-17 and 3.5e-16, exponent
  // 0.43; bench/compensated.cpp goes to 1e8 steps.
  const double exponent = std::log10(compensated[1] / compensated[0]) / 2;
  EXPECT_LT(compensated[1], plain[1] / 30) << plain[1];
  EXPECT_LT(exponent, 0.7) << compensated[0] << " " << compensated[1];
}

TEST(Compensated, is_the_same_map) {
  const auto check = [](const auto& system, const auto& start, const auto& method,
                        const auto& with_sums) {
    const auto z = start.template in<double>();
    const auto plain = integrate(system, method, z, {.step = 0.01, .steps = 1000});
    const auto other = integrate(system, with_sums, z, {.step = 0.01, .steps = 1000});
    ASSERT_TRUE(plain.ok() && other.ok()) << plain.failure << other.failure;
    EXPECT_EQ(other.method, plain.method + ",sums=compensated");
    EXPECT_LT((plain.final.q - other.final.q).norm(), 1e-12);
    EXPECT_LT((plain.final.p - other.final.p).norm(), 1e-12);
    EXPECT_LT(other.constraint, 1e-15);
  };
  using namespace witness;
  constexpr Sums compensated = Sums::compensated;
  using Kept = Rattle<BaseMap::verlet, compensated>;
  check(planar_pendulum(), planar_pendulum_start, Rattle<>{}, Kept{});
  check(planar_pendulum(), planar_pendulum_start, Rattle<>{.project = Projection::output},
        Kept{.project = Projection::output});
  check(spherical_pendulum(), spherical_pendulum_start, Rattle<BaseMap::euler_a>{},
        Rattle<BaseMap::euler_a, compensated>{});
  check(quartic(), quartic_start, Rattle<BaseMap::euler_b>{},
        Rattle<BaseMap::euler_b, compensated>{});
  check(full_mass_sphere(), full_mass_sphere_start, Shake<>{},
        Shake<BaseMap::verlet, compensated>{});
  check(double_pendulum(), double_pendulum_start, Rattle<>{}, Kept{});
  check(chain_2d(), chain_2d_start, Rattle<>{}, Kept{});
}

TEST(Compensated, runs_on_run_time_systems) {
  const AnySystem system("pendulum", witness::planar_pendulum());
  const State<double> start = [] {
    const auto z = witness::planar_pendulum_start.in<double>();
    return State<double>{z.q, z.p};
  }();
  const RunOptions<State<double>> options{.step = 0.01, .steps = 1000};
  for (const std::string name :
       {"rattle:base=verlet", "shake:base=euler-a", "rattle:base=euler-b,project=output"}) {
    const auto a = integrate(system, find_method(name), start, options);
    const auto b = integrate(system, find_method(name + ",sums=compensated"), start, options);
    ASSERT_TRUE(a.ok() && b.ok()) << a.failure << b.failure;
    EXPECT_LT((a.final.q - b.final.q).norm(), 1e-12) << name;
    EXPECT_LT((a.final.p - b.final.p).norm(), 1e-12) << name;
    EXPECT_NE((a.final.q - b.final.q).norm(), 0) << name << ": these are the plain sums";
  }
}

/// Copies of an ensemble run alone, so that their sums are compensated too.
TEST(Compensated, has_no_steps_in_packs) {
  const auto pendulum = witness::planar_pendulum();
  const AnySystem any("pendulum", pendulum);
  EXPECT_EQ(find_method("rattle:sums=compensated").stepper<Pack>(any), nullptr);
  const Rattle<BaseMap::verlet, Sums::compensated> method;
  const auto all = integrate_ensemble(pendulum, method, starts(), {.step = 0.01, .steps = 100});
  for (std::size_t i = 0; i < all.copies.size(); ++i) {
    EXPECT_TRUE(all.copies[i].alone);
    const auto run = integrate(pendulum, method, starts()[i], {.step = 0.01, .steps = 100});
    EXPECT_EQ((all.copies[i].final.q - run.final.q).norm(), 0) << i;
  }
}

template <class E, class F>
std::string message(F&& f) {
  try {
    f();
  } catch (const E& e) {
    return e.what();
  }
  return "nothing was thrown";
}

TEST(Compensated, refuses_what_it_cannot_do) {
  EXPECT_NE(message<InputError>([] {
              find_method("rattle:base=midpoint,sums=compensated");
            }).find("verlet, euler-a"),
            std::string::npos);
  const Rattle<BaseMap::verlet, Sums::compensated> method;
  const auto hopf = witness::hopf_gravity();
  const auto start = witness::hopf_gravity_start.in<double>();
  EXPECT_EQ(
      message<ModelError>([&] { integrate(hopf, method, start, {.step = 0.01, .steps = 1}); }),
      "compensated sums need constraints on positions only");
  const AnySystem any("hopf", hopf);
  EXPECT_NE(message<ModelError>([&] {
              integrate(any, find_method("rattle:sums=compensated"), {start.q, start.p},
                        {.step = 0.01, .steps = 1});
            }).find("needs constraints on positions only"),
            std::string::npos);
  const AnySystem magnetic("magnetic", witness::magnetic());
  EXPECT_EQ(message<ModelError>(
                [&] { (void)find_method("rattle:sums=compensated").stepper<double>(magnetic); }),
            "compensated sums need a natural Hamiltonian p.M^-1 p/2 + V(q)");
}

TEST(DoubleDouble, keeps_thirty_two_digits) {
  const auto quad = [](const DoubleDouble& x) { return Quad(x.high) + Quad(x.low); };
  const DoubleDouble a = DoubleDouble(1) / 3, b = DoubleDouble(2) / 7 + DoubleDouble(1e-20);
  const Quad x = quad(a), y = quad(b);
  EXPECT_LT(abs(quad(a + b) - (x + y)), Quad(1e-31));
  EXPECT_LT(abs(quad(a - b) - (x - y)), Quad(1e-31));
  EXPECT_LT(abs(quad(a * b) - x * y), Quad(1e-31));
  EXPECT_LT(abs(quad(a / b) - x / y), Quad(1e-31));
  EXPECT_LT(abs(quad(sqrt(a)) - sqrt(x)), Quad(1e-31));
  EXPECT_LT(abs(quad(sin(a)) - sin(x)), Quad(2e-16));
  EXPECT_TRUE(a > b && -a < b && DoubleDouble(1, 1e-20) > DoubleDouble(1));
}

}  // namespace
}  // namespace rattleback
