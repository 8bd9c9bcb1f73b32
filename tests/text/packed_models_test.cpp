// Models that differ in their constants only run in the lanes of a pack: what a lane answers, and
// where its steps lead, is what the model does alone.
#include <gtest/gtest.h>

#include "rattleback/expression/expression_system.hpp"
#include "rattleback/geometry/consistent.hpp"
#include "rattleback/integrators/ensemble.hpp"
#include "rattleback/integrators/registry.hpp"
#include "rattleback/problem/pack.hpp"
#include "rattleback/text/model.hpp"

namespace rattleback {
namespace {

constexpr int lanes = ScalarTraits<Pack>::lanes;

/// An example with a value of a parameter for each lane, from `first` to less than eight steps
/// more.
struct Members {
  std::vector<AnySystem> systems;
  std::vector<State<double>> starts;

  Members(const std::string& example, const std::string& parameter, double first, double step) {
    for (int i = 0; i < lanes; ++i) {
      const ModelFile file =
          read_model(RATTLEBACK_SOURCE_DIR "/examples/" + example + ".toml",
                     {{parameter, std::to_string(first + step * i * 8 / lanes)}});
      systems.push_back(expression_system(file.system));
      starts.push_back(start(systems.back(), *file.initial));
    }
  }
  AnySystem packed() const {
    std::vector<const AnySystem*> members;
    for (const AnySystem& system : systems) members.push_back(&system);
    return packed_system(members);
  }
  State<Pack> state() const {
    const int n = systems[0].dimension();
    State<Pack> z{Vector<Pack, dynamic>(n), Vector<Pack, dynamic>(n)};
    for (int i = 0; i < n; ++i)
      for (int lane = 0; lane < lanes; ++lane)
        z.q[i].set(lane, starts[lane].q[i]), z.p[i].set(lane, starts[lane].p[i]);
    return z;
  }

 private:
  static State<double> start(const AnySystem& system, const ModelFile::Initial& initial) {
    using V = Vector<double, dynamic>;
    const auto vector = [](const std::vector<double>& x) {
      return V(Eigen::Map<const V>(x.data(), static_cast<Eigen::Index>(x.size())));
    };
    State<double> z{vector(initial.q), vector(initial.p)};
    if (initial.p.empty()) {
      V l_q(z.q.size());
      z.p.resize(z.q.size());
      system.lagrangian_gradient(z.q, vector(initial.v), l_q, z.p);
    }
    return system.constraint_count() > 0 ? consistent(system, z) : z;
  }
};

struct Case {
  const char *example, *parameter;
  double first, step;
};
constexpr Case cases[] = {
    {"pendulum", "L", 1.1, 0.1},          {"double_pendulum", "m2", 0.42, 0.03},
    {"conical_pendulum", "g0", 9.1, 0.1}, {"bead_on_wire", "pitch", 0.41, 0.01},
    {"crank", "rod", 1.01, 0.02},         {"magnetic_torus", "B", 1.1, 0.1},
    {"rotating_hoop", "spin", 5.1, 0.2},  {"tippy_surface", "tilt", 0.04, 0.002},
    {"triatomic", "k", 2.1, 0.1},         {"two_body", "tether", 1.1, 0.01},
    {"elastic_rod", "mass", 1.1, 0.1},    {"chain", "angle", 0.7, 0.02}};

void expect_near(const Pack& pack, int lane, double alone, double size, const std::string& what) {
  EXPECT_NEAR(pack[lane], alone, size) << what << ", lane " << lane;
}

TEST(PackedModels, answer_as_they_do_alone_to_the_bit) {
  for (const Case& c : cases) {
    const Members members(c.example, c.parameter, c.first, c.step);
    const AnySystem packed = members.packed();
    const int n = packed.dimension(), m = packed.constraint_count();
    const State<Pack> z = members.state();
    Vector<Pack, dynamic> h_q(n), h_p(n), g(m);
    Matrix<Pack, dynamic> g_q(m, n), g_p(m, n);
    const Pack energy = packed.energy(z.q, z.p);
    packed.energy_gradient(z.q, z.p, h_q, h_p);
    packed.linearise(z.q, z.p, g, g_q, g_p);
    for (int lane = 0; lane < lanes; ++lane) {
      const AnySystem& alone = members.systems[lane];
      const State<double>& y = members.starts[lane];
      Vector<double, dynamic> y_q(n), y_p(n), f(m);
      Matrix<double, dynamic> f_q(m, n), f_p(m, n);
      alone.energy_gradient(y.q, y.p, y_q, y_p);
      alone.linearise(y.q, y.p, f, f_q, f_p);
      expect_near(energy, lane, alone.energy(y.q, y.p), 0, c.example);
      for (int i = 0; i < n; ++i) {
        expect_near(h_q[i], lane, y_q[i], 0, c.example);
        expect_near(h_p[i], lane, y_p[i], 0, c.example);
      }
      for (int i = 0; i < m; ++i) expect_near(g[i], lane, f[i], 0, c.example);
      for (int i = 0; i < m * n; ++i) expect_near(g_q.data()[i], lane, f_q.data()[i], 0, c.example);
    }
  }
}

/// Newton matrices are made of these.
TEST(PackedModels, have_the_second_derivatives_that_they_have_alone) {
  using Lifted = Dual<Pack, 4>;
  const Members members("magnetic_torus", "B", 1.1, 0.1);
  const AnySystem packed = members.packed();
  const int n = packed.dimension();
  const State<Pack> z = members.state();
  Vector<Lifted, dynamic> q(n), p(n), h_q(n), h_p(n);
  for (int i = 0; i < n; ++i) q[i] = Lifted(z.q[i]), p[i] = Lifted(z.p[i]);
  q[0].partials[0] = Pack(1);
  packed.energy_gradient(q, p, h_q, h_p);
  for (int lane = 0; lane < lanes; ++lane) {
    using Alone = Dual<double, 4>;
    Vector<Alone, dynamic> x(n), y(n), x_q(n), y_p(n);
    for (int i = 0; i < n; ++i) x[i] = Alone(z.q[i][lane]), y[i] = Alone(z.p[i][lane]);
    x[0].partials[0] = 1;
    members.systems[lane].energy_gradient(x, y, x_q, y_p);
    for (int i = 0; i < n; ++i) {
      expect_near(h_q[i].partials[0], lane, x_q[i].partials[0], 1e-14, "H_qq");
      expect_near(h_p[i].partials[0], lane, y_p[i].partials[0], 1e-14, "H_pq");
    }
  }
}

constexpr double h = 1e-3;

/// How far apart two ways to the same step may lead: multipliers are known to the round-off of the
/// constraints over h. Measured are 4 units of round-off in q, 2.3 over h in p, 7 in g.
struct Apart {
  double q, p, g;
};
Apart round_off(const State<double>& z) {
  const double unit =
      ScalarTraits<double>::epsilon * (1 + largest_magnitude(z.q) + largest_magnitude(z.p));
  return {10 * unit, 5 * unit / h, 15 * unit};
}

/// Where alone and together go the same way: Newton may take an iteration more in a pack.
TEST(PackedModels, every_method_steps_as_it_does_alone) {
  int compared = 0;
  for (const Case& c : cases) {
    const Members members(c.example, c.parameter, c.first, c.step);
    const AnySystem packed = members.packed();
    if (packed.dimension() > 10) continue;  // below
    for (const Method& method : law_methods()) {
      if (!method.info().applies(packed.traits())) continue;
      try {
        (void)method.stepper<double>(members.systems[0]);
      } catch (const Error&) {
        EXPECT_THROW((void)method.stepper<Pack>(packed), Error) << method.info().name;
        continue;
      }
      if (method.info().varies_steps) {  // each copy by steps of its own
        EXPECT_THROW((void)method.stepper<Pack>(packed), Error) << method.info().name;
        continue;
      }
      const auto together = method.stepper<Pack>(packed);
      const bool compensated =
          method.values().has("sums") && method.values().word("sums") == "compensated";
      ASSERT_EQ(together == nullptr, compensated) << method.info().name;  // those run alone
      if (compensated) continue;
      State<Pack> z = members.state();
      const Advance done = together->advance(packed, z, h, 20);
      bool all_done = true;
      for (int lane = 0; lane < lanes; ++lane) {
        State<double> y = members.starts[lane];
        const auto alone = method.stepper<double>(members.systems[lane]);
        all_done = all_done && alone->advance(members.systems[lane], y, h, 20).status;
        if (!all_done) break;
        ASSERT_TRUE(static_cast<bool>(done.status)) << method.info().name << " on " << c.example;
        Apart apart = round_off(y);
        // Its matrix is sparse alone and full in packs: measured 10.5 units after 120 substeps.
        if (method.family().name == "gauss") apart.q *= 2;
        // Momenta of the index-3 form add up their round-off along the fibre: measured 474 times
        // that.
        if (method.info().momentum_order && method.info().loses_energy) apart.p *= 950;
        // Alone by static sizes, in packs by sparse elimination: measured 1.5 times that.
        if (method.family().name == "multistep") apart.q *= 3, apart.p *= 3;
        for (int i = 0; i < packed.dimension(); ++i) {
          expect_near(z.q[i], lane, y.q[i], apart.q, method.info().name + " on " + c.example);
          expect_near(z.p[i], lane, y.p[i], apart.p, method.info().name + " on " + c.example);
        }
      }
      EXPECT_EQ(static_cast<bool>(done.status), all_done) << method.info().name << c.example;
      compared += all_done;
    }
  }
  EXPECT_GT(compared, 250);
}

EnsembleOptions<State<double>> short_run() { return {.step = h, .steps = 50, .threads = 1}; }

TEST(PackedModels, large_ones_with_compiled_linear_algebra) {
  for (const Case& c : {Case{"chain", "L", 1.1, 0.1}, Case{"elastic_rod", "mass", 1.1, 0.1},
                        Case{"elastic_rod", "stiffness", 0.01, 0.003}}) {
    const Members members(c.example, c.parameter, c.first, c.step);
    for (const char* name : {"rattle", "shake", "rattle:project=output"}) {
      const Method& method = find_method(name);
      const auto all = integrate_ensemble(members.systems, method, members.starts, short_run());
      for (int i = 0; i < lanes; ++i) {
        EXPECT_FALSE(all.copies[i].alone) << c.example;
        const auto run =
            integrate(members.systems[i], method, members.starts[i], {.step = h, .steps = 50});
        ASSERT_TRUE(run.ok() && all.copies[i].ok()) << c.example;
        const Apart apart = round_off(run.final);
        EXPECT_LE(largest_magnitude(run.final.q - all.copies[i].final.q), apart.q) << c.example;
        EXPECT_LE(largest_magnitude(run.final.p - all.copies[i].final.p), apart.p) << c.example;
        EXPECT_LE(all.copies[i].constraint, apart.g) << c.example;
        const bool counts_looks = std::string(name) == "rattle:project=output";
        EXPECT_EQ(all.copies[i].projections.momentum, counts_looks ? 51 : run.projections.momentum);
      }
    }
  }
}

/// Of other shapes: folded constants, other coordinates.
TEST(PackedModels, share_packs_with_their_like_only) {
  const Members members("pendulum", "g0", 1.1, 0.1), special("pendulum", "g0", 1, 0),
      others("double_pendulum", "m2", 0.42, 0.03);
  std::vector<AnySystem> systems;
  std::vector<State<double>> starts;
  const auto add = [&](const Members& from, int i) {
    systems.push_back(from.systems[i]);
    starts.push_back(from.starts[i]);
  };
  for (int i = 0; i < lanes; ++i) {
    add(members, i);
    add(others, i);
    if (i == 3) add(special, 0);
  }
  add(members, 0);
  const auto all = integrate_ensemble(systems, find_method("rattle"), starts, short_run());
  ASSERT_EQ(all.copies.size(), systems.size());
  EXPECT_EQ(all.failed(), 0);
  for (std::size_t i = 0; i < systems.size(); ++i) {
    // No factor g0, and what the first pack had no room for.
    const bool alone = i == 8 || i + 1 == systems.size();
    EXPECT_EQ(all.copies[i].alone, alone) << i;
    const auto run =
        integrate(systems[i], find_method("rattle"), starts[i], {.step = h, .steps = 50});
    EXPECT_LE(largest_magnitude(run.final.q - all.copies[i].final.q), round_off(run.final).q) << i;
    EXPECT_NEAR(run.energy_drift, all.copies[i].energy_drift, 1e-9) << i;
    EXPECT_NEAR(run.newton_mean, all.copies[i].newton_mean, 1) << i;
  }
  EXPECT_FALSE(same_shape(members.systems[0], special.systems[0]));
  EXPECT_THROW(packed_system({}), InputError);
  const AnySystem* different[] = {&members.systems[0], &others.systems[0]};
  EXPECT_THROW(packed_system(different), InputError);
}

/// Lagrangians that need Newton for H have no code in packs.
TEST(PackedModels, do_without_packs_where_there_are_none) {
  const ModelFile file = parse_model(R"([model]
coordinates = ["x"]
lagrangian = "-sqrt(1 - x_dot^2) - x^2/2"
)",
                                     "relativistic.toml");
  const std::vector<AnySystem> systems(3, expression_system(file.system));
  using V = Vector<double, dynamic>;
  const std::vector<State<double>> starts(3, {V::Constant(1, 0.3), V::Constant(1, 0.1)});
  const auto all =
      integrate_ensemble(systems, find_method("rattle:base=midpoint"), starts, short_run());
  EXPECT_EQ(all.failed(), 0);
  for (const auto& copy : all.copies) EXPECT_TRUE(copy.alone);
}

}  // namespace
}  // namespace rattleback
