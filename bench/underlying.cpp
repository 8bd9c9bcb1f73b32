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

constexpr long steps = 20000;
constexpr double h = 0.01;

/// [Seiler (42)] and (44): classical and Hamilton-Dirac.
struct ByHand {
  bool dirac;
  double z[4] = {0.8, -0.6, 0.45, 0.6};

  void field(const double* y, double* f) const {
    const double x = y[0], v = y[1], p = y[2], w = y[3], inverse = 1 / (x * x + v * v);
    const double mu = (p * p + w * w - v) * inverse, psi = dirac ? (x * p + v * w) * inverse : 0;
    f[0] = p - x * psi, f[1] = w - v * psi;
    f[2] = -mu * x + p * psi, f[3] = -mu * v - 1 + w * psi;
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

double by_hand(bool dirac) {
  ByHand run{dirac};
  const double s = bench::seconds([&] {
    for (long k = 0; k < steps; ++k) run.step();
  });
  benchmark::DoNotOptimize(run.z);
  return s / steps;
}

/// Types known at compile time.
double typed(Formulation formulation) {
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
  const auto hand = [](bool dirac) { return [dirac] { return by_hand(dirac); }; };
  figures.add({.name = "underlying, classical RK4 typed against by hand",
               .ours = [] { return typed(Formulation::classical); },
               .against = hand(false),
               .goal = 12});
  figures.add({.name = "underlying, dirac RK4 typed against by hand",
               .ours = [] { return typed(Formulation::dirac); },
               .against = hand(true),
               .goal = 24});
  for (const char* formulation : {"classical", "dirac", "impetus", "total"})
    figures.add(
        {.name = std::string("underlying, ") + formulation + " RK4 from text against by hand",
         .ours = [formulation] { return from_text(formulation); },
         .against = hand(formulation != std::string("classical")),
         .goal = 40});
  return figures.run(argc, argv);
}
