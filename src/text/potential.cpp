// [[potential]] of mechanisms: an energy in the places of points of bodies. Forces on the points
// are minus its derivatives, compiled; those on a body act at its points.
#include "rattleback/expression/compiled_function.hpp"
#include "rattleback/expression/derivative.hpp"
#include "reader.hpp"

namespace rattleback::text {

namespace {

/// Input a n + i is coordinate a of point i of n.
class CompiledPotential {
 public:
  CompiledPotential(Graph& graph, Expression energy, std::vector<Vector3> points)
      : points_(std::move(points)), places_(3 * points_.size()), slopes_(places_.size()) {
    const int inputs = static_cast<int>(places_.size());
    std::vector<Program::Output> outputs{{1, 0, energy}};
    for (const GradientEntry& entry : gradient(graph, energy, 0, inputs))
      outputs.push_back({0, entry.input, entry.value});
    function_ = CompiledFunction(graph, inputs, outputs);
  }
  const std::vector<double>& places(std::span<const BodyPose> bodies) {
    const std::size_t n = points_.size();
    for (std::size_t i = 0; i < n; ++i) {
      const Vector3 place = bodies[i].position + bodies[i].rotation * points_[i];
      for (std::size_t a = 0; a < 3; ++a) places_[a * n + i] = place[static_cast<int>(a)];
    }
    return places_;
  }
  double operator()(std::span<const BodyPose> bodies, std::span<Wrench> wrenches) {
    const std::size_t n = points_.size();
    double energy = 0;
    function_(places(bodies).data(), places_.data(), slopes_.data(), &energy);
    for (std::size_t i = 0; i < n; ++i) {
      const Vector3 force(-slopes_[i], -slopes_[n + i], -slopes_[2 * n + i]);
      wrenches[i].force += force;
      wrenches[i].torque += lie::cross<double>(points_[i], bodies[i].rotation.transpose() * force);
    }
    return energy;
  }

 private:
  std::vector<Vector3> points_;
  std::vector<double> places_, slopes_;  // what it does not depend on stays zero
  CompiledFunction function_;
};

}  // namespace

Potential Reader::read_potential(const Toml& table, const Mechanism& mechanism,
                                 const Names& names) {
  allow_keys(table, "[[potential]]", {"name", "bodies", "points", "energy"});
  Potential potential;
  if (const auto* name = table.find("name")) potential.name = text_of(*name);
  for (const char* needed : {"bodies", "energy"})
    if (!table.find(needed)) fail(table.position, "a [[potential]] needs " + in_quotes(needed));
  const Toml::Entry& bodies = *table.find("bodies");
  potential.bodies.resize(require(bodies, Toml::Type::list, "a list of names").items.size());
  if (potential.bodies.empty()) fail(bodies.value.position, "'bodies' names none");
  read_bodies(bodies, mechanism, names, potential.bodies);
  std::vector<Vector3> points(potential.bodies.size(), Vector3::Zero());
  if (const auto* entry = table.find("points")) read_points(*entry, points);
  return compile_potential(*table.find("energy"), mechanism, std::move(potential),
                           std::move(points));
}

Potential Reader::compile_potential(const Toml::Entry& energy, const Mechanism& mechanism,
                                    Potential potential, std::vector<Vector3> points) {
  const auto n = static_cast<int>(points.size());
  Scope scope = scope_;
  int first = 0;
  for (const char* axis : {"x", "y", "z"}) {
    const std::string wrong = scope.declare(
        axis, {.kind = Symbol::coordinate, .is_family = n > 1, .upper = n, .first = first});
    if (!wrong.empty())
      fail(energy.position, wrong + ", and a potential needs x, y, z for the places of its points");
    first += n;
  }
  const std::string& written = require(energy, Toml::Type::string, "an expression").string;
  const Code code =
      parse_expression({&source_, written, energy.value.position}, scope,
                       {.what = "a potential", .kinds = Symbol::parameter | Symbol::coordinate});
  Graph graph;
  CompiledPotential compiled(graph, Expander(budget_, graph).expression(code), std::move(points));
  std::vector<BodyPose> start;
  for (const std::string& name : potential.bodies) {
    const int body = mechanism.index(name);
    start.emplace_back();
    if (body < 0) continue;
    const Body& of = mechanism.bodies[static_cast<std::size_t>(body)];
    start.back() = {of.orientation.matrix(), of.position};
  }
  Expander(budget_, compiled.places(start)).value(code);  // fails where it has no slope
  potential.energy = std::move(compiled);
  return potential;
}

}  // namespace rattleback::text
