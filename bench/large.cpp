// Large models as text: from the text to the first step, and a step, for chains, nets of rods and
// trees, with the exponents by which they grow.
#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "figures.hpp"
#include "rattleback/expression/expression_system.hpp"
#include "rattleback/integrators/registry.hpp"
#include "rattleback/rattleback.hpp"
#include "rattleback/text/model.hpp"
#include "text_run.hpp"

namespace {

namespace rb = rattleback;

constexpr double h = 0.001;

std::string list(const std::vector<double>& values) {
  std::string text = "[";
  char number[32];
  for (const double x : values) {
    std::snprintf(number, sizeof number, "%.17g,", x);
    text += number;
  }
  return text + "]";
}

std::string model(const std::string& parameters, const std::string& bodies,
                  const std::string& constraints, const std::string& start) {
  return "[model]\nparameters = {" + parameters + "}\ncoordinates = [\"x[1.." + bodies +
         "]\", \"y[1.." + bodies + "]\"]\nmass = [1.0]\npotential = \"sum(i, 1, " + bodies +
         ", y[i])\"\nconstraints = [" + constraints + "]\n[initial]\n" + start;
}

std::string chain(int bodies) {
  return model("N = " + std::to_string(bodies), "N",
               "\"(x[1]^2 + y[1]^2 - 1)/2\","
               "\"each(i, 2, N, ((x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 - 1)/2)\"",
               "q = { x = \"i*sin(0.8)\", y = \"-i*cos(0.8)\" }\n");
}

/// k x k bodies with a rod to every neighbour; its columns move along themselves.
std::string net(int k) {
  std::vector<double> x, y, p;
  for (int i = 0; i < k; ++i)
    for (int j = 0; j < k; ++j) {
      x.push_back(j), y.push_back(-i);
      p.push_back(0.3 * std::sin(0.7 * j));
    }
  const auto rods = [](const std::string& to) {
    return "((x[(i-1)*k+j] - x[" + to + "])^2 + (y[(i-1)*k+j] - y[" + to + "])^2 - 1)/2";
  };
  return model(
      "k = " + std::to_string(k), "k*k",
      "\"each(i, 1, k, each(j, 2, k, " + rods("(i-1)*k+j-1") +
          "))\", \"each(i, 2, k, each(j, 1, k, " + rods("(i-2)*k+j") + "))\"",
      "q = {x = " + list(x) + ", y = " + list(y) + "}\np = {x = \"0\", y = " + list(p) + "}\n");
}

/// Body i hangs on body i/2.
std::string tree(int bodies) {
  std::vector<double> x{1}, y{0};
  for (int i = 2; i <= bodies; ++i) {
    const double slope = 0.3 + 0.01 * (i % 7);
    x.push_back(x[i / 2 - 1] + (i % 2 == 0 ? -1 : 1) * std::cos(slope));
    y.push_back(y[i / 2 - 1] - std::sin(slope));
  }
  const auto rods = [](const std::string& from) {
    return "\"each(i, 1, M, ((x[" + from + "] - x[i])^2 + (y[" + from + "] - y[i])^2 - 1)/2)\"";
  };
  return model("N = " + std::to_string(bodies) + ", M = " + std::to_string((bodies - 1) / 2), "N",
               "\"(x[1]^2 + y[1]^2 - 1)/2\"," + rods("2*i") + "," + rods("2*i+1"),
               "q = {x = " + list(x) + ", y = " + list(y) + "}\n");
}

struct Sample {
  double constraints, seconds;
};
using Sampler = std::function<Sample(int)>;

Sample first_step(const std::string& text) {
  double constraints = 0;
  const double t = bench::seconds([&] {
    bench::TextRun run(text, "rattle", h);
    run.advance(1);
    constraints = run.system.constraint_count();
  });
  return {constraints, t};
}
Sample a_step(const std::string& text, long steps) {
  bench::TextRun run(text, "rattle", h);
  run.advance(steps);
  double best = 1e300;
  for (int k = 0; k < 5; ++k)
    best = std::min(best, bench::seconds([&] { run.advance(steps); }) / static_cast<double>(steps));
  return {static_cast<double>(run.system.constraint_count()), best};
}

/// The slope of log(time) over log(constraints), by least squares.
double exponent(const Sampler& sample, const std::vector<int>& sizes) {
  double x = 0, y = 0, xx = 0, xy = 0;
  const auto n = static_cast<double>(sizes.size());
  for (const int size : sizes) {
    Sample s = sample(size);
    for (int k = 0; k < 2; ++k) s.seconds = std::min(s.seconds, sample(size).seconds);
    const double a = std::log(s.constraints), b = std::log(s.seconds);
    x += a, y += b, xx += a * a, xy += a * b;
  }
  return (n * xy - x * y) / (n * xx - x * x);
}

bench::Figure exponent_figure(const std::string& name, Sampler sample, std::vector<int> sizes,
                              double limit) {
  return {.name = name,
          .ours = [=] { return exponent(sample, sizes); },
          .against = [=] { return limit; },
          .goal = 1,
          .repetitions = 1,
          .unit = 1,
          .unit_name = "(exponent)"};
}
bench::Figure seconds_figure(const std::string& name, std::string text, double limit) {
  return {.name = name,
          .ours = [=] { return first_step(text).seconds; },
          .against = [=] { return limit; },
          .goal = 1,
          .repetitions = 3,
          .unit = 1,
          .unit_name = "s"};
}
bench::Figure step_figure(const std::string& name, std::string text, long steps, double limit) {
  return {.name = name,
          .ours =
              [=] {
                const Sample s = a_step(text, steps);
                return s.seconds / s.constraints;
              },
          .against = [=] { return limit; },
          .goal = 1,
          .repetitions = 3};
}

}  // namespace

int main(int argc, char** argv) {
  bench::Figures figures;
  const auto to_first_step = [](auto text) {
    return [=](int size) { return first_step(text(size)); };
  };
  const auto steps = [](auto text) { return [=](int size) { return a_step(text(size), 10); }; };
  figures.add(seconds_figure("text of a chain of 10^4 to its first step", chain(10'000), 0.5));
  figures.add(seconds_figure("text of a chain of 10^5 to its first step", chain(100'000), 5));
  figures.add(exponent_figure("text of a chain of 10^3, 10^4, 10^5 to its first step",
                              to_first_step(chain), {1000, 10'000, 100'000}, 1.1));
  figures.add(seconds_figure("text of a net of 50 x 50 to its first step", net(50), 4));
  figures.add(seconds_figure("text of a net of 100 x 100 to its first step", net(100), 15));
  figures.add(exponent_figure("text of nets of 20, 30, 50, 100 to the first step",
                              to_first_step(net), {20, 30, 50, 100}, 1.1));
  figures.add(step_figure("net of 50 x 50, a step and constraint", net(50), 20, 0.5e-6));
  figures.add(
      exponent_figure("nets of 20, 30, 50, 100, a step", steps(net), {20, 30, 50, 100}, 1.5));
  figures.add(step_figure("tree of 1023, a step and constraint", tree(1023), 100, 60e-9));
  figures.add(step_figure("tree of 16383, a step and constraint", tree(16383), 20, 60e-9));
  // Up to 2047 links the factors are straight-line code, beyond that fronts, 20 ns a link more: an
  // exponent over both would be that of the exchange.
  figures.add(exponent_figure("trees of 4095, 16383, 65535, a step by fronts", steps(tree),
                              {4095, 16383, 65535}, 1.1));
  return figures.run(argc, argv);
}
