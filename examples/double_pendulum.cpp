// A double pendulum with unequal masses: the energy error stays bounded, however long the run.
#include <cstdio>
#include <rattleback/rattleback.hpp>

int main() {
  namespace rb = rattleback;
  // Coordinates x1, y1, x2, y2.
  auto system = rb::natural_system(
      rb::mass(1.0, 1.0, 2.0, 2.0), [](const auto& q) { return q[1] + 2 * q[3]; },
      [](const auto& q) {
        const auto dx = q[2] - q[0], dy = q[3] - q[1];
        using S = typename std::decay_t<decltype(q)>::Scalar;
        return std::array<S, 2>{(q[0] * q[0] + q[1] * q[1] - 1) / 2,
                                (dx * dx + dy * dy - 0.49) / 2};
      });
  auto start = rb::consistent(system, {.q = {1, 0, 1, -0.7}, .p = {0, 0, 0, 0}});
  for (double h : {0.02, 0.01, 0.005}) {
    auto run = rb::integrate(system, rb::Rattle{}, start, {.step = h, .time = 200, .every = 1});
    std::printf("h = %-6g energy error %.3e, drift %+.1e per unit of time, max |g| = %.1e\n", h,
                run.energy_error, run.energy_drift, run.constraint);
  }
}
