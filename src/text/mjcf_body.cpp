#include <algorithm>
#include <cmath>

#include "mjcf.hpp"

namespace rattleback::text {

namespace {

constexpr int deepest_body = 500;

}  // namespace

/// What is directly in a body, through <frame>s, which only move what they hold.
void MjcfReader::gather(const Element& element, const Placement& frame, const std::string& style,
                        int depth, BodyParts& to) {
  if (depth > deepest_body) element.fail("elements are nested more than 500 deep");
  for (const Element& child : children(element)) {
    const std::string_view name = child.name();
    const Part part{child, frame, style};
    if (name == "joint" || name == "freejoint") {
      to.joints.push_back(part);
    } else if (name == "geom") {
      to.geoms.push_back(part);
    } else if (name == "site") {
      to.sites.push_back(part);
    } else if (name == "body") {
      to.bodies.push_back(part);
    } else if (name == "inertial") {
      if (to.inertial) child.fail("there is more than one <inertial>");
      to.inertial = child;
      to.inertial_frame = frame;
    } else if (name == "frame") {
      gather(child, frame * frame_of(Styled(child, {})),
             child.has("childclass") ? child.text("childclass") : style, depth + 1, to);
    } else if (name == "attach" || name == "replicate" || name == "composite" ||
               name == "flexcomp") {
      child.fail("<" + std::string(name) + "> is not read; write its bodies out");
    }
  }
}

void MjcfReader::read_world(const Element& world) {
  BodyParts parts;
  gather(world, {}, world.text("childclass"), 0, parts);
  if (!parts.joints.empty()) parts.joints[0].element.fail("the world has no joints");
  read_contents(parts, 0, 0);
}

/// Sites, shapes that may touch, and bodies.
void MjcfReader::read_contents(const BodyParts& parts, int link, int depth) {
  for (const Part& site : parts.sites)
    if (site.element.has("name"))
      sites_[site.element.text("name")] = {
          link, site.frame * frame_of(styled(site.element, "site", site.style))};
  for (const Part& part : parts.geoms) {
    const Styled geom = styled(part.element, "geom", part.style);
    const Collider own{weld_[static_cast<std::size_t>(link)],
                       static_cast<int>(geom.number("contype", 1)),
                       static_cast<int>(geom.number("conaffinity", 1)), part.element};
    const bool known = std::any_of(colliders_.rbegin(), colliders_.rend(),
                                   [&](const Collider& c) { return c.key() == own.key(); });
    if (!known && (own.type != 0 || own.affinity != 0)) colliders_.push_back(own);
  }
  for (const Part& body : parts.bodies) read_body(body, link, depth + 1);
}

std::string MjcfReader::joint_name(const Element& element, const std::string& body) {
  std::string name = element.text("name");
  const bool given = !name.empty();
  if (!given) name = body + "_joint";
  for (int k = 2; joints_.contains(name); ++k) {
    if (given) element.fail("name", "there is more than one joint " + in_quotes(name));
    name = body + "_joint" + std::to_string(k);
  }
  return name;
}

void MjcfReader::read_body(const Part& part, int parent, int depth) {
  const Element& element = part.element;
  if (depth > deepest_body) element.fail("bodies are nested more than 500 deep");
  Robot::Link link{.name = element.text("name")};
  if (link.name.empty()) {
    std::size_t k = robot_.links.size();
    do link.name = "body" + std::to_string(k++);
    while (bodies_.contains(link.name));
  }
  if (bodies_.contains(link.name))
    element.fail("name", "there is more than one body " + in_quotes(link.name));
  bodies_[link.name] = -1;
  const std::string style = element.has("childclass") ? element.text("childclass") : part.style;
  BodyParts parts;
  gather(element, {}, style, depth, parts);
  if (element.text("mocap") == "true")
    notes_.push_back(element.where() + ": body " + in_quotes(link.name) +
                     " is moved by motion capture; it rests here");
  if (element.number("gravcomp").value_or(0) != 0)
    drops_.found("actuators", element,
                 "body " + in_quotes(link.name) + " has its weight carried ('gravcomp')");
  const bool rests = parts.joints.empty() && weld_[static_cast<std::size_t>(parent)] == 0;
  read_inertia(parts, rests, link);

  Placement origin = part.frame * frame_of(Styled(element, {}));
  const std::string name = link.name;
  const bool moves = !parts.joints.empty();
  parent = read_joints(parts.joints, name, origin, parent);
  const auto own = static_cast<int>(robot_.links.size());
  bodies_[name] = own;
  robot_.links.push_back(std::move(link));
  if (moves) {
    robot_.joints.back().child = own;
    weld_.push_back(static_cast<int>(weld_parent_.size()));
    weld_parent_.push_back(weld_[static_cast<std::size_t>(parent)]);
  } else {
    robot_.joints.push_back(
        {.name = name, .parent = parent, .child = own, .origin = origin, .where = element.where()});
    weld_.push_back(weld_[static_cast<std::size_t>(parent)]);
  }
  read_contents(parts, own, depth);
}

/// The number of the link that the last one moves the body against is returned.
int MjcfReader::read_joints(const std::vector<Part>& joints, const std::string& body,
                            Placement& origin, int parent) {
  for (std::size_t k = 0; k < joints.size(); ++k) {
    const Part& joint = joints[k];
    const bool last = k + 1 == joints.size();
    if (joint.element.name() == "freejoint" ||
        styled(joint.element, "joint", joint.style).text("type") == "free") {
      if (joints.size() > 1 || parent != 0)
        joint.element.fail("a free joint must be alone, in a body directly in the world");
      Robot::Joint free{.name = joint.element.text("name"), .type = CoordinateType::floating};
      if (joint.element.name() == "joint")
        find_forces(styled(joint.element, "joint", joint.style), free);
      read_free(joint.element, body, origin, parent);
      break;
    }
    parent = add_joint(joint, body, origin, parent, last);
    origin = {};
  }
  return parent;
}

void MjcfReader::read_free(const Element& element, const std::string& body, const Placement& origin,
                           int parent) {
  const auto& [x, r] = origin;
  Robot::Joint joint{.name = joint_name(element, body),
                     .type = CoordinateType::floating,
                     .parent = parent,
                     .drawn = {x[0], x[1], x[2], r.w, r.v[0], r.v[1], r.v[2]},
                     .where = element.where()};
  joints_[joint.name] = static_cast<int>(robot_.joints.size());
  robot_.joints.push_back(std::move(joint));
}

/// Joints of one body move one after the other: between two of them is a link without mass. Its
/// number is returned; behind the last one comes the body itself.
int MjcfReader::add_joint(const Part& part, const std::string& body, const Placement& origin,
                          int parent, bool last) {
  const Styled e = styled(part.element, "joint", part.style);
  Robot::Joint joint{.name = joint_name(part.element, body),
                     .parent = parent,
                     .axis = e.vector("axis", Vector3::UnitZ()),
                     .where = part.element.where()};
  const std::string type = e.has("type") ? e.text("type") : "hinge";
  if (type != "hinge") e.who("type").word("type", {"hinge", "slide", "ball", "free"});
  joint.type = type == "slide"  ? CoordinateType::prismatic
               : type == "ball" ? CoordinateType::ball
                                : CoordinateType::revolute;
  if (!(joint.axis.norm() > 1e-14))
    e.who("axis").fail("axis", "joint " + in_quotes(joint.name) + " has an axis without direction");
  joint.axis = part.frame.orientation(joint.axis);
  const Vector3 anchor = (part.frame * Placement{e.vector("pos", Vector3::Zero()), {}}).position;
  joint.origin = origin * Placement{anchor, {}};
  joint.rest = Placement{-anchor, {}};
  double reference = type == "ball" ? 0 : e.number("ref", 0);
  if (type == "hinge") reference = angle(reference);
  if (reference != 0) {  // its value in the pose as drawn
    joint.drawn = {reference};
    const Vector3 back = joint.axis * (-reference / joint.axis.norm());
    joint.origin =
        joint.origin * (type == "hinge" ? Placement{Vector3::Zero(), lie::SO3<double>::exp(back)}
                                        : Placement{back, {}});
  }
  find_forces(e, joint);
  joints_[joint.name] = static_cast<int>(robot_.joints.size());
  if (!last) {
    joint.child = static_cast<int>(robot_.links.size());
    weld_.push_back(weld_[static_cast<std::size_t>(parent)]);
    robot_.links.push_back({.name = body + "/" + joint.name, .listed = false});
  }
  robot_.joints.push_back(std::move(joint));
  return last ? parent : robot_.joints.back().child;
}

void MjcfReader::find_forces(const Styled& joint, Robot::Joint& to) {
  const std::string& name = to.name;
  const bool turns = to.type == CoordinateType::revolute,
             one_number = turns || to.type == CoordinateType::prismatic;
  const auto found = [&](const char* attribute, const char* word, const char* flag) {
    const Element& who = joint.who(attribute);
    if (!who.has(attribute) || disabled(flag)) return;
    for (const double value : who.numbers(attribute, 1, 8))
      if (value != 0)
        return drops_.found(
            word, joint.element(),
            "joint " + in_quotes(name) + " has " + attribute + " " + detail::quote(value));
  };
  found("damping", "damping", "passive");
  // Springs and rotors of joints with one number are conservative, and kept unless dropped.
  const auto kept = [&](const char* attribute, const char* flag, double& value) {
    const Element& who = joint.who(attribute);
    if (!who.has(attribute)) return;
    const bool one = who.numbers(attribute, 1, 8).size() == 1;
    if (!one || !one_number || drops_.drops(attribute)) return found(attribute, attribute, flag);
    if (!disabled(flag)) value = who.numbers(attribute, 1, 1)[0];
  };
  kept("stiffness", "passive", to.stiffness);
  found("frictionloss", "friction", "frictionloss");
  kept("armature", "", to.armature);
  const double rest = joint.number("springref", 0);
  to.spring_rest = turns ? angle(rest) : rest;
  const std::string limited = joint.text("limited");
  const bool limits =
      limited == "true" || (limited != "false" && auto_limits_ && joint.has("range"));
  if (!limits || disabled("limit")) return;
  const auto range =
      joint.has("range") ? joint.who("range").numbers("range", 2, 2) : std::vector<double>{0, 0};
  drops_.found("limits", joint.element(),
               "joint " + in_quotes(name) + " has limits " + detail::quote(range[0]) + " and " +
                   detail::quote(range[1]));
}

}  // namespace rattleback::text
