// A constraint on positions and momenta: |q|^2 + |p|^2 = 1, whose fibres are the Hopf circles
// [McLachlan12 5.4]. Without potential one RATTLE step is a rotation by arcsin(h omega).
#include <cmath>
#include <cstdio>
#include <rattleback/rattleback.hpp>

int main() {
  namespace rb = rattleback;
  auto sphere = rb::quadratic(
      [](const auto& q, const auto& p) { return q.squaredNorm() + p.squaredNorm() - 1; });
  auto free = rb::natural_system(
      rb::mass(1.0, 1.0), [](const auto& q) { return 0 * q[0]; }, sphere);
  const double h = 0.1, omega = 12.0 / 7;  // (q x p) / (|q|^2 - |p|^2)
  auto run = rb::integrate(free, rb::Rattle<rb::BaseMap::midpoint>{},
                           {.q = {0.8, 0}, .p = {0, 0.6}}, {.step = h, .steps = 1});
  std::printf("angle of one step  %.16f\narcsin(h omega)    %.16f\n",
              std::atan2(run.final.q[1], run.final.q[0]), std::asin(h * omega));

  auto gravity = rb::natural_system(
      rb::mass(1.0, 1.0), [](const auto& q) { return q[1]; }, sphere);
  auto start = rb::consistent(gravity, {.q = {0.5, -0.7}, .p = {-0.4, 0.1}});
  std::printf(
      "\nwith gravity, 1000 steps of 0.1\n%s",
      rb::integrate(gravity, rb::Rattle<rb::BaseMap::midpoint>{}, start, {.step = h, .steps = 1000})
          .summary()
          .c_str());
}
