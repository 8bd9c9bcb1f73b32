// Round-off of the energy of the multistep method of order 8 against the number of steps: spherical
// pendulums from eight starts, h = 0.01, where the method's own error of H is below round-off.
//
//   bench_multistep_roundoff [multistep-roundoff [STEPS]]      STEPS: 1e8 unless told
//
// H is the mean of 64 looks, seven steps apart. docs/notes/multistep.md has 1e8 steps.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "rattleback/integrators/multistep.hpp"
#include "rattleback/integrators/run.hpp"
#include "rattleback/problem/natural_system.hpp"

namespace {

using namespace rattleback;

constexpr double h = 0.01;
constexpr int starts = 8, looks = 64, gap = 7;

struct Sphere {
  template <class Q>
  auto operator()(const Q& q) const {
    return (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] - 1.0) / 2;
  }
  template <class Q, class J>
  void jacobian(const Q& q, J& out) const {
    for (int i = 0; i < 3; ++i) out(0, i) = q[i];
  }
};
const auto pendulum = natural_system(
    mass(1.0, 1.0, 1.0), [](const auto& q) { return q[2]; }, quadratic(Sphere{}));

/// One pendulum on its way.
class Swing {
 public:
  explicit Swing(int k) {
    const double angle = 0.5 + 0.15 * k;
    z_.q << std::sin(angle), 0, -std::cos(angle);
    z_.p << 0, 0.5 + 0.07 * k, 0;
    first_ = level();
  }
  /// The change of H around so many steps.
  double change_after(long steps) {
    const long most = steps - looks * gap;
    if (most > done_) go(most - done_);
    return static_cast<double>(level() - first_);
  }

 private:
  void go(long steps) {
    if (!stepper_.advance(pendulum, z_, h, steps).status) std::abort();
    done_ += steps;
  }
  long double level() {
    long double sum = 0;
    for (int i = 0; i < looks; ++i) {
      go(gap);
      for (int k = 0; k < 3; ++k) sum += static_cast<long double>(z_.p[k]) * z_.p[k] / 2;
      sum += z_.q[2];
    }
    return sum / looks;
  }

  State<double, 3> z_;
  MultistepStepper<std::remove_const_t<decltype(pendulum)>, double> stepper_{
      pendulum, 8, Projection::output, {}};
  long done_ = 0;
  long double first_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "multistep-roundoff") != 0) return 0;
  const double steps = argc > 2 ? std::atof(argv[2]) : 1e8;
  std::vector<double> after;
  for (double n = steps; n >= 1e6; n /= 2) after.insert(after.begin(), n);
  std::vector<double> square(after.size());
  double mean = 0, spread = 0;
  for (int k = 0; k < starts; ++k) {
    Swing swing(k);
    detail::Slope slope;
    for (std::size_t i = 0; i < after.size(); ++i) {
      const double change = swing.change_after(std::lround(after[i]));
      square[i] += change * change / starts;
      slope.add(after[i], change);
    }
    mean += slope.value() / starts, spread += slope.value() * slope.value() / starts;
  }
  spread = std::sqrt((spread - mean * mean) / (starts - 1));
  detail::Slope growth;
  std::printf("steps       rms change of the energy, %d starts\n", starts);
  for (std::size_t i = 0; i < after.size(); ++i) {
    std::printf("%-10.1e  %.2e\n", after[i], std::sqrt(square[i]));
    growth.add(std::log(after[i]), std::log(square[i]) / 2);
  }
  std::printf(
      "multistep-roundoff, slope of the energy a step, in its errors | %.1e | +- %.1e | %.2f | "
      "<= 3 | %s\n",
      mean, spread, std::abs(mean) / spread, std::abs(mean) <= 3 * spread ? "ok" : "short");
  std::printf(
      "multistep-roundoff, exponent of the growth with %.0e steps | %.2f | 0.5 | %.2f | <= 1.3 "
      "| %s\n",
      after.back(), growth.value(), growth.value() / 0.5, growth.value() <= 0.65 ? "ok" : "short");
}
