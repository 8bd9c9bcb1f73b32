// Geodesics on an ellipsoid: Joachimsthal's integral (g.v)(v.A v) is conserved by the exact motion
// and stays bounded under RATTLE, here over a long run.
#include <algorithm>
#include <cstdio>
#include <rattleback/rattleback.hpp>

int main() {
  namespace rb = rattleback;
  const rb::Vector<double, 3> a(1, 1.0 / 4, 1.0 / 16);  // 1 / axis^2
  auto system = rb::natural_system(
      rb::mass(1.0, 1.0, 1.0), [](const auto& q) { return 0 * q[0]; },
      [a](const auto& q) {
        return (q[0] * q[0] * a[0] + q[1] * q[1] * a[1] + q[2] * q[2] * a[2] - 1) / 2;
      });
  // |A q|^2 (v.A v)
  auto joachimsthal = [&](const rb::State<double, 3>& z) {
    return a.cwiseProduct(z.q).squaredNorm() * z.p.dot(a.cwiseProduct(z.p));
  };
  auto start = rb::consistent(system, {.q = {0.6, 0.8, 2.5}, .p = {0.3, -0.5, 0.2}});
  double low = joachimsthal(start), high = low;
  auto run = rb::integrate(
      system, rb::Rattle{}, start,
      {.step = 0.02, .steps = 500'000, .every = 10, .observe = [&](long, double, const auto& z) {
         low = std::min(low, joachimsthal(z));
         high = std::max(high, joachimsthal(z));
       }});
  std::printf("Joachimsthal's integral %.8f .. %.8f over t = %g\n", low, high, run.time());
  std::printf("energy error %.1e, max |g| = %.1e\n", run.energy_error, run.constraint);
}
