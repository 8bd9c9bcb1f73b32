// Taylor's method: the two ways to the series of a chain of rods are one, high orders are as good
// as they say, and what does not converge is refused.
#include "rattleback/integrators/taylor.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "rattleback/expression/recorded_system.hpp"
#include "rattleback/problem/linked_system.hpp"
#include "rattleback/problem/witness.hpp"
#include "rattleback/testing/trial.hpp"
#include "text_witnesses.hpp"

namespace rattleback::taylor_tests {
namespace {

Method taylor(int order) { return find_method("taylor:order=" + std::to_string(order)); }

// -- chains of rods --

const auto height = [](const auto& x) { return x[1] * 0.75; };
/// A field for each body, still uniform.
const auto tilted = [](const auto& x, int body) {
  return x[0] * 0.25 + x[1] * (0.5 + 0.125 * body);
};

/// Uneven rods and masses, moving in space or in a plane. What is computed of their numbers,
/// inverse masses and squares, is exact in double: the two ways round it in different precision.
template <int D, class Potential>
auto uneven_chain(int n, const Potential& potential) {
  std::vector<double> masses, lengths;
  for (int i = 0; i < n; ++i)
    masses.push_back(std::ldexp(1.0, i % 3 - 1)), lengths.push_back(0.5 + i % 5 / 8.0);
  return chain_system<D>(masses, lengths, potential);
}
template <int D, class Sys>
State<Quad> start_in(const Sys& system) {
  const int n = system.bodies();
  State<Quad> z{Vector<Quad, dynamic>(D * n), Vector<Quad, dynamic>(D * n)};
  Vector<Quad, D> at = Vector<Quad, D>::Zero(), velocity = at;
  for (int i = 0; i < n; ++i) {
    const Quad angle = 0.8 + 0.4 * std::sin(0.3 * i), turn = 0.5 * std::cos(0.7 * i);
    Vector<Quad, D> link = Vector<Quad, D>::Zero(), across = link;
    link[0] = sin(angle), link[1] = -cos(angle);
    across[0] = cos(angle), across[1] = sin(angle);
    if (D == 3) across[D - 1] = Quad(0.25);
    at += link * Quad(system.rod_length(i)), velocity += across * turn;
    for (int c = 0; c < D; ++c) {
      z.q[D * i + c] = at[c];
      z.p[D * i + c] = velocity[c] * Quad(system.mass(i));
    }
  }
  return z;
}

template <class S, class Sys, class Series>
State<S> after(const Sys& system, Series series, const State<Quad>& start, int steps, double h) {
  TaylorStepper<Sys, S, Series> stepper(std::move(series));
  State<S> z = testing::convert<S>(start);
  const Advance done = stepper.advance(system, z, Real<S>(h), steps);
  EXPECT_TRUE(done.status) << done.steps;
  return z;
}
template <class S, class Sys>
State<S> by_rods(const Sys& system, int order, const State<Quad>& start, int steps,
                 double h = 1.0 / 32) {
  const auto field = detail::uniform_field(system);
  EXPECT_FALSE(field.empty());
  return after<S>(system, RodSeries<Sys, S>(system, order, field), start, steps, h);
}
template <class S, class Sys>
State<S> by_tape(const Sys& system, int order, const State<Quad>& start, int steps,
                 double h = 1.0 / 32) {
  return after<S>(
      system,
      TapedSeries<Sys, S>(system, order, detail::recorded_field<Sys, S>(system), SolveOptions{}),
      start, steps, h);
}

template <int D, class Potential>
void expect_one_series(int n, const Potential& potential) {
  SCOPED_TRACE(std::to_string(n) + " links in " + std::to_string(D));
  const auto system = uneven_chain<D>(n, potential);
  const auto start = start_in<D>(system);
  for (const int order : {1, 2, 7, 36}) {
    // They project along other links, which makes a difference of the third power of what is left
    // out, and have the matrix of the end of a series and of its projection in the next step.
    const double h = order < 36 ? 1.0 / 4096 : 1.0 / 64;
    const double bound = order == 1 ? 1e-17 : order == 2 ? 1e-24 : 1e-28;
    const int steps = order < 36 ? 1 : 4;
    const auto rods = by_rods<Quad>(system, order, start, steps, h);
    EXPECT_LT(testing::distance(rods, by_tape<Quad>(system, order, start, steps, h)), bound)
        << order;
    // Eight strands against one.
    EXPECT_LT(testing::distance(rods, by_rods<double>(system, order, start, steps, h)), 4e-14)
        << order;
  }
}

TEST(Taylor, RodsHaveTheSeriesOfTheirExpressions) {
  for (const int n : {1, 2, 3, 7, 8, 9, 15, 16, 17, 40, 41}) expect_one_series<2>(n, height);
  for (const int n : {1, 5, 24}) expect_one_series<3>(n, tilted);
}

TEST(Taylor, RodsReportTheMultipliersOfTheirExpressions) {
  const auto system = uneven_chain<2>(9, tilted);
  const auto start = start_in<2>(system);
  using System = std::decay_t<decltype(system)>;
  using Rods = RodSeries<System, double>;
  using Tape = TapedSeries<System, double>;
  TaylorStepper<System, double, Rods> rods(Rods(system, 16, detail::uniform_field(system)));
  TaylorStepper<System, double, Tape> tape(
      Tape(system, 16, detail::recorded_field<System, double>(system), SolveOptions{}));
  auto a = testing::convert<double>(start), b = a;
  for (int k = 0; k < 5; ++k) {
    ASSERT_TRUE(rods.step(system, a, 0.05));
    ASSERT_TRUE(tape.step(system, b, 0.05));
    for (int i = 0; i < 9; ++i)
      EXPECT_NEAR(rods.lambda()[i], tape.lambda()[i], 2e-12) << i;  // measured: 7e-13
    EXPECT_GT(std::abs(rods.lambda()[0]), 1e-3);
  }
}

TEST(Taylor, OfRodsCarriesDerivatives) {
  using D = Dual<double, 4>;
  const auto system = uneven_chain<2>(5, tilted);
  const auto start = start_in<2>(system);
  State<D> z = testing::convert<D>(start);
  z.p[3].partials[1] = 1;
  const Quad step(1e-10);
  const auto shifted = [&](const Quad& by) {
    auto moved = start;
    moved.p[3] += by;
    return by_rods<Quad>(system, 8, moved, 3);
  };
  const auto up = shifted(step), down = shifted(-step);
  const auto field = detail::uniform_field(system);
  using System = std::decay_t<decltype(system)>;
  TaylorStepper<System, D, RodSeries<System, D>> stepper(RodSeries<System, D>(system, 8, field));
  ASSERT_TRUE(stepper.advance(system, z, 1.0 / 32, 3).status);
  double most = 0;
  for (int i = 0; i < 10; ++i) {
    const auto slope = static_cast<double>(Quad((up.p[i] - down.p[i]) / (2 * step)));
    most = std::max(most, std::abs(slope));
    EXPECT_NEAR(z.p[i].partials[1], slope, 1e-12) << i;
  }
  EXPECT_GT(most, 0.1);
}

// The field decides which series a chain gets; both run through one door.
TEST(Taylor, ChainsInAnyField) {
  const auto bent = [](const auto& x) { return x[1] + x[0] * x[0] * x[1] / 4; };
  const auto system = uneven_chain<2>(6, bent);
  EXPECT_TRUE(detail::uniform_field(system).empty());
  EXPECT_EQ(detail::uniform_field(uneven_chain<2>(6, height)).size(), 12u);
  const auto start = start_in<2>(system);
  auto stepper = Taylor{.order = 12}.stepper<double>(system);
  auto z = testing::convert<double>(start);
  ASSERT_TRUE(stepper.advance(system, z, 1.0 / 32, 8).status);
  EXPECT_LT(testing::distance(z, by_tape<Quad>(system, 12, start, 8)), 2e-14);
  EXPECT_EQ(stepper.structure(system), "chain of 6");
}

// -- any system --

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
