// A user's program, built against an installed Rattleback.
#include <cstdio>
#include <rattleback/integrators/registry.hpp>
#include <rattleback/rattleback.hpp>

int main() {
  namespace rb = rattleback;
  auto pendulum = rb::natural_system(
      rb::mass(1.0, 1.0), [](const auto& q) { return q[1]; },
      [](const auto& q) { return (q.squaredNorm() - 1) / 2; });
  auto run = rb::integrate(pendulum, rb::Rattle{}, {.q = {1, 0}, .p = {0, -2}},
                           {.step = 0.01, .steps = 1000});
  const bool good = run.ok() && run.energy_error < 1e-3 && run.constraint < 1e-14 &&
                    rb::find_method("rattle").info().order == 2;
  std::printf("%s", run.summary().c_str());
  return good ? 0 : 1;
}
