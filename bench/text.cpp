// Models as text against the same systems in C++ with automatic derivatives: a RATTLE step, and the
// time from the text to the first step.
#include <array>
#include <memory>
#include <optional>
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

constexpr double h = 0.01;

const char* const pendulum_text = R"toml(
[model]
coordinates = ["x", "y"]
mass        = [1.0, 1.0]
potential   = "y"
constraints = ["(x^2 + y^2 - 1)/2"]
[initial]
q = [1, 0]
p = [0, -2]
)toml";
const char* const double_pendulum_text = R"toml(
[model]
coordinates = ["x1", "y1", "x2", "y2"]
mass        = [1.0]
potential   = "y1 + y2"
constraints = ["(x1^2 + y1^2 - 1)/2", "((x2 - x1)^2 + (y2 - y1)^2 - 1)/2"]
[initial]
q = [0.6, -0.8, 1.4, -1.4]
)toml";
const char* const chain_text = R"toml(
[model]
parameters  = { N = 100 }
coordinates = ["x[1..N]", "y[1..N]"]
mass        = [1.0]
potential   = "sum(i, 1, N, y[i])"
constraints = ["(x[1]^2 + y[1]^2 - 1)/2",
               "each(i, 2, N, ((x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 - 1)/2)"]
[initial]
q = { x = "i*sin(0.8)", y = "-i*cos(0.8)" }
)toml";

auto double_pendulum() {
  return rb::natural_system(
      rb::mass(1.0, 1.0, 1.0, 1.0), [](const auto& q) { return q[1] + q[3]; },
      []<class Q>(const Q& q) {
        using S = typename Q::Scalar;
        const S x = q[2] - q[0], y = q[3] - q[1];
        return std::array<S, 2>{S((q[0] * q[0] + q[1] * q[1] - 1) / 2), S((x * x + y * y - 1) / 2)};
      });
}

template <class Sys>
struct TypedRun {
  Sys system;
  rb::StateOf<Sys, double> z;
  decltype(rb::Rattle<>{}.stepper<double>(std::declval<const Sys&>())) stepper =
      rb::Rattle<>{}.stepper<double>(system);
  void advance(long steps) {
    if (!rb::advance(stepper, system, z, h, steps).status) throw rb::Error("a step failed");
  }
};

template <class Run>
bench::Measure a_step(std::shared_ptr<Run> run, long steps) {
  return [=] { return bench::seconds([&] { run->advance(steps); }) / static_cast<double>(steps); };
}

template <class Sys>
bench::Figure step_figure(const char* name, const char* text, Sys system, long steps) {
  auto ours = std::make_shared<bench::TextRun>(text, "rattle", h);
  rb::StateOf<Sys, double> z{ours->z.q, ours->z.p};
  if constexpr (requires { Sys::space; })  // bodies in a row: x, y of the first, of the second, ...
    for (int i = 0, n = system.bodies(); i < n; ++i)
      for (int c = 0; c < 2; ++c) z.q[2 * i + c] = ours->z.q[c * n + i];
  auto against = std::make_shared<TypedRun<Sys>>(TypedRun<Sys>{std::move(system), z});
  return {.name = name,
          .ours = a_step(ours, steps),
          .against = a_step(against, steps),
          .goal = 1.3,
          .repetitions = 25};
}

/// A pack of pendulums, each with its length and its strength of gravity.
namespace packs {

using rb::Pack;
constexpr int lanes = rb::ScalarTraits<Pack>::lanes;
constexpr long steps = 20'000;
double length(int lane) { return 1.1 + 0.05 * lane; }
double gravity(int lane) { return 0.81 + 0.01 * lane; }  // 1 would be another shape: no factor

template <int N>
rb::State<Pack, N> start() {
  rb::State<Pack, N> z{rb::Vector<Pack, N>(2), rb::Vector<Pack, N>(2)};
  for (int i = 0; i < lanes; ++i) z.q[0].set(i, length(i)), z.p[1].set(i, -2);
  z.q[1] = z.p[0] = Pack(0);
  return z;
}

struct Text {
  Text() {
    for (int i = 0; i < lanes; ++i) {
      const std::string l = std::to_string(length(i)), g = std::to_string(gravity(i));
      const auto model = rb::parse_model(
          "[model]\ncoordinates = [\"x\", \"y\"]\nmass = [1.0]\n"
          "potential = \"" +
              g +
              "*y\"\n"
              "constraints = [\"(x^2 + y^2 - " +
              l + "^2)/2\"]\n",
          "bench");
      members.push_back(rb::expression_system(model.system));
    }
    std::vector<const rb::AnySystem*> pointers;
    for (const auto& member : members) pointers.push_back(&member);
    system.emplace(rb::packed_system(pointers));
    stepper = rb::find_method("rattle").stepper<Pack>(*system);
  }
  void advance(long count) {
    if (!stepper->advance(*system, z, h, count).status) throw rb::Error("a step failed");
  }
  std::vector<rb::AnySystem> members;
  std::optional<rb::AnySystem> system;
  rb::AnyStepperPointer<Pack> stepper;
  rb::State<Pack> z = start<rb::dynamic>();
};

auto typed_system() {
  Pack l, g;
  for (int i = 0; i < lanes; ++i) l.set(i, length(i)), g.set(i, gravity(i));
  return rb::natural_system(
      rb::mass(1.0, 1.0), [g](const auto& q) { return q[1] * g; },
      [l](const auto& q) { return (q[0] * q[0] + q[1] * q[1] - l * l) / 2; });
}
struct Typed {
  decltype(typed_system()) system = typed_system();
  decltype(rb::Rattle<>{}.stepper<Pack>(system)) stepper = rb::Rattle<>{}.stepper<Pack>(system);
  rb::State<Pack, 2> z = start<2>();
  void advance(long count) {
    if (!rb::advance(stepper, system, z, h, count).status) throw rb::Error("a step failed");
  }
};

template <class Run>
bench::Measure a_step_and_copy() {
  return [run = std::make_shared<Run>()] {
    return bench::seconds([&] { run->advance(steps); }) / static_cast<double>(steps * lanes);
  };
}

bench::Figure figure() {
  return {.name = "pendulums from text in packs, a copy",
          .ours = a_step_and_copy<Text>(),
          .against = a_step_and_copy<Typed>(),
          .goal = 1.3,
          .repetitions = 25};
}

}  // namespace packs

bench::Figure first_step_figure(const char* name, const char* text, double limit) {
  return {
      .name = name,
      .ours = [=] { return bench::seconds([&] { bench::TextRun(text, "rattle", h).advance(1); }); },
      .against = [=] { return limit; },
      .goal = 1,
      .unit = 1e3,
      .unit_name = "ms"};
}

}  // namespace

int main(int argc, char** argv) {
  bench::Figures figures;
  figures.add(step_figure("pendulum from text", pendulum_text,
                          rb::natural_system(
                              rb::mass(1.0, 1.0), [](const auto& q) { return q[1]; },
                              [](const auto& q) { return (q.squaredNorm() - 1) / 2; }),
                          50'000));
  figures.add(
      step_figure("double pendulum from text", double_pendulum_text, double_pendulum(), 20'000));
  figures.add(step_figure("chain of 100 from text", chain_text,
                          rb::chain_system<2>(100, [](const auto& x) { return x[1]; }), 1'000));
  figures.add(packs::figure());
  figures.add(first_step_figure("text of a pendulum to its first step", pendulum_text, 0.05));
  figures.add(first_step_figure("text of a chain of 100 to its first step", chain_text, 1));
  return figures.run(argc, argv);
}
