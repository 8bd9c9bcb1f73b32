// Ensembles: equal to single runs, independent of the threads to the last bit, and a copy that
// fails fails alone.
#include "rattleback/integrators/ensemble.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "rattleback/problem/witness.hpp"

namespace rattleback {
namespace {

using PlanarPoint = State<double, 2>;
using Options = EnsembleOptions<PlanarPoint>;

/// A pendulum of mass x[0] and length x[1].
constexpr auto make_pendulum = [](const auto& x) {
  using T = typename std::decay_t<decltype(x)>::Scalar;
  const T m = x[0], l = x[1];
  return natural_system(
      mass(Vector<T, 2>(m, m)), [m](const auto& q) { return q[1] * m; },
      [l](const auto& q) { return (q[0] * q[0] + q[1] * q[1] - l * l) / 2; });
};

struct Pendulums {
  std::vector<Vector<double, 2>> parameters;
  std::vector<PlanarPoint> starts;

  explicit Pendulums(int count) {
    for (int i = 0; i < count; ++i) {
      const double m = 0.5 + 0.1 * (i % 7), l = 0.8 + 0.05 * (i % 11), angle = 0.3 + 0.1 * (i % 13),
                   spin = 0.2 * (i % 5) - 0.3;
      const double s = std::sin(angle), c = std::cos(angle);
      parameters.push_back({m, l});
      starts.push_back(
          consistent(make_pendulum(parameters.back()),
                     PlanarPoint{.q = {l * s, -l * c}, .p = {m * l * spin * c, m * l * spin * s}}));
    }
  }
};

bool same_bits(const PlanarPoint& a, const PlanarPoint& b) {
  return std::memcmp(a.q.data(), b.q.data(), sizeof(double) * 2) == 0 &&
         std::memcmp(a.p.data(), b.p.data(), sizeof(double) * 2) == 0;
}

TEST(Ensemble, agrees_with_single_runs) {
  const Pendulums all(21);  // two packs and a bit
  const auto ensemble = integrate_ensemble(make_pendulum, Rattle<>{}, all.parameters, all.starts,
                                           Options{.step = 0.01, .steps = 1000, .every = 100});
  ASSERT_EQ(ensemble.copies.size(), 21u);
  EXPECT_EQ(ensemble.failed(), 0);
  double largest = 0;
  for (int i = 0; i < 21; ++i) {
    const auto run = integrate(make_pendulum(all.parameters[i]), Rattle<>{}, all.starts[i],
                               {.step = 0.01, .steps = 1000, .every = 100});
    const auto& copy = ensemble.copies[i];
    ASSERT_TRUE(run.ok() && copy.ok());
    largest = std::max(
        {largest, (run.final.q - copy.final.q).norm(), (run.final.p - copy.final.p).norm()});
    EXPECT_EQ(copy.steps, 1000);
    EXPECT_FALSE(copy.alone);
    EXPECT_NEAR(copy.energy_error, run.energy_error, 1e-13);
    EXPECT_NEAR(copy.initial_energy, run.initial_energy, 1e-15);
    EXPECT_LT(copy.constraint, 2e-15);
    EXPECT_LT(copy.hidden, 2e-15);
  }
  // All lanes of a pack share their number of Newton iterations, so a copy may land elsewhere
  // within round-off, and a thousand steps carry that on.
  EXPECT_LT(largest, 1e-13);  // 9e-15 measured
}

TEST(Ensemble, does_not_depend_on_the_threads_to_the_last_bit) {
  const Pendulums all(61);
  const auto with = [&](int threads) {
    return integrate_ensemble(make_pendulum, Rattle<>{}, all.parameters, all.starts,
                              Options{.step = 0.01, .steps = 2000, .threads = threads});
  };
  const auto one = with(1);
  for (int threads : {2, 3, 0}) {
    const auto other = with(threads);
    for (std::size_t i = 0; i < all.starts.size(); ++i) {
      EXPECT_TRUE(same_bits(one.copies[i].final, other.copies[i].final)) << i;
      EXPECT_EQ(one.copies[i].energy_error, other.copies[i].energy_error);
      EXPECT_EQ(one.copies[i].hidden, other.copies[i].hidden);
    }
  }
}

TEST(Ensemble, a_failing_copy_fails_alone) {
  const auto pendulum = witness::planar_pendulum();
  std::vector<PlanarPoint> starts;
  for (int i = 0; i < 20; ++i)  // copy 11 spins too fast for the step
    starts.push_back({.q = {1, 0}, .p = {0, i == 11 ? 25.0 : 0.05 * i}});
  for (int threads : {1, 3}) {
    const auto ensemble = integrate_ensemble(pendulum, Rattle<>{}, starts,
                                             {.step = 0.1, .steps = 500, .threads = threads});
    EXPECT_EQ(ensemble.failed(), 1);
    for (int i = 0; i < 20; ++i) {
      const auto& copy = ensemble.copies[i];
      EXPECT_EQ(copy.alone, i / pack_lanes == 11 / pack_lanes) << i;
      const auto run =
          integrate(pendulum, Rattle<>{}, starts[i], {.step = 0.1, .steps = 500, .every = 5});
      EXPECT_EQ(copy.ok(), run.ok()) << i;
      EXPECT_EQ(copy.steps, run.steps) << i;
      EXPECT_EQ(copy.failure.text(), run.failure.text()) << i;
      EXPECT_LT((copy.final.q - run.final.q).norm(), 1e-12) << i;
    }
    EXPECT_NE(ensemble.copies[11].failure.text().find("step of size 0.1 failed"),
              std::string::npos);
    EXPECT_NE(ensemble.summary().find("the first is copy 11"), std::string::npos)
        << ensemble.summary();
  }
}

TEST(Ensemble, stores_observes_and_can_be_interrupted) {
  const auto pendulum = witness::planar_pendulum();
  const std::vector<PlanarPoint> starts(10, witness::planar_pendulum_start.in<double>());
  std::vector<long> seen(10, 0);
  Options options{.step = 0.01, .steps = 100, .every = 30, .store = true};
  options.observe = [&](long copy, long step, double t, const PlanarPoint&) {
    EXPECT_DOUBLE_EQ(t, 0.01 * static_cast<double>(step));
    ++seen[copy];
  };
  const auto ensemble = integrate_ensemble(pendulum, Rattle<>{}, starts, options);
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(seen[i], 5);  // 0, 30, 60, 90, 100
    ASSERT_EQ(ensemble.copies[i].states.size(), 5u);
    EXPECT_TRUE(same_bits(ensemble.copies[i].states.back(), ensemble.copies[i].final));
  }

  std::stop_source source;
  source.request_stop();
  const auto none =
      integrate_ensemble(pendulum, Rattle<>{}, starts,
                         {.step = 0.01, .steps = 1'000'000'000, .interrupt = source.get_token()});
  EXPECT_TRUE(none.copies[9].stopped && none.copies[9].ok());
  EXPECT_EQ(none.copies[9].steps, 0);

  const auto halted = integrate_ensemble(
      pendulum, Rattle<>{}, starts,
      {.step = 0.01, .steps = 1'000'000'000, .progress = [](const EnsembleProgress& p) {
         EXPECT_EQ(p.wanted, 10'000'000'000);
         return false;
       }});
  EXPECT_TRUE(halted.copies[0].stopped);
  EXPECT_LT(halted.copies[0].steps, 1'000'000'000);
  EXPECT_LT(halted.copies[0].constraint, 1e-14);
}

TEST(Ensemble, runs_sizes_known_at_run_time_and_mixed_constraints) {
  using namespace witness;
  const auto check = [](const auto& system, const auto& start, const auto& method) {
    const auto z = start.template in<double>();
    const std::vector<std::decay_t<decltype(z)>> starts(3, z);
    const auto ensemble = integrate_ensemble(system, method, starts, {.step = 0.01, .steps = 200});
    const auto run = integrate(system, method, z, {.step = 0.01, .steps = 200});
    ASSERT_TRUE(ensemble.failed() == 0 && run.ok());
    // A multiplier is known to eps/h = 2e-14: 4e-12 for 200 steps at most.
    EXPECT_LT((ensemble.copies[2].final.q - run.final.q).norm(), 4e-12);
    EXPECT_LT((ensemble.copies[2].final.p - run.final.p).norm(), 4e-12);
  };
  check(chain_2d(), chain_2d_start, Rattle<>{.project = Projection::output});
  check(hopf_gravity(), hopf_gravity_start, Rattle<>{});
}

TEST(Ensemble, refuses_bad_input_and_names_the_copy) {
  const auto message = [](auto&& run) -> std::string {
    try {
      run();
    } catch (const Error& e) {
      return e.what();
    }
    return "nothing was thrown";
  };
  const auto pendulum = witness::planar_pendulum();
  std::vector<PlanarPoint> starts(9, witness::planar_pendulum_start.in<double>());
  starts[8].p = {1, 1};
  EXPECT_NE(message([&] {
              integrate_ensemble(pendulum, Rattle<>{}, starts, {.step = 0.01, .steps = 1});
            }).find("copy 8: the start violates the hidden constraint"),
            std::string::npos);
  EXPECT_NE(message([&] {
              integrate_ensemble(make_pendulum, Rattle<>{},
                                 std::vector<Vector<double, 2>>(3, {1.0, 1.0}), starts,
                                 Options{.step = 0.01, .steps = 1});
            }).find("parameters: there are 9 starts and 3 sets"),
            std::string::npos);
  EXPECT_NE(message([&] {
              integrate_ensemble(pendulum, Rattle<>{}, starts,
                                 {.step = 0.01, .steps = 1, .threads = -1});
            }).find("threads: must not be negative, got -1"),
            std::string::npos);
  EXPECT_EQ(
      integrate_ensemble(pendulum, Rattle<>{}, std::vector<PlanarPoint>{}, {.step = 1, .steps = 1})
          .copies.size(),
      0u);
}

}  // namespace
}  // namespace rattleback
