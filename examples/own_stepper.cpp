// A method of your own: anything with step, reset and present is a stepper. This one is the
// triple jump: three RATTLE steps make one of order four.
#include <cmath>
#include <cstdio>
#include <rattleback/rattleback.hpp>

namespace rb = rattleback;

template <class Inner>
struct TripleJump {
  Inner inner;

  rb::MethodInfo info() const {
    auto i = inner.info();
    i.name = "triple jump of " + i.name;
    i.order = 4;
    return i;
  }
  template <class S, class Sys>
  auto stepper(const Sys& system) const {
    struct Stepper {
      decltype(inner.template stepper<S>(system)) core;
      rb::Status step(const Sys& sys, rb::StateOf<Sys, S>& z, const rb::Real<S>& h) {
        const double outer = 1 / (2 - std::cbrt(2.0)), middle = 1 - 2 * outer;
        int iterations = 0;
        for (double weight : {outer, middle, outer}) {
          rb::Status s = core.step(sys, z, weight * h);
          if (!s) return s;
          iterations += s.iterations;
        }
        return {rb::Outcome::ok, iterations};
      }
      void reset() { core.reset(); }
      rb::Status present(const Sys& sys, rb::StateOf<Sys, S>& z) { return core.present(sys, z); }
    };
    return Stepper{inner.template stepper<S>(system)};
  }
};

int main() {
  auto pendulum = rb::natural_system(
      rb::mass(1.0, 1.0), [](const auto& q) { return q[1]; },
      [](const auto& q) { return (q.squaredNorm() - 1) / 2; });
  const rb::State<double, 2> start{{1, 0}, {0, -2}};
  double last = 0;
  for (double h : {0.04, 0.02, 0.01}) {
    auto run = rb::integrate(pendulum, TripleJump<rb::Rattle<>>{}, start,
                             {.step = h, .time = 100, .every = 1});
    std::printf("h = %-5g energy error %.3e", h, run.energy_error);
    if (last > 0) std::printf("   observed order %.2f", std::log2(last / run.energy_error));
    std::printf("\n");
    last = run.energy_error;
  }
}
