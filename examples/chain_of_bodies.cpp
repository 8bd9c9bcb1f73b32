// A hanging chain of 100 bodies on ball joints, at a step as large as 0.01: its joints stay closed
// and its energy stays.  chain_of_bodies FILE writes its shapes for docs/images/mechanisms.gp.
#include <cmath>
#include <cstdio>
#include <rattleback/integrators/run_motion.hpp>
#include <rattleback/multibody/mechanism_motion.hpp>

namespace rb = rattleback;

/// Links of length 1, held out at a slant and let go.
rb::Mechanism hanging_chain(int links) {
  rb::Mechanism m{.name = "chain", .gravity = {0, 0, -9.81}};
  const double length = 1, slant = 1.2;
  const rb::Vector3 along(length * std::sin(slant), 0, -length * std::cos(slant)),
      half(0, 0, length / 2);
  for (int i = 0; i < links; ++i) {
    const std::string name = "link" + std::to_string(i + 1);
    m.add(rb::Body{.name = name,
                   .mass = 1,
                   .inertia = rb::diagonal(0.085, 0.085, 0.005),
                   .position = (i + 0.5) * along,
                   .orientation = rb::lie::SO3<double>::exp({0, -slant, 0})});
    m.add(rb::Joint{.type = rb::JointType::ball,
                    .bodies = {i == 0 ? "world" : m.bodies[m.bodies.size() - 2].name, name},
                    .points = {i == 0 ? rb::Vector3(0, 0, 0) : rb::Vector3(-half), half}});
  }
  return m;
}

int main(int count, char** arguments) {
  const rb::Mechanism chain = hanging_chain(100);
  const auto motion = rb::mechanism_motion(chain, rb::find_mechanism_method("rattlie"));
  const auto run = rb::run_motion(*motion, {.step = 0.01, .steps = 1000, .every = 50});
  std::printf("%s", run.summary().c_str());
  std::printf("per body and step  %.3g us\n", 1e6 * run.seconds / (1000.0 * 100));
  if (count < 2) return 0;
  std::FILE* file = std::fopen(arguments[1], "w");
  if (!file) return 1;
  for (std::size_t k = 0; k < 15 && k < run.states.size(); ++k) {
    std::fprintf(file, "0 0\n");
    for (const rb::Body& body : rb::bodies_of(chain, run.states[k])) {
      const rb::Vector3 end = body.position + body.orientation(rb::Vector3(0, 0, -0.5));
      std::fprintf(file, "%.4f %.4f\n", end[0], end[2]);
    }
    std::fprintf(file, "\n\n");
  }
  return std::fclose(file);
}
