// Round-off of the energy of pendulums against the number of steps, plain and compensated.
//
//   bench_compensated [roundoff [STEPS]]     STEPS: 1e7 unless told; docs/notes/roundoff.md has 1e8
//
// H oscillates by O(h^2) along the invariant curve of the step map, which hides all round-off. What
// is measured is the curve itself: the mean of H along the map in quad precision from the state at
// hand, with weights that vanish smoothly at both ends (weighted Birkhoff average; it repeats from
// another start on the same curve to 1e-20).
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "rattleback/integrators/ensemble.hpp"
#include "rattleback/integrators/shake_rattle.hpp"
#include "rattleback/problem/quad.hpp"
#include "rattleback/problem/witness.hpp"

namespace {

using namespace rattleback;
using Point = State<double, 2>;
using Clock = std::chrono::steady_clock;

constexpr double h = 0.01;
constexpr int copies = 8;

const auto pendulum = witness::planar_pendulum();

Quad energy_level(State<Quad, 2> z) {
  auto stepper = Rattle<>{}.stepper<Quad>(pendulum);
  const Quad first = pendulum.energy(z.q, z.p);
  Quad sum = 0, weights = 0;
  const int n = 40000;
  for (int i = 1; i < n; ++i) {
    if (!stepper.step(pendulum, z, Quad(h))) std::abort();
    const double t = static_cast<double>(i) / n, weight = std::exp(-1 / (t * (1 - t)));
    sum += weight * (pendulum.energy(z.q, z.p) - first);
    weights += weight;
  }
  return first + sum / weights;
}

State<Quad, 2> exact(const Point& z) { return {z.q.cast<Quad>(), z.p.cast<Quad>()}; }

/// Librations with amplitudes from 0.7 to 1.8.
Point start(long k) {
  const double angle = 0.7 + 0.13 * static_cast<double>(k), s = std::sin(angle),
               c = std::cos(angle), spin = 0.3;
  return consistent(pendulum, Point{.q = {s, -c}, .p = {spin * c, spin * s}});
}

struct Growth {
  std::vector<double> rms;
  double nanoseconds = 0;  ///< a step
  double exponent = 0;
};

template <class Make, class Read>
Growth measure(const std::vector<long>& after, Make&& make, Read&& read) {
  std::vector<std::vector<double>> error(copies, std::vector<double>(after.size()));
  std::vector<double> seconds(copies);
  detail::run_batches(copies, 0, [&](long k) {
    Point z = start(k);
    const Quad level = energy_level(exact(z));
    auto stepper = make();
    long step = 0;
    for (std::size_t i = 0; i < after.size(); ++i) {
      const auto begin = Clock::now();
      for (; step < after[i]; ++step)
        if (!stepper.step(pendulum, z, h)) std::abort();
      seconds[k] += std::chrono::duration<double>(Clock::now() - begin).count();
      error[k][i] = static_cast<double>(energy_level(read(stepper, z)) - level);
    }
  });
  Growth growth;
  detail::Slope slope;
  for (std::size_t i = 0; i < after.size(); ++i) {
    double square = 0;
    for (int k = 0; k < copies; ++k) square += error[k][i] * error[k][i] / copies;
    growth.rms.push_back(std::sqrt(square));
    slope.add(std::log(static_cast<double>(after[i])), std::log(growth.rms.back()));
  }
  growth.exponent = slope.value();
  for (double s : seconds)
    growth.nanoseconds += 1e9 * s / copies / static_cast<double>(after.back());
  return growth;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "roundoff") != 0) return 0;
  const double steps = argc > 2 ? std::atof(argv[2]) : 1e7;
  std::vector<long> after;
  for (double n = 1e4; n <= steps * 1.01; n *= 10) after.push_back(std::lround(n));

  const Growth plain = measure(
      after, [] { return Rattle<>{}.stepper<double>(pendulum); },
      [](const auto&, const Point& z) { return exact(z); });
  const Growth compensated = measure(
      after, [] { return Rattle<BaseMap::verlet, Sums::compensated>{}.stepper<double>(pendulum); },
      [](const auto& stepper, const Point& z) {
        State<Quad, 2> full = exact(z), low = exact(stepper.core().low());
        full.q += low.q;
        full.p += low.p;
        return full;
      });
  std::printf("steps       plain       compensated   (rms change of the energy level, %d starts)\n",
              copies);
  for (std::size_t i = 0; i < after.size(); ++i)
    std::printf("%-10.0e  %.3e   %.3e\n", static_cast<double>(after[i]), plain.rms[i],
                compensated.rms[i]);
  std::printf("ns a step   %.1f       %.1f\n", plain.nanoseconds, compensated.nanoseconds);
  std::printf(
      "roundoff, exponent of the growth with %.0e steps | %.2f | plain %.2f | %.2f | at most "
      "0.65 | %s\n",
      steps, compensated.exponent, plain.exponent, compensated.exponent / plain.exponent,
      compensated.exponent <= 0.65 ? "ok" : "short");
  std::printf("roundoff, energy after %.0e steps | %.2e | plain %.2e | %.4f | at most 0.03 | %s\n",
              steps, compensated.rms.back(), plain.rms.back(),
              compensated.rms.back() / plain.rms.back(),
              compensated.rms.back() <= 0.03 * plain.rms.back() ? "ok" : "short");
}
