// What the analysis behind `rattleback check` costs on hanging chains of m links: time per
// constraint, against the same on a chain of 10. With anything of order m^2 in it the ratio would
// be m/10. Then its growth on chains, trees and rings, and that of a consistent start, as exponents
// over three sizes.
#include <functional>

#include "figures.hpp"
#include "rattleback/geometry/analysis.hpp"
#include "rattleback/geometry/sparse_start.hpp"

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

/// Rod i joins mass i with the one that `other` names; masses on the unit circle or hanging.
SystemDescription rods(int masses, const std::function<int(int)>& other) {
  SystemDescription d = chain(masses);
  Graph& g = *d.graph;
  d.constraints.clear();
  for (int i = 0; i < masses; ++i) {
    const int j = other(i);
    Expression sum = g.constant(-1);
    for (const int first : {0, masses}) {
      const Expression rod = j < 0 ? d.q(first + i) : g.subtract(d.q(first + i), d.q(first + j));
      sum = g.add(sum, g.multiply(rod, rod));
    }
    d.constraints.push_back(g.multiply(g.constant(0.5), sum));
  }
  return d;
}
SystemDescription tree(int masses) {
  return rods(masses, [](int i) { return (i + 1) / 2 - 1; });
}
SystemDescription ring(int masses) {
  return rods(masses, [masses](int i) { return (i + 1) % masses; });
}
/// Of a tree: each rod at an angle of its own.
State<double> tree_start(int masses) {
  State<double> z{Vector<double, dynamic>(2 * masses), Vector<double, dynamic>::Zero(2 * masses)};
  for (int i = 0; i < masses; ++i) {
    const int parent = (i + 1) / 2 - 1;
    const double angle = std::sin(1.7 * i);
    z.q[i] = (parent < 0 ? 0 : z.q[parent]) + std::sin(angle);
    z.q[masses + i] = (parent < 0 ? 0 : z.q[masses + parent]) - std::cos(angle);
  }
  return z;
}
State<double> ring_start(int masses) {
  State<double> z{Vector<double, dynamic>(2 * masses), Vector<double, dynamic>::Zero(2 * masses)};
  const double pi = std::acos(-1.0), radius = 0.5 / std::sin(pi / masses);
  for (int i = 0; i < masses; ++i) {
    z.q[i] = radius * std::cos(2 * pi * i / masses);
    z.q[masses + i] = radius * std::sin(2 * pi * i / masses);
  }
  return z;
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

double seconds_of_check(const SystemDescription& system, const State<double>& z) {
  bool right = false;
  const double t = bench::seconds([&] {
    const Analysis a = analyse(system, &z);
    right = a.well_posed && a.second_class == 2 * a.constraints;
  });
  return right ? t : std::nan("");
}
double seconds_of_projection(int masses) {
  const CanonicalSystem form = canonical(ring(masses));
  State<double> z = ring_start(masses);
  z.q.head(masses) *= 1 + 1e-3;
  for (int i = 0; i < 2 * masses; ++i) z.p[i] = std::sin(3.0 * i);
  bool found = false;
  const double t = bench::seconds([&] { found = sparse_consistent(form, z).has_value(); });
  return found ? t : std::nan("");
}

/// Least squares of log(seconds) by log(size).
void print_exponent(const std::string& name, const std::vector<int>& sizes, double goal,
                    const std::function<double(int)>& seconds) {
  double x = 0, y = 0, xx = 0, xy = 0;
  std::string times;
  for (const int size : sizes) {
    double least = std::numeric_limits<double>::infinity();
    for (int k = 0; k < 3; ++k)
      if (const double t = seconds(size); !(t >= least)) least = t;
    const double a = std::log(size), b = std::log(least);
    x += a, y += b, xx += a * a, xy += a * b;
    char text[60];
    std::snprintf(text, sizeof text, "%s%d: %.3g s", times.empty() ? "" : ", ", size, least);
    times += text;
  }
  const auto n = static_cast<double>(sizes.size());
  const double exponent = (n * xy - x * y) / (n * xx - x * x);
  std::printf("%s, exponent | %.3g | linear 1 | %.3g | <= %g | %s\n", name.c_str(), exponent,
              exponent, goal, exponent <= goal ? "ok" : "short");
  std::printf("for information: %s: %s\n", name.c_str(), times.c_str());
  std::fflush(stdout);
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
  if (argc == 1) {
    print_exponent("check of chains", {1000, 4000, 16000}, 1.2,
                   [](int m) { return seconds_of_check(chain(m), start(m)); });
    print_exponent("check of trees", {1000, 4000, 16000}, 1.2,
                   [](int m) { return seconds_of_check(tree(m), tree_start(m)); });
    print_exponent("check of rings", {1000, 4000, 16000}, 1.2,
                   [](int m) { return seconds_of_check(ring(m), ring_start(m)); });
    print_exponent("project = true on rings", {1000, 10'000, 100'000}, 1.2, seconds_of_projection);
  }
  if (argc == 1)
    for (const int links : {10, 100, 1000})
      std::printf("for information: check of %d constraints takes %.3g s\n", links,
                  seconds_per_constraint(links) * links);
  return status;
}
