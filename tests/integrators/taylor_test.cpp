// Taylor's method: high orders are as good as they say, and what does not converge is refused. Of
// chains of rods see rod_series_test.cpp.
#include "rattleback/integrators/taylor.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "integrators/taylor_cases.hpp"
#include "rattleback/expression/recorded_system.hpp"
#include "rattleback/problem/witness.hpp"
#include "rattleback/testing/trial.hpp"
#include "text_witnesses.hpp"

namespace rattleback::taylor_tests {
namespace {

TEST(Taylor, IsAsGoodAsItsOrder) {
  for (const auto& w : testing::text_witnesses()) {
    if (!w.system.traits().natural || !w.system.traits().holonomic) continue;
    SCOPED_TRACE(w.name());
    const auto end = [&](int order, int steps) {
      testing::Trial<Quad, AnySystem, Method> trial(w.system, taylor(order), w.start);
      EXPECT_TRUE(trial.run(Quad(0.5) / steps, steps)) << trial.failure();
      return trial.state();
    };
    // Masses that are not whole powers of two are rounded once to double and once to quad.
    const auto exact = end(40, 32);
    EXPECT_LT(testing::distance(exact, end(36, 48)), 2e-20);
    EXPECT_LT(testing::distance(exact, end(20, 32)), 1e-17);
  }
}

TEST(Taylor, ReportsTheMultiplierOfTheEnd) {
  // On the unit circle under gravity: lambda = |p|^2 - y, and RATTLE's is h/2 times that.
  const auto system = witness::planar_pendulum();
  auto z = witness::planar_pendulum_start.in<double>();
  auto stepper = Taylor{.order = 18}.stepper<double>(system);
  const double h = 0.05;
  for (int k = 0; k < 20; ++k) {
    ASSERT_TRUE(stepper.step(system, z, h));
    EXPECT_NEAR(stepper.lambda()[0], h / 2 * (z.p.squaredNorm() - z.q[1]), 1e-13) << k;
  }
}

template <class Sys, class Stepper>
void expect_refused(const Sys& system, Stepper& stepper, State<double>& z, double h) {
  const auto before = z;
  const Status status = stepper.step(system, z, h);
  EXPECT_FALSE(status);
  EXPECT_TRUE(status.outcome == Outcome::divergence || status.outcome == Outcome::not_finite);
  EXPECT_EQ(z.q, before.q);
  EXPECT_EQ(z.p, before.p);
}
TEST(Taylor, RefusesWhatDoesNotConverge) {
  const auto chain = uneven_chain<2>(20, height);
  const auto start = testing::convert<double>(start_in<2>(chain));
  const AnySystem pendulum = recorded_system("pendulum", witness::planar_pendulum());
  for (const double h : {3.0, 30.0, 1e10, 1e200}) {
    SCOPED_TRACE(h);
    auto z = start;
    auto stepper = Taylor{.order = 10}.stepper<double>(chain);
    ASSERT_TRUE(stepper.step(chain, z, 0.01));
    expect_refused(chain, stepper, z, h);
    // It goes on from where it stood.
    auto same = start;
    auto other = Taylor{.order = 10}.stepper<double>(chain);
    ASSERT_TRUE(other.step(chain, same, 0.01));
    stepper.reset(), other.reset();
    ASSERT_TRUE(stepper.step(chain, z, 0.01));
    ASSERT_TRUE(other.step(chain, same, 0.01));
    EXPECT_EQ(z.q, same.q);

    auto swing = testing::convert<double>(
        State<Quad>{Vector<Quad, dynamic>(witness::planar_pendulum_start.in<Quad>().q),
                    Vector<Quad, dynamic>(witness::planar_pendulum_start.in<Quad>().p)});
    auto small = taylor(10).stepper<double>(pendulum);
    ASSERT_TRUE(small->step(pendulum, swing, 0.01));
    expect_refused(pendulum, *small, swing, h);
  }
}

/// The end of as many steps at once as can be made, and of the same one by one.
template <class Sys, class Make>
void expect_the_last_good_step(const Sys& system, const State<double>& start, Make&& make) {
  for (double h = 0.1; h < 4; h *= 1.1) {
    SCOPED_TRACE(h);
    auto together = start, alone = start;
    auto all = make(), one = make();
    const Advance done = all->advance(system, together, h, 200);
    long steps = 0;
    while (steps < 200 && one->step(system, alone, h)) ++steps;
    EXPECT_EQ(done.steps, steps);
    EXPECT_EQ(together.q, alone.q);
    EXPECT_EQ(together.p, alone.p);
    if (0 < steps && steps < 200) return;
  }
  FAIL() << "no run ended on its way";
}
TEST(Taylor, StopsAtTheLastGoodStep) {
  const auto chain = uneven_chain<2>(20, height);
  using Stepper = decltype(Taylor{}.stepper<double>(chain));
  expect_the_last_good_step(chain, testing::convert<double>(start_in<2>(chain)), [&] {
    return std::make_unique<Stepper>(Taylor{.order = 10}.stepper<double>(chain));
  });
  const auto& texts = testing::text_witnesses();
  const auto text =
      std::ranges::find_if(texts, [](const auto& w) { return w.name() == "double_pendulum"; });
  expect_the_last_good_step(text->system, testing::convert<double>(text->start),
                            [&] { return taylor(10).stepper<double>(text->system); });
}

// A series that diverges can end near enough to g = 0 to be projected there.
template <class Sys, class Point>
void expect_no_divergence(const Sys& system, const Point& start) {
  const auto make = [&] {
    auto stepper = Taylor{.order = 20}.stepper<double>(system);
    return std::make_unique<decltype(stepper)>(std::move(stepper));
  };
  long refused = 0;
  for (double h = 0.05; h < 4; h *= 1.02) {
    SCOPED_TRACE(h);
    auto z = start, fine = start;
    if (!make()->step(system, z, h)) {
      ++refused;
      continue;
    }
    ASSERT_TRUE(make()->advance(system, fine, h / 256, 256).status);
    EXPECT_LT((z.q - fine.q).cwiseAbs().maxCoeff(), 0.1);  // measured: 0.064
  }
  EXPECT_GT(refused, 20);
}
TEST(Taylor, NeverAcceptsASeriesThatDiverges) {
  const auto chain = uneven_chain<2>(20, height);
  expect_no_divergence(chain, testing::convert<double>(start_in<2>(chain)));
  expect_no_divergence(witness::double_pendulum(), witness::double_pendulum_start.in<double>());
}

TEST(Taylor, NeedsExpressions) {
  const AnySystem erased("pendulum", witness::planar_pendulum());
  try {
    (void)taylor(8).stepper<double>(erased);
    FAIL() << "not refused";
  } catch (const ModelError& e) {
    EXPECT_NE(std::string(e.what()).find("does not give its series"), std::string::npos);
  }
}

// Sixteen or eight pendulums of different lengths and powers in one pack.
TEST(Taylor, PacksAreTheirCopies) {
  std::vector<AnySystem> systems;
  std::vector<const AnySystem*> members;
  for (int lane = 0; lane < Pack::lanes; ++lane) {
    const double length = 1.27 + 0.05 * lane;
    systems.push_back(recorded_system(
        "pendulum",
        natural_system(
            mass(1.0, 2.0),
            [=](const auto& q) {
              using std::sin;
              return q[1] * length + sin(q[0] * length);
            },
            [=](const auto& q) { return (q[0] * q[0] + q[1] * q[1] - length * length) * 0.5; })));
  }
  for (const AnySystem& s : systems) members.push_back(&s);
  const AnySystem together = packed_system(members);
  const auto method = taylor(9);
  auto stepper = method.stepper<Pack>(together);
  State<Pack> z{Vector<Pack, dynamic>(2), Vector<Pack, dynamic>(2)};
  for (int lane = 0; lane < Pack::lanes; ++lane) {
    const double angle = 0.3 + 0.1 * lane, length = 1.27 + 0.05 * lane;
    z.q[0].set(lane, length * std::sin(angle)), z.q[1].set(lane, -length * std::cos(angle));
    z.p[0].set(lane, 0.0), z.p[1].set(lane, 0.0);
  }
  std::vector<State<double>> alone;
  for (int lane = 0; lane < Pack::lanes; ++lane) {
    State<double> own{Vector<double, dynamic>(2), Vector<double, dynamic>(2)};
    for (int i = 0; i < 2; ++i) own.q[i] = z.q[i][lane], own.p[i] = z.p[i][lane];
    auto single = method.stepper<double>(systems[lane]);
    ASSERT_TRUE(single->advance(systems[lane], own, 0.05, 20).status);
    alone.push_back(own);
  }
  ASSERT_TRUE(stepper->advance(together, z, 0.05, 20).status);
  for (int lane = 0; lane < Pack::lanes; ++lane)
    for (int i = 0; i < 2; ++i) {
      EXPECT_NEAR(z.q[i][lane], alone[lane].q[i], 1e-14) << lane;
      EXPECT_NEAR(z.p[i][lane], alone[lane].p[i], 1e-14) << lane;
    }
}

}  // namespace
}  // namespace rattleback::taylor_tests
