// What the analysis behind `rattleback check` costs on hanging chains of m links: time per
// constraint, against the same on a chain of 10. With anything of order m^2 in it the ratio would
// be m/10.
#include "figures.hpp"
#include "rattleback/geometry/analysis.hpp"

namespace {

using namespace rattleback;

/// Unit masses and rods in the plane, all x before all y.
SystemDescription chain(int links) {
  SystemDescription d;
  Graph& g = *d.graph;
  for (const char* axis : {"x", "y"})
    for (int i = 1; i <= links; ++i)
      d.coordinates.push_back(axis + ('[' + std::to_string(i)) + ']');
  d.mass.assign(2 * links, g.constant(1));
  d.potential = g.constant(0);
  for (int i = 0; i < links; ++i) {
    d.potential = g.add(d.potential, d.q(links + i));
    Expression sum = g.constant(-1);
    for (const int first : {0, links}) {
      const Expression rod = i == 0 ? d.q(first) : g.subtract(d.q(first + i), d.q(first + i - 1));
      sum = g.add(sum, g.multiply(rod, rod));
    }
    d.constraints.push_back(g.multiply(g.constant(0.5), sum));
  }
  return d;
}

State<double> start(int links) {
  State<double> z{Vector<double, dynamic>(2 * links), Vector<double, dynamic>(2 * links)};
  for (int i = 0; i < links; ++i) {
    z.q[i] = (i + 1) * std::sin(0.8);
    z.q[links + i] = -(i + 1) * std::cos(0.8);
  }
  z.p.setZero();
  return z;
}

double seconds_per_constraint(int links) {
  const SystemDescription system = chain(links);
  const State<double> z = start(links);
  bool right = false;
  const double t = bench::seconds([&] {
    const Analysis a = analyse(system, &z);
    right = a.well_posed && a.second_class == 2 * links;
  });
  return right ? t / links : std::nan("");
}

}  // namespace

int main(int argc, char** argv) {
  bench::Figures figures;
  for (const int links : {100, 1000})
    figures.add({.name = "check of " + std::to_string(links) + " constraints",
                 .ours = [links] { return seconds_per_constraint(links); },
                 .against = [] { return seconds_per_constraint(10); },
                 .goal = 2,
                 .repetitions = 5,
                 .unit = 1e6,
                 .unit_name = "us"});
  const int status = figures.run(argc, argv);
  if (argc == 1)
    for (const int links : {10, 100, 1000})
      std::printf("for information: check of %d constraints takes %.3g s\n", links,
                  seconds_per_constraint(links) * links);
  return status;
}
