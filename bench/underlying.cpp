// A step of RK4 on underlying equations of the planar pendulum against the same written by hand.
//
//   bench_underlying [underlying]
#include <cmath>

#include "figures.hpp"
#include "rattleback/integrators/underlying.hpp"
#include "rattleback/problem/witness.hpp"
#include "text_run.hpp"

namespace {

using namespace rattleback;

constexpr long steps = 300;  // total is unstable, and gone after t = 5

constexpr double h = 0.01;

/// [Seiler (42), (43), (44), (50)]
template <UnderlyingFormulation formulation>
struct ByHand {
  double z[4] = {0.8, -0.6, 0.45, 0.6};

  void field(const double* y, double* f) const {
    const double x = y[0], v = y[1], p = y[2], w = y[3], square = x * x + v * v,
                 inverse = 1 / square;
    if constexpr (formulation == UnderlyingFormulation::impetus) {
      const double lambda = (x * p + v * w) * inverse;
      f[0] = p - lambda * x, f[1] = w - lambda * v;
      f[2] = lambda * f[0], f[3] = lambda * f[1] - 1;
      return;
    }
    const double mu = (p * p + w * w - v) * inverse;
    f[0] = p, f[1] = w, f[2] = -mu * x, f[3] = -mu * v - 1;
    if constexpr (formulation == UnderlyingFormulation::dirac) {
      const double psi = (x * p + v * w) * inverse;
      f[0] -= x * psi, f[1] -= v * psi, f[2] += p * psi, f[3] += w * psi;
    } else if constexpr (formulation == UnderlyingFormulation::total) {
      const double phi = (square - 1) * inverse;
      f[0] += p * phi, f[1] += w * phi, f[2] += x * mu * phi, f[3] += (v * mu + 0.5) * phi;
    }
  }
  void step() {
    double k[4][4], y[4];
    const double part[] = {0, h / 2, h / 2, h};
    for (int s = 0; s < 4; ++s) {
      for (int i = 0; i < 4; ++i) y[i] = z[i] + (s > 0 ? part[s] * k[s - 1][i] : 0);
      field(y, k[s]);
    }
    for (int i = 0; i < 4; ++i) z[i] += h / 6 * (k[0][i] + 2 * (k[1][i] + k[2][i]) + k[3][i]);
  }
};

template <UnderlyingFormulation formulation>
double by_hand() {
  ByHand<formulation> run;
  const double s = bench::seconds([&] {
    for (long k = 0; k < steps; ++k) run.step();
  });
  benchmark::DoNotOptimize(run.z);
  return s / steps;
}

/// Types known at compile time.
double typed(UnderlyingFormulation formulation) {
  const auto pendulum = witness::planar_pendulum();
  auto stepper = Underlying{{.formulation = formulation}}.stepper<double>(pendulum);
  State<double, 2> z{{0.8, -0.6}, {0.45, 0.6}};
  const double s = bench::seconds([&] {
    for (long k = 0; k < steps; ++k)
      if (!stepper.step(pendulum, z, h)) throw Error("a step failed");
  });
  benchmark::DoNotOptimize(z);
  return s / steps;
}

/// From a model file, through the registry.
double from_text(const std::string& formulation) {
  static const std::string model =
      "[model]\nname = \"pendulum\"\ncoordinates = [\"x\", \"y\"]\nmass = [1, 1]\n"
      "potential = \"y\"\nconstraints = [\"(x^2 + y^2 - 1)/2\"]\n"
      "[initial]\nq = [0.8, -0.6]\np = [0.45, 0.6]\n";
  bench::TextRun run(model, "underlying:formulation=" + formulation, h);
  run.advance(10);
  return bench::seconds([&] { run.advance(steps); }) / steps;
}

}  // namespace

int main(int argc, char** argv) {
  bench::Figures figures;
  const struct {
    UnderlyingFormulation formulation;
    const char* name;
    double (*hand)();
    double goal;
  } all[] = {
      {UnderlyingFormulation::classical, "classical", by_hand<UnderlyingFormulation::classical>,
       14},
      {UnderlyingFormulation::dirac, "dirac", by_hand<UnderlyingFormulation::dirac>, 14},
      {UnderlyingFormulation::impetus, "impetus", by_hand<UnderlyingFormulation::impetus>, 24},
      {UnderlyingFormulation::total, "total", by_hand<UnderlyingFormulation::total>, 36}};
  for (const auto& f : all) {
    const std::string name = std::string("underlying, ") + f.name + " RK4 ";
    if (f.formulation == UnderlyingFormulation::classical ||
        f.formulation == UnderlyingFormulation::dirac)
      figures.add({.name = name + "typed, by hand",
                   .ours = [f] { return typed(f.formulation); },
                   .against = f.hand,
                   .goal = f.goal});
    figures.add({.name = name + "from text, by hand",
                 .ours = [f] { return from_text(f.name); },
                 .against = f.hand,
                 .goal = f.goal});
  }
  return figures.run(argc, argv);
}
