// Chains of 10 to 10^6 links against a hand-written two-ended tridiagonal RATTLE: same start, same
// steps, same stopping tolerance, time per link and step after the first few steps.
#include "chain_run.hpp"
#include "figures.hpp"

namespace {

constexpr int warm_up = 3;

// Round-off of the coordinates, which grow with n, is what limits |g| for long chains.
double tolerance(int n) { return std::max(1e-12, 2e-15 * n); }
long steps_for(int n) { return std::max(12L, 1'000'000L / n); }

template <class System>
double ours(const System& system) {
  const int n = system.bodies();
  const baseline::Chain start(n);
  auto z = bench::start_of(start);
  rattleback::SolveOptions options;
  options.tolerance = bench::relative_tolerance(start, tolerance(n));
  rattleback::NaturalConstrained<System, double> rattle(system, {}, options);
  const double h = baseline::chain_step(n);
  bool ok = true;
  for (int k = 0; k < warm_up; ++k) ok &= bool(rattle.step(system, z, h, true));
  const long steps = steps_for(n);
  const double t = bench::seconds([&] {
    for (long k = 0; k < steps; ++k) ok &= bool(rattle.step(system, z, h, true));
  });
  return ok ? t / (static_cast<double>(steps) * n) : std::nan("");
}

double by_hand(int n) {
  baseline::Chain chain(n);
  baseline::ChainRattle rattle(n, tolerance(n));
  const double h = baseline::chain_step(n);
  for (int k = 0; k < warm_up; ++k) rattle.step(chain, h);
  const long steps = steps_for(n);
  const double t = bench::seconds([&] {
    for (long k = 0; k < steps; ++k) rattle.step(chain, h);
  });
  return rattle.failures == 0 ? t / (static_cast<double>(steps) * n) : std::nan("");
}

}  // namespace

int main(int argc, char** argv) {
  bench::Figures figures;
  for (int n : {10, 100, 1'000, 10'000, 100'000, 1'000'000})
    figures.add({.name = "chain of " + std::to_string(n),
                 .ours = [n] { return ours(bench::hanging_chain(n)); },
                 .against = [n] { return by_hand(n); },
                 .goal = 1.25,
                 .repetitions = n < 1'000'000 ? 15 : 7});
  const int status = figures.run(argc, argv);
  if (argc == 1)
    for (int n : {10, 1'000, 100'000}) {
      double t = 1;
      for (int k = 0; k < 5; ++k) t = std::min(t, ours(bench::hanging_chain_of_functions(n)));
      std::printf("for information: chain of %d, link given as a function: %.3g ns\n", n, t * 1e9);
    }
  return status;
}
