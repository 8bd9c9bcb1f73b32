// Implicit steps against RATTLE over verlet on the same model in the same run, and how their cost
// grows with the size: the slope of log time over log size, fitted over three sizes.
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "figures.hpp"
#include "rattleback/expression/expression_system.hpp"
#include "rattleback/integrators/registry.hpp"
#include "rattleback/text/model.hpp"
#include "text_run.hpp"

namespace {

namespace rb = rattleback;

/// Links in a row, each with that potential.
std::string chain_in(int n, const std::string& potential) {
  return "[model]\nparameters = { N = " + std::to_string(n) +
         " }\n"
         "coordinates = [\"x[1..N]\", \"y[1..N]\"]\n"
         "mass = [1.0]\n"
         "potential = \"sum(i, 1, N, " +
         potential +
         ")\"\n"
         "constraints = [\"(x[1]^2 + y[1]^2 - 1)/2\",\n"
         "  \"each(i, 2, N, ((x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 - 1)/2)\"]\n"
         "[initial]\nq = { x = \"i*sin(0.8)\", y = \"-i*cos(0.8)\" }\n";
}
/// In a field that bends them.
std::string chain(int n) { return chain_in(n, "y[i] + 0.1*sin(x[i])"); }
const char* const double_pendulum = R"toml(
[model]
coordinates = ["x1", "y1", "x2", "y2"]
mass        = [1.0]
potential   = "y1 + y2 + 0.1*sin(x1)"
constraints = ["(x1^2 + y1^2 - 1)/2", "((x2 - x1)^2 + (y2 - y1)^2 - 1)/2"]
[initial]
q = [0.6, -0.8, 1.4, -1.4]
)toml";
/// Oscillators that turn their neighbours; the momentum of every fourth one is on a curve.
std::string mixed(int n) {
  return "[model]\nparameters = { N = " + std::to_string(n) + ", M = " + std::to_string(n / 4) +
         " }\n"
         "coordinates = [\"x[1..N]\"]\n"
         "hamiltonian = \"sum(i, 1, N, p_x[i]^2*(1 + 0.1*x[i]^2)/2 + x[i]^2) + "
         "sum(i, 1, N-1, 0.1*(x[i+1] - x[i])^4 + 0.1*x[i]*p_x[i+1])\"\n"
         "constraints = [\"each(i, 1, M, p_x[4*i] - x[4*i]^2/2)\"]\n"
         "[initial]\nq = { x = \"cos(i)\" }\np = { x = \"cos(i)^2/2\" }\n";
}

bench::Measure a_step(const std::string& text, const std::string& method, long steps,
                      double h = 0.01) {
  auto run = std::make_shared<bench::TextRun>(text, method, h);
  return [=] { return bench::seconds([&] { run->advance(steps); }) / static_cast<double>(steps); };
}

using Model = std::string (*)(int);

/// The slope of log time over log size. Steps are so short that few iterations do at every size.
bench::Measure exponent(Model model, const std::string& method, const std::vector<int>& sizes,
                        double h) {
  std::vector<bench::Measure> steps;
  for (const int n : sizes) steps.push_back(a_step(model(n), method, 20'000 / n + 1, h));
  return [=] {
    double x = 0, y = 0, xx = 0, xy = 0;
    const auto k = static_cast<double>(sizes.size());
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      double least = steps[i]();
      for (int again = 0; again < 4; ++again) least = std::min(least, steps[i]());
      const double a = std::log(sizes[i]), b = std::log(least);
      x += a, y += b, xx += a * a, xy += a * b;
    }
    return (k * xy - x * y) / (k * xx - x * x);
  };
}
/// Against that of verlet: both leave the caches as they grow.
bench::Figure growth(const std::string& name, Model model, const std::string& method,
                     const std::vector<int>& sizes, double h = 1e-3) {
  return {.name = name,
          .ours = exponent(model, method, sizes, h),
          .against = exponent(model, "rattle", sizes, h),
          .goal = 1.1,
          .repetitions = 3,
          .unit = 1,
          .unit_name = "(exponent)"};
}

bench::Figure against_verlet(const std::string& name, const std::string& text,
                             const std::string& method, long steps, double goal) {
  return {.name = name,
          .ours = a_step(text, method, steps),
          .against = a_step(text, "rattle", steps),
          .goal = goal,
          .repetitions = 9};
}

}  // namespace

int main(int argc, char** argv) {
  bench::Figures figures;
  const std::vector<int> large{100, 1'000, 10'000};
  struct Implicit {
    const char *name, *method;
    double goal;
  };
  const Implicit methods[] = {{"midpoint", "rattle:base=midpoint", 10},
                              {"gauss2", "rattle:base=gauss2", 30},
                              {"verlet-b", "rattle:base=verlet-b", 2},
                              {"variational midpoint", "variational:quadrature=midpoint", 10}};
  for (const auto& m : methods) {
    const std::string name = m.name;
    figures.add(against_verlet(name + " on a chain of 1000, by verlet", chain(1000), m.method, 100,
                               m.goal));
    figures.add(growth(name + " on chains to 10^4", chain, m.method, large));
  }
  // A force for each iteration, where it depends on the place; the step of verlet where it does
  // not.
  figures.add(against_verlet("verlet-b on a chain of 1000 in a uniform field, by verlet",
                             chain_in(1000, "y[i]"), "rattle:base=verlet-b", 100, 1.1));
  figures.add(against_verlet("verlet-b on a chain of 1000 on springs, by verlet",
                             chain_in(1000,
                                      "y[i] + 0.5*(x[i] - i*sin(0.8))^2 + "
                                      "0.1*(y[i] + i*cos(0.8))^4"),
                             "rattle:base=verlet-b", 100, 1.5));
  figures.add(against_verlet("midpoint on a double pendulum, by verlet", double_pendulum,
                             "rattle:base=midpoint", 20'000, 8));
  figures.add(growth("midpoint with mixed constraints", mixed, "rattle:base=midpoint",
                     {40, 400, 4'000}, 0.01));
  for (const auto& m : {Implicit{"gauss", "gauss:stages=2", 150}, Implicit{"avf", "avf", 120}}) {
    const std::string name = m.name;
    figures.add(
        against_verlet(name + " on a chain of 1000, by verlet", chain(1000), m.method, 20, m.goal));
    figures.add(growth(name + " on chains to 10^4", chain, m.method, large));
  }
  return figures.run(argc, argv);
}
