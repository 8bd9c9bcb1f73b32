#include "mjcf.hpp"

#include <algorithm>
#include <cmath>

#include "../multibody/robot_kinematics.hpp"
#include "../problem/suggest.hpp"

namespace rattleback::text {

MjcfReader::MjcfReader(const Element& root, RobotFiles& files, const RobotOptions& options,
                       Drops& drops, std::vector<std::string>& notes)
    : root_(root), files_(files), options_(options), drops_(drops), notes_(notes) {
  robot_.links.push_back({.name = "world"});
  bodies_["world"] = 0;
  weld_ = {0};
  weld_parent_ = {-1};
}

Robot MjcfReader::read() {
  robot_.name = name_of_robot(root_, "model");
  included_.insert(root_.file().source().name());
  const std::vector<Element> sections = children(root_);
  const auto each = [&](const char* name, auto&& read) {
    for (const Element& section : sections)
      if (section.name() == name) read(section);
  };
  std::set<std::string> ignored;
  each("compiler", [&](const Element& e) { read_compiler(e); });
  each("option", [&](const Element& e) { read_option(e); });
  classes_[main_class];
  each("default", [&](const Element& e) { read_default(e, "", 0); });
  each("worldbody", [&](const Element& e) { read_world(e); });
  if (robot_.links.size() == 1) root_.fail("there is no <body> in a <worldbody>");
  each("contact", [&](const Element& e) { read_contact(e); });
  each("equality", [&](const Element& e) { read_equality(e); });
  each("actuator", [&](const Element& e) {
    for (const Element& one : children(e))
      if (!disabled("actuation"))
        drops_.found("actuators", one, "there is an actuator " + in_quotes(one.text("name")));
  });
  if (!disabled("contact")) find_contacts();
  for (const char* name : {"tendon", "deformable", "extension", "keyframe"})
    each(name, [&](const Element& e) {
      if (ignored.insert(name).second) notes_.push_back(e.where() + ": <" + name + "> is ignored");
    });
  if (total_mass_) scale_mass(root_);
  for (const auto& [odd, links] : odd_) notes_.push_back("body " + few_of(links) + " " + odd);
  return std::move(robot_);
}

/// With those of included files in the place of <include>.
std::vector<Element> MjcfReader::children(const Element& element) {
  std::vector<Element> all;
  for (const Element& child : element.children()) {
    if (child.name() != "include") {
      all.push_back(child);
      continue;
    }
    const XmlFile& file = included(child);
    const auto more = children(Element(file, file.root()));
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

const XmlFile& MjcfReader::included(const Element& include) {
  const XmlFile*& file = includes_[include.node().hash_value()];
  if (file) return *file;
  const std::filesystem::path name = include.needed("file");
  const auto beside = [&](const Element& who) {
    const std::filesystem::path own = who.file().source().name();
    return (own.parent_path() / name).lexically_normal().string();
  };
  // Relative to the first file; where it is not there, to the one that includes it.
  std::string path = beside(root_);
  if (!files_.exists(path)) path = beside(include);
  if (!files_.exists(path)) include.fail("file", in_quotes(path) + ": there is no such file");
  if (!included_.insert(path).second) include.fail("file", in_quotes(path) + " is included twice");
  if (included_.size() > 200) include.fail("file", "more than 200 files are included");
  file = &files_.read(path);
  return *file;
}

void MjcfReader::read_compiler(const Element& e) {
  if (e.has("angle")) degrees_ = e.word("angle", {"degree", "radian"}) == "degree";
  if (e.has("coordinate") && e.word("coordinate", {"local", "global"}) == "global")
    e.fail("coordinate", "global coordinates are not read");
  if (e.has("eulerseq")) {
    euler_order_ = e.text("eulerseq");
    if (euler_order_.size() != 3 || euler_order_.find_first_not_of("xyzXYZ") != std::string::npos)
      e.fail("eulerseq", "'eulerseq' must be three of the letters x, y, z, X, Y, Z, not " +
                             in_quotes(euler_order_));
  }
  const std::vector<std::string> yes_or_no{"true", "false"};
  if (e.has("inertiafromgeom"))
    inertia_from_geom_ = e.word("inertiafromgeom", {"true", "false", "auto"});
  if (e.has("autolimits")) auto_limits_ = e.word("autolimits", yes_or_no) == "true";
  if (e.has("balanceinertia")) balance_ = e.word("balanceinertia", yes_or_no) == "true";
  if (e.has("inertiagrouprange")) {
    const auto range = e.numbers("inertiagrouprange", 2, 2);
    lowest_group_ = static_cast<int>(std::clamp(range[0], -1.0, 100.0));
    highest_group_ = static_cast<int>(std::clamp(range[1], -1.0, 100.0));
  }
  bound_mass_ = e.number("boundmass").value_or(bound_mass_);
  bound_inertia_ = e.number("boundinertia").value_or(bound_inertia_);
  if (bound_mass_ < 0 || bound_inertia_ < 0) e.fail("bounds must not be negative");
  if (const auto total = e.number("settotalmass"); total && *total > 0) total_mass_ = total;
}

void MjcfReader::read_option(const Element& e) {
  robot_.gravity = e.vector("gravity").value_or(robot_.gravity);
  for (const Element& flag : children(e))
    if (flag.name() == "flag")
      for (const auto& attribute : flag.node().attributes())
        if (std::string_view(attribute.value()) == "disable") disabled_.insert(attribute.name());
  if (disabled("gravity")) robot_.gravity.setZero();
  for (const char* fluid : {"density", "viscosity"})
    if (e.number(fluid).value_or(0) != 0 && !disabled("passive"))
      drops_.found(
          "damping", e,
          std::string("there is a fluid with ") + fluid + " " + detail::quote(*e.number(fluid)));
}

/// Flags of the file; `constraint` stands for all that constraints do.
bool MjcfReader::disabled(const std::string& flag) const {
  const std::set<std::string> constraints{"equality", "frictionloss", "limit", "contact"};
  return disabled_.contains(flag) ||
         (disabled_.contains("constraint") && constraints.contains(flag));
}

int MjcfReader::body_named(const Element& e, const char* attribute) const {
  const auto found = bodies_.find(e.text(attribute));
  if (found != bodies_.end()) return found->second;
  std::vector<std::string> known;
  known.reserve(robot_.links.size());
  for (const auto& link : robot_.links) known.push_back(link.name);
  e.fail(attribute, "there is no body " + in_quotes(e.text(attribute)) +
                        detail::suggestion(e.text(attribute), known));
}

const MjcfReader::Site& MjcfReader::site_named(const Element& e, const char* attribute) const {
  const auto found = sites_.find(e.needed(attribute));
  if (found == sites_.end()) e.fail(attribute, "there is no site " + in_quotes(e.text(attribute)));
  return found->second;
}

int MjcfReader::joint_named(const Element& e, const char* attribute) const {
  const auto found = joints_.find(e.needed(attribute));
  if (found == joints_.end())
    e.fail(attribute, "there is no joint " + in_quotes(e.text(attribute)));
  if (numbers_of(robot_.joints[static_cast<std::size_t>(found->second)].type) != 1)
    e.fail(attribute, "joint " + in_quotes(e.text(attribute)) + " must turn or slide");
  return found->second;
}

void MjcfReader::read_contact(const Element& contact) {
  for (const Element& e : children(contact)) {
    if (e.name() == "pair" && !disabled("contact"))
      drops_.found("contacts", e, "there is a pair of shapes that touch");
    if (e.name() != "exclude") continue;
    e.needed("body1"), e.needed("body2");
    const int a = weld_[static_cast<std::size_t>(body_named(e, "body1"))],
              b = weld_[static_cast<std::size_t>(body_named(e, "body2"))];
    apart_.emplace(std::min(a, b), std::max(a, b));
  }
}

/// Whether two shapes may touch: by their types, not within a body, and not with what moves it.
void MjcfReader::find_contacts() {
  for (std::size_t i = 0; i < colliders_.size(); ++i)
    for (std::size_t k = i + 1; k < colliders_.size(); ++k) {
      const Collider &a = colliders_[i], &b = colliders_[k];
      if (a.weld == b.weld || ((a.type & b.affinity) == 0 && (b.type & a.affinity) == 0)) continue;
      const auto above = [&](const Collider& c) {
        return weld_parent_[static_cast<std::size_t>(c.weld)];
      };
      const bool neighbours =
          (above(a) == b.weld && b.weld != 0) || (above(b) == a.weld && a.weld != 0);
      if (neighbours && !disabled("filterparent")) continue;
      if (apart_.contains({std::min(a.weld, b.weld), std::max(a.weld, b.weld)})) continue;
      return drops_.found(
          "contacts", b.element,
          "this shape may touch the one of line " + std::to_string(a.element.position().line));
    }
}

void MjcfReader::read_equality(const Element& equality) {
  if (disabled("equality")) return;
  for (const Element& e : children(equality)) {
    const std::string name = e.has("name") ? e.text("name") : std::string(e.name());
    if (e.text("active") == "false") {
      notes_.push_back(e.where() + ": " + in_quotes(name) + " is not active");
      continue;
    }
    if (e.name() == "connect" || e.name() == "weld")
      read_loop(e, name);
    else if (e.name() == "joint")
      read_relation(e, name);
    else
      e.fail("<equality> <" + std::string(e.name()) +
             "> is not read; there are connect, weld and joint");
  }
}

/// Anchors given in one body are where they are drawn in the other.
void MjcfReader::read_loop(const Element& e, const std::string& name) {
  const bool welds = e.name() == "weld";
  Robot::Loop loop{
      .name = name, .type = welds ? JointType::fixed : JointType::ball, .where = e.where()};
  if (e.has("site1") || e.has("site2")) {
    const Site &a = site_named(e, "site1"), &b = site_named(e, "site2");
    loop.first = a.link, loop.in_first = a.frame;
    loop.second = b.link, loop.in_second = b.frame;
  } else {
    e.needed("body1");
    loop.first = body_named(e, "body1");
    loop.second = e.has("body2") ? body_named(e, "body2") : 0;
    const RobotPose drawn(robot_);
    const Placement between = drawn.link(loop.first).inverse() * drawn.link(loop.second);
    if (!welds) {
      e.needed("anchor");
      loop.in_first.position = *e.vector("anchor");
      loop.in_second = between.inverse() * loop.in_first;
    } else {
      loop.in_first = between;
      if (e.has("relpose")) {
        const auto p = e.numbers("relpose", 7, 7);
        const Vector3 v(p[4], p[5], p[6]);
        const double length = std::sqrt(p[3] * p[3] + v.squaredNorm());
        if (length > 1e-14) loop.in_first = {{p[0], p[1], p[2]}, {p[3] / length, v / length}};
      }
    }
  }
  if (weld_[static_cast<std::size_t>(loop.first)] == weld_[static_cast<std::size_t>(loop.second)]) {
    notes_.push_back(e.where() + ": " + in_quotes(name) + " holds one body together");
    return;
  }
  robot_.loops.push_back(std::move(loop));
}

/// y - y0 = a0 + a1 (x - x0) + ... + a4 (x - x0)^4, y0 and x0 as drawn.
void MjcfReader::read_relation(const Element& e, const std::string& name) {
  if (!options_.enforce_mimic) {
    notes_.push_back(e.where() + ": " + in_quotes(name) + " does not hold, as wished");
    return;
  }
  Robot::Relation relation{.joint = joint_named(e, "joint1"), .where = e.where()};
  const auto drawn = [&](int joint) {
    const auto& numbers = robot_.joints[static_cast<std::size_t>(joint)].drawn;
    return numbers.empty() ? 0.0 : numbers[0];
  };
  relation.coefficients = {0, 1, 0, 0, 0};
  if (e.has("polycoef")) {
    const auto all = e.numbers("polycoef", 1, 5);
    std::copy(all.begin(), all.end(), relation.coefficients.begin());
  }
  relation.from[0] = drawn(relation.joint);
  if (e.has("joint2")) {
    relation.other = joint_named(e, "joint2");
    relation.from[1] = drawn(relation.other);
    if (relation.other == relation.joint) e.fail("joint2", "a joint cannot follow itself");
  }
  robot_.relations.push_back(std::move(relation));
}

void MjcfReader::scale_mass(const Element& compiler) {
  double sum = 0;
  for (std::size_t i = 1; i < robot_.links.size(); ++i) sum += robot_.links[i].mass;
  if (!(sum > 0)) compiler.fail("'settotalmass' has no mass to scale");
  for (std::size_t i = 1; i < robot_.links.size(); ++i) {
    robot_.links[i].mass *= *total_mass_ / sum;
    robot_.links[i].inertia *= *total_mass_ / sum;
  }
}

Robot read_mjcf(const Element& root, RobotFiles& files, const RobotOptions& options, Drops& drops,
                std::vector<std::string>& notes) {
  return MjcfReader(root, files, options, drops, notes).read();
}

}  // namespace rattleback::text
