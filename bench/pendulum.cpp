// The planar pendulum: one, and 1024 in packs, against hand-written loops.
#include <vector>

#include "baseline/pendulum.hpp"
#include "figures.hpp"
#include "rattleback/integrators/natural_constrained.hpp"
#include "rattleback/problem/natural_system.hpp"
#include "rattleback/problem/pack.hpp"

namespace {

namespace rb = rattleback;

constexpr double h = 0.01;

const auto pendulum = rb::natural_system(
    rb::mass(1.0, 1.0), [](const auto& q) { return q[1]; },
    [](const auto& q) { return (q.squaredNorm() - 1) * 0.5; });
using Pendulum = std::decay_t<decltype(pendulum)>;

double pendulum_ours() {
  constexpr long steps = 200'000;
  rb::State<double, 2> z;
  z.q << 1, 0;
  z.p << 0, 0;
  rb::NaturalConstrained<Pendulum, double> rattle(pendulum);
  bool ok = true;
  const double t = bench::seconds([&] {
    for (long i = 0; i < steps; ++i) ok &= bool(rattle.step(pendulum, z, h, true));
  });
  benchmark::DoNotOptimize(z);
  return ok ? t / steps : std::nan("");
}
double pendulum_by_hand() {
  constexpr long steps = 200'000;
  double q0 = 1, q1 = 0, p0 = 0, p1 = 0;
  const double t = bench::seconds([&] {
    for (long i = 0; i < steps; ++i) baseline::pendulum_newton(q0, q1, p0, p1, h, 1e-15);
  });
  benchmark::DoNotOptimize(q0 + q1 + p0 + p1);
  return t / steps;
}

constexpr int copies = 1024;
constexpr long ensemble_steps = 2000;
double start_angle(int i) { return 0.1 + 2.5 * i / copies; }

double packs_ours() {
  using rb::Pack;
  constexpr int packs = copies / Pack::lanes;
  std::vector<rb::State<Pack, 2>> z(packs);
  std::vector<rb::NaturalConstrained<Pendulum, Pack>> rattle;
  for (int k = 0; k < packs; ++k) {
    rattle.emplace_back(pendulum);
    for (int i = 0; i < Pack::lanes; ++i) {
      const double angle = start_angle(k * Pack::lanes + i);
      z[k].q[0].set(i, std::sin(angle)), z[k].q[1].set(i, -std::cos(angle));
    }
    z[k].p[0] = z[k].p[1] = Pack(0);
  }
  bool ok = true;
  const double t = bench::seconds([&] {
    for (int k = 0; k < packs; ++k)
      for (long s = 0; s < ensemble_steps; ++s) ok &= bool(rattle[k].step(pendulum, z[k], h, true));
  });
  benchmark::DoNotOptimize(z.data());
  return ok ? t / (copies * ensemble_steps) : std::nan("");
}

template <class Step>
double ensemble_by_hand(Step step) {
  alignas(64) static double q0[copies], q1[copies], p0[copies], p1[copies];
  for (int i = 0; i < copies; ++i) {
    q0[i] = std::sin(start_angle(i)), q1[i] = -std::cos(start_angle(i));
    p0[i] = p1[i] = 0;
  }
  const double t = bench::seconds([&] {
    for (int b = 0; b < copies; b += 32)
      baseline::advance_block<32>(q0 + b, q1 + b, p0 + b, p1 + b, h, ensemble_steps, step);
  });
  benchmark::DoNotOptimize(q0);
  return t / (copies * ensemble_steps);
}
double packs_by_hand() {
  return ensemble_by_hand(
      [](double& q0, double& q1, double& p0, double& p1, double step)
          __attribute__((always_inline)) { baseline::pendulum_newton3(q0, q1, p0, p1, step); });
}
double packs_closed_form() {
  return ensemble_by_hand(
      [](double& q0, double& q1, double& p0, double& p1, double step)
          __attribute__((always_inline)) { baseline::pendulum_closed_form(q0, q1, p0, p1, step); });
}

}  // namespace

int main(int argc, char** argv) {
  bench::Figures figures;
  figures.add({.name = "pendulum step",
               .ours = pendulum_ours,
               .against = pendulum_by_hand,
               .goal = 1.25,
               .repetitions = 25});
  figures.add({.name = "1024 pendulums in packs",
               .ours = packs_ours,
               .against = packs_by_hand,
               .goal = 1.25,
               .repetitions = 15});
  const int status = figures.run(argc, argv);
  if (argc == 1) {
    double t = 1;
    for (int k = 0; k < 5; ++k) t = std::min(t, packs_closed_form());
    std::printf("for information: 1024 pendulums, multiplier in closed form: %.3g ns\n", t * 1e9);
  }
  return status;
}
