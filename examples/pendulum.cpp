// The smallest program: a planar pendulum in Cartesian coordinates.
#include <iostream>
#include <rattleback/rattleback.hpp>

int main() {
  namespace rb = rattleback;
  auto pendulum = rb::natural_system(
      rb::mass(1.0, 1.0), [](const auto& q) { return q[1]; },    // potential
      [](const auto& q) { return (q.squaredNorm() - 1) / 2; });  // constraint
  auto start = rb::consistent(pendulum, {.q = {1, 0}, .p = {0, -2}});
  auto run = rb::integrate(pendulum, rb::Rattle{}, start, {.step = 0.01, .steps = 1'000'000});
  std::cout << run.summary();
}
