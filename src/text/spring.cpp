// [[spring]] and [[coupling]] of mechanisms, all forces, and what they have in common with
// [[joint]].
#include <algorithm>
#include <cmath>

#include "../problem/suggest.hpp"
#include "reader.hpp"

namespace rattleback::text {

void Reader::read_forces(Mechanism& mechanism, const Names& names) {
  for (const Toml& table : list_of_tables("spring").items)
    mechanism.add(read_spring(table, mechanism, names));
  for (const Toml& table : list_of_tables("coupling").items)
    mechanism.add(read_coupling(table, mechanism));
  for (const Toml& table : list_of_tables("potential").items)
    mechanism.add(read_potential(table, mechanism, names));
}

const Toml& Reader::list_of(const Toml::Entry& entry, std::size_t count) {
  require(entry, Toml::Type::list, count == 2 ? "a list of two" : "a list");
  if (entry.value.items.size() != count)
    fail(entry.value.position, in_quotes(entry.key) + " must have " +
                                   counted(count, "entry", "entries") + ", not " +
                                   std::to_string(entry.value.items.size()));
  return entry.value;
}

std::string Reader::body_name(const Toml& value, const Mechanism& mechanism, const Names& names) {
  std::string name = text_of({"bodies", value.position, value});
  if (names.contains(name)) return name;
  try {
    (void)mechanism.index(name);
  } catch (const InputError& error) {
    fail(value.position, error.reason());
  }
  return name;
}

void Reader::read_bodies(const Toml::Entry& entry, const Mechanism& mechanism, const Names& names,
                         std::span<std::string> bodies) {
  auto to = bodies.begin();
  for (const Toml& name : list_of(entry, bodies.size()).items)
    *to++ = body_name(name, mechanism, names);
}

void Reader::read_points(const Toml::Entry& entry, std::span<Vector3> points) {
  auto to = points.begin();
  for (const Toml& point : list_of(entry, points.size()).items) {
    const auto p = numbers(point, 3, "a point");
    *to++ = {p[0], p[1], p[2]};
  }
}

/// The name of a joint with one number: revolute or prismatic.
std::string Reader::measured_joint(const Toml& value, const Mechanism& mechanism,
                                   const std::string& what) {
  std::string name = text_of({"joint", value.position, value});
  std::vector<std::string> known;
  for (const Joint& j : mechanism.joints)
    if (!j.name.empty()) known.push_back(j.name);
  const auto found = std::find_if(mechanism.joints.begin(), mechanism.joints.end(),
                                  [&](const Joint& j) { return j.name == name; });
  if (name.empty() || found == mechanism.joints.end())
    fail(value.position, "there is no joint " + in_quotes(name) + detail::suggestion(name, known));
  if (found->type != JointType::revolute && found->type != JointType::prismatic)
    fail(value.position,
         what + " revolute and prismatic joints; this is a " + mechanism.label(*found));
  return name;
}

Coupling Reader::read_coupling(const Toml& table, const Mechanism& mechanism) {
  allow_keys(table, "[[coupling]]", {"name", "joints", "coefficients", "start"});
  Coupling coupling;
  if (const auto* name = table.find("name")) coupling.name = text_of(*name);
  const auto* joints = table.find("joints");
  if (!joints) fail(table.position, "a [[coupling]] needs 'joints'");
  auto to = coupling.joints.begin();
  for (const Toml& joint : list_of(*joints, 2).items)
    *to++ = measured_joint(joint, mechanism, "a coupling is between");
  if (coupling.joints[0] == coupling.joints[1])
    fail(joints->value.position, "a coupling must be between two different joints");
  if (const auto* entry = table.find("coefficients")) {
    require(*entry, Toml::Type::list, "a list of numbers");
    coupling.coefficients = numbers(entry->value, entry->value.items.size(), "'coefficients'");
  }
  if (const auto* entry = table.find("start")) {
    const auto start = numbers(entry->value, 2, "'start'");
    coupling.start = {start[0], start[1]};
  }
  return coupling;
}

Spring Reader::read_spring(const Toml& table, const Mechanism& mechanism, const Names& names) {
  allow_keys(table, "[[spring]]", {"name", "bodies", "points", "joint", "stiffness", "rest"});
  Spring spring;
  if (const auto* name = table.find("name")) spring.name = text_of(*name);
  const auto *bodies = table.find("bodies"), *points = table.find("points"),
             *joint = table.find("joint");
  if (!bodies == !joint)
    fail(table.position, "a [[spring]] needs either 'bodies' or the name of a 'joint'");
  if (joint && points) fail(points->position, "a spring of a joint has no 'points'");
  if (bodies) read_bodies(*bodies, mechanism, names, spring.bodies);
  if (bodies && spring.bodies[0] == spring.bodies[1])
    fail(bodies->value.position, "a spring must connect two different bodies");
  if (points) read_points(*points, spring.points);
  if (joint) spring.joint = measured_joint(joint->value, mechanism, "a spring acts on");
  const auto* stiffness = table.find("stiffness");
  if (!stiffness) fail(table.position, "a [[spring]] has no 'stiffness'");
  spring.stiffness = number(*stiffness);
  if (const auto* rest = table.find("rest")) spring.rest = number(*rest);
  for (const auto& [value, entry] :
       {std::pair{spring.stiffness, stiffness}, std::pair{spring.rest, table.find("rest")}})
    if (!std::isfinite(value))
      fail(entry->value.position, in_quotes(entry->key) + " is not finite");
  if (bodies && spring.rest < 0)
    fail(table.find("rest")->value.position,
         "'rest' is a length and must not be negative: " + detail::quote(spring.rest));
  return spring;
}

}  // namespace rattleback::text
