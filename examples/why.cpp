// Why structure matters: a double pendulum by RATTLE, by RK4 on the equations with the multiplier
// eliminated, and by a step followed by a projection. With a file name it writes the data of the
// README's picture.
#include <cstdio>
#include <fstream>
#include <rattleback/integrators/registry.hpp>
#include <rattleback/rattleback.hpp>

namespace rb = rattleback;

int main(int argc, char** argv) {
  const rb::AnySystem system(
      "double pendulum",
      rb::natural_system(
          rb::mass(1.0, 1.0, 2.0, 2.0), [](const auto& q) { return q[1] + 2 * q[3]; },
          [](const auto& q) {
            const auto dx = q[2] - q[0], dy = q[3] - q[1];
            using S = typename std::decay_t<decltype(q)>::Scalar;
            return std::array<S, 2>{(q[0] * q[0] + q[1] * q[1] - 1) / 2,
                                    (dx * dx + dy * dy - 0.49) / 2};
          }));
  rb::State<double> start{rb::Vector<double, rb::dynamic>(4), rb::Vector<double, rb::dynamic>(4)};
  start.q << 1, 0, 1, -0.7;
  start.p.setZero();
  std::ofstream file;
  if (argc > 1) file.open(argv[1]);
  for (const char* method : {"rattle", "baseline:kind=rk4", "baseline:kind=projection"}) {
    auto run = rb::integrate(system, rb::find_method(method), start,
                             {.step = 0.01, .time = 500, .every = 10});
    std::printf("%-26s energy error %.1e, drift %+.1e per unit of time, max |g| = %.1e%s\n", method,
                run.energy_error, run.energy_drift, run.constraint, run.ok() ? "" : "  FAILED");
    for (std::size_t i = 0; i < run.times.size(); ++i) {
      const auto& q = run.states[i].q;
      const double dx = q[2] - q[0], dy = q[3] - q[1];
      file << run.times[i] << ' ' << q[2] << ' ' << q[3] << ' '
           << run.energies[i] - run.initial_energy << ' '
           << std::max(std::abs(q[0] * q[0] + q[1] * q[1] - 1) / 2,
                       std::abs(dx * dx + dy * dy - 0.49) / 2)
           << '\n';
    }
    file << "\n\n";
  }
}
