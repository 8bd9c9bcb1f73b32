// 1024 pendulums of different lengths and starts, in SIMD packs and threads.
#include <cmath>
#include <cstdio>
#include <rattleback/integrators/ensemble.hpp>
#include <rattleback/rattleback.hpp>

namespace rb = rattleback;

int main() {
  // The system for one length, or for a pack of them: auto is all it takes.
  auto pendulum = [](const auto& parameter) {
    const auto& length = parameter[0];
    return rb::natural_system(
        rb::mass(1.0, 1.0), [](const auto& q) { return q[1]; },
        [length](const auto& q) { return (q[0] * q[0] + q[1] * q[1] - length * length) / 2; });
  };

  std::vector<rb::Vector<double, 1>> lengths;
  std::vector<rb::State<double, 2>> starts;
  for (int i = 0; i < 1024; ++i) {
    const double length = 0.5 + i / 1024.0, angle = 3.0 * ((37 * i) % 1024) / 1024.0;
    lengths.push_back(rb::Vector<double, 1>(length));
    starts.push_back(
        rb::consistent(pendulum(lengths.back()),
                       {.q = {length * std::sin(angle), -length * std::cos(angle)}, .p = {0, 0}}));
  }

  const rb::EnsembleOptions<rb::State<double, 2>> options{.step = 0.01, .steps = 1000};
  auto run = rb::integrate_ensemble(pendulum, rb::Rattle{}, lengths, starts, options);

  std::printf("copy   length        q after t = 10           energy error   max |g|\n");
  for (int i = 0; i < 1024; i += 128) {
    const auto& copy = run.copies[i];
    std::printf("%4d   %6.4f   %11.8f %11.8f   %12.3e   %s\n", i, lengths[i][0], copy.final.q[0],
                copy.final.q[1], copy.energy_error, copy.constraint < 1e-14 ? "< 1e-14" : "large");
  }
  std::printf("%zu copies, %ld failed\n", run.copies.size(), run.failed());
}
