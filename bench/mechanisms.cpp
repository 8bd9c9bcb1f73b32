// Mechanisms: a chain of links on ball joints against Simbody, Bullet and MuJoCo, time per link and
// step; and at equal error. Four-bars in a row against their goal.
#include "rattleback/multibody/mechanism_motion.hpp"

#include "../tests/multibody/mechanisms.hpp"
#include "baseline/link_chain.hpp"
#include "figures.hpp"

namespace {

namespace rb = rattleback;
using rb::Vector3;

constexpr double step = 1e-3;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

rb::Mechanism chain(int links) {
  rb::Mechanism m{.name = "chain", .gravity = {0, 0, -baseline::gravity}};
  const auto turn = rb::lie::SO3<double>::exp({0, baseline::link_angle, 0});
  const Vector3 along = turn(Vector3(0, 0, -1));
  const auto& [x, y, z] = baseline::link_inertia;
  for (int i = 0; i < links; ++i) {
    const std::string name = std::to_string(i);
    m.add(rb::Body{.name = name,
                   .inertia = rb::diagonal(x, y, z),
                   .position = (i + 0.5) * along,
                   .orientation = turn});
    m.add(rb::Joint{.type = rb::JointType::ball,
                    .bodies = {i == 0 ? "world" : std::to_string(i - 1), name},
                    .points = {Vector3(0, 0, i == 0 ? 0 : -0.5), Vector3(0, 0, 0.5)}});
  }
  return m;
}

/// Seconds per unit and step of ours.
double ours(const rb::Mechanism& m, double units, long steps) {
  const auto motion = rb::mechanism_motion(m, rb::find_mechanism_method("rattlie"));
  (void)motion->advance(step, 5);
  bool ok = true;
  const double t = bench::seconds([&] { ok = bool(motion->advance(step, steps).status); });
  return ok ? t / (units * static_cast<double>(steps)) : nan;
}

long steps_for(int links) { return std::max(20L, 20'000L / links); }

void add_chain(bench::Figures& all, int n) {
  const long steps = steps_for(n);
  const auto add = [&](const std::string& name, bench::Measure against, bool faster, double goal) {
    all.add({.name = "mechanism." + std::to_string(n) + "." + name,
             .ours = [n, steps] { return ours(chain(n), n, steps); },
             .against = std::move(against),
             .goal = goal,
             .faster = faster,
             .repetitions = 5,
             .unit = 1e6,
             .unit_name = "us"});
  };
  add(
      "goal", [] { return 1e-6; }, false, 1);
  [[maybe_unused]] const double units = n * static_cast<double>(steps);
#ifdef RATTLEBACK_BENCH_SIMBODY
  for (const bool verlet : {true, false})
    add(
        verlet ? "simbody.verlet" : "simbody.merson",
        [=] {
          using Chain = baseline::SimbodyChain;
          Chain c(n, verlet ? Chain::Method::verlet : Chain::Method::merson);
          c.use_step(step);
          c.start();
          return bench::seconds([&] { c.run_to(step * static_cast<double>(steps)); }) / units;
        },
        true, 1);
#endif
#ifdef RATTLEBACK_BENCH_BULLET
  add(
      "bullet.rk4",
      [=] {
        baseline::BulletChain c(n);
        return bench::seconds([&] {
                 for (long k = 0; k < steps; ++k) c.step(step);
               }) /
               units;
      },
      true, 1);
#endif
#ifdef RATTLEBACK_BENCH_MUJOCO
  // Its parser takes no deeper bodies; it is cubic in n anyhow.
  if (n < 90)
    add(
        "mujoco.rk4",
        [=] {
          baseline::MujocoChain c(n, step);
          if (!c) return nan;
          return bench::seconds([&] {
                   for (long k = 0; k < steps; ++k) c.step();
                 }) /
                 units;
        },
        true, 1);
#endif
}

#ifdef RATTLEBACK_BENCH_SIMBODY
constexpr int accurate_links = 10;
constexpr double wanted = 1e-9;

/// Seconds over one second of the motion; the place of the last link at its end.
double compose(const std::string& method, long steps, Vector3& tip) {
  const rb::Mechanism m = chain(accurate_links);
  const auto motion = rb::mechanism_motion(m, rb::find_mechanism_method(method));
  bool ok = true;
  const double t = bench::seconds(
      [&] { ok = bool(motion->advance(1.0 / static_cast<double>(steps), steps).status); });
  tip = rb::bodies_of(m, motion->state()).back().position;
  return ok ? t : nan;
}
double merson(double accuracy, Vector3& tip) {
  baseline::SimbodyChain c(accurate_links, baseline::SimbodyChain::Method::merson);
  c.use_accuracy(accuracy);
  c.start();
  const double t = bench::seconds([&] { c.run_to(1); });
  double x[3];
  c.tip(x);
  tip = {x[0], x[1], x[2]};
  return t;
}

/// Both with the largest step, or loosest accuracy, that is good enough.
void add_equal_error(bench::Figures& all, const std::string& scheme, long from) {
  Vector3 truth, tip;
  (void)compose("rattlie:compose=kahanli8", 4000, truth);
  long steps = from;
  for (; steps < 100'000; steps = steps * 5 / 4) {
    (void)compose("rattlie:compose=" + scheme, steps, tip);
    if ((tip - truth).norm() <= wanted) break;
  }
  double accuracy = 1e-6;
  for (; accuracy > 1e-15; accuracy /= 2) {
    (void)merson(accuracy, tip);
    if ((tip - truth).norm() <= wanted) break;
  }
  std::printf("# %s: %ld steps; RungeKuttaMerson: accuracy %.2g\n", scheme.c_str(), steps,
              accuracy);
  all.add({.name = "mechanism.error-1e-9." + scheme,
           .ours =
               [=] {
                 Vector3 x;
                 return compose("rattlie:compose=" + scheme, steps, x);
               },
           .against =
               [=] {
                 Vector3 x;
                 return merson(accuracy, x);
               },
           .goal = 1,
           .faster = true,
           .repetitions = 3,
           .unit = 1e3,
           .unit_name = "ms"});
}
#endif

}  // namespace

int main(int argc, char** argv) {
  bench::Figures all;
  for (const int n : {10, 100, 1000}) add_chain(all, n);
  for (const int loops : {1, 10, 100})
    all.add(
        {.name = "mechanism.four-bars." + std::to_string(loops),
         .ours = [=] { return ours(rb::testing::four_bars(loops), loops, steps_for(4 * loops)); },
         .against = [] { return 5e-6; },
         .goal = 1,
         .repetitions = 5,
         .unit = 1e6,
         .unit_name = "us"});
#ifdef RATTLEBACK_BENCH_SIMBODY
  const bool asked = argc < 2 || std::string(argv[1]).rfind("mechanism.e", 0) == 0;
  if (asked) {
    add_equal_error(all, "suzuki4", 200);
    add_equal_error(all, "kahanli6", 50);
    add_equal_error(all, "kahanli8", 20);
  }
#endif
  return all.run(argc, argv);
}
