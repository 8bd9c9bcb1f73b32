// The chain against SUNDIALS IDA with KLU at matched error: IDA gets the loosest tolerance that is
// at least as accurate as our RATTLE at the step of the other chain figures. Errors are the largest
// of the positions, against a reference by Kahan and Li's composition of order 6.
#ifdef RATTLEBACK_BENCH_SUNDIALS

#include "baseline/chain_ida.hpp"

#include "chain_run.hpp"
#include "figures.hpp"

namespace {

namespace rb = rattleback;
using bench::hanging_chain;
using Position = rb::Vector<double, rb::dynamic>;

struct Case {
  int n;
  long steps;
  double h, end;
  Position reference;
  double error = 0;          // of ours
  double ida_tolerance = 0;  // the loosest that is as accurate
  double ida_error = 0;
};

template <class System>
double advance(const System& system, rb::State<double>& z, double h, long steps) {
  rb::SolveOptions options;
  options.tolerance = bench::relative_tolerance(baseline::Chain(system.bodies()), 1e-12);
  rb::NaturalConstrained<System, double> rattle(system, {}, options);
  bool ok = true;
  const double t = bench::seconds([&] {
    for (long k = 0; k < steps; ++k) ok &= bool(rattle.step(system, z, h, true));
  });
  return ok ? t : std::nan("");
}

/// Composition of order 6 with nine stages [Kahan, Li, Math. Comp. 66 (1997)].
Position reference(const Case& c) {
  constexpr double stage[9] = {
      0.39216144400731413928,  0.33259913678935943860, -0.70624617255763935981,
      0.082213596293550800230, 0.79854399093482996340, 0.082213596293550800230,
      -0.70624617255763935981, 0.33259913678935943860, 0.39216144400731413928};
  const auto system = hanging_chain(c.n);
  auto z = bench::start_of(baseline::Chain(c.n));
  rb::NaturalConstrained<std::decay_t<decltype(system)>, double> rattle(system);
  const long composed = 4 * c.steps;
  for (long k = 0; k < composed; ++k)
    for (double s : stage) {
      rattle.reset();
      if (!rattle.step(system, z, s * c.end / static_cast<double>(composed), true))
        return Position::Constant(2 * c.n, std::nan(""));
    }
  return z.q;
}

double ida_error(const Case& c, double tolerance, double* seconds = nullptr) {
  baseline::Chain chain(c.n);
  baseline::ChainIda ida(c.n);
  double t = 0;
  if (!ida.run(chain, c.end, tolerance, [&](auto&& work) { t = bench::seconds(work); }))
    return std::numeric_limits<double>::infinity();
  if (seconds) *seconds = t;
  double most = 0;
  for (int i = 0; i < c.n; ++i)
    most = std::max({most, std::abs(chain.x[i] - c.reference[2 * i]),
                     std::abs(chain.y[i] - c.reference[2 * i + 1])});
  return most;
}

Case prepare(int n, long steps) {
  Case c{.n = n, .steps = steps, .h = baseline::chain_step(n), .end = 0, .reference = {}};
  c.end = c.h * static_cast<double>(steps);
  c.reference = reference(c);
  auto z = bench::start_of(baseline::Chain(n));
  advance(hanging_chain(n), z, c.h, steps);
  c.error = (z.q - c.reference).cwiseAbs().maxCoeff();
  for (c.ida_tolerance = 1e-1; c.ida_tolerance > 1e-12; c.ida_tolerance /= 2) {
    c.ida_error = ida_error(c, c.ida_tolerance);
    if (c.ida_error <= c.error) break;
  }
  std::printf("chain of %d to t = %.3g: error of ours %.2g, of IDA %.2g at tolerance %.2g\n", n,
              c.end, c.error, c.ida_error, c.ida_tolerance);
  return c;
}

}  // namespace

int main(int argc, char** argv) {
  bench::Figures figures;
  for (auto [n, steps] : {std::pair{100, 200L}, {1000, 100L}}) {
    const std::string name = "chain of " + std::to_string(n) + " against IDA";
    bool wanted = argc == 1;
    for (int k = 1; k < argc; ++k) wanted = wanted || name.rfind(argv[k], 0) == 0;
    if (!wanted) continue;
    const Case c = prepare(n, steps);
    figures.add({.name = name,
                 .ours =
                     [c] {
                       auto z = bench::start_of(baseline::Chain(c.n));
                       return advance(hanging_chain(c.n), z, c.h, c.steps);
                     },
                 .against =
                     [c] {
                       double t = 0;
                       ida_error(c, c.ida_tolerance, &t);
                       return t;
                     },
                 .goal = 12,
                 .faster = true,
                 .repetitions = 7,
                 .unit = 1e3,
                 .unit_name = "ms"});
  }
  return figures.run(argc, argv);
}

#else

int main() {}

#endif
