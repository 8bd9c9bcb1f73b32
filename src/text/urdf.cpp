// URDF: a tree of links, <link> and <joint> below <robot>. SI units, angles in radians. The root
// link rests in the world. A link that two joints have as their child closes a loop.
#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "../problem/suggest.hpp"
#include "robot_reader.hpp"

namespace rattleback::text {

namespace {

class UrdfReader {
 public:
  UrdfReader(const Element& root, const RobotOptions& options, Drops& drops,
             std::vector<std::string>& notes)
      : root_(root), options_(options), drops_(drops), notes_(notes) {}

  Robot read() {
    robot_.name = name_of_robot(root_, "name");
    std::vector<std::string> ignored;
    for (const Element& child : root_.children()) {
      require_expanded(child);
      for (const Element& inside : child.children()) require_expanded(inside);
      if (child.name() == "link")
        read_link(child);
      else if (child.name() == "joint")
        joints_.push_back(child);  // their links may come later
      else
        note_ignored(std::string(child.name()), ignored);
    }
    if (robot_.links.empty()) root_.fail("<robot> has no <link>");
    if (!ignored.empty()) notes_.push_back("ignored: <" + joined(ignored) + ">");
    std::vector<Joint> all;
    all.reserve(joints_.size());
    for (const Element& joint : joints_) all.push_back(read_joint(joint));
    split_loops(all);
    for (const auto& [index, mimic] : mimics_) read_mimic(index, mimic);
    finish_notes();
    notes_.push_back("gravity is (0, 0, -9.81): a URDF file has none");
    return std::move(robot_);
  }

 private:
  using Joint = Robot::Joint;

  static void require_expanded(const Element& element) {
    if (element.prefix() == "xacro")
      element.fail("<" + std::string(element.node().name()) +
                   ">: this is a xacro file; expand xacro first");
  }
  static std::string joined(const std::vector<std::string>& names) {
    std::string text;
    for (const auto& name : names) text += (text.empty() ? "" : ">, <") + name;
    return text;
  }
  static void note_ignored(const std::string& name, std::vector<std::string>& ignored) {
    for (const char* usual : {"material", "transmission", "gazebo"})
      if (name == usual) return;
    if (std::find(ignored.begin(), ignored.end(), name) == ignored.end()) ignored.push_back(name);
  }

  static Placement origin_of(const Element& parent) {
    const Element origin = parent.child("origin");
    if (!origin) return {};
    const Vector3 none = Vector3::Zero();
    return {origin.vector("xyz").value_or(none),
            roll_pitch_yaw(origin.vector("rpy").value_or(none))};
  }

  void read_link(const Element& element) {
    Robot::Link link{.name = element.needed("name")};
    if (!links_.emplace(link.name, static_cast<int>(robot_.links.size())).second)
      element.fail("name", "there is more than one link " + in_quotes(link.name));
    if (const Element inertial = element.child("inertial")) read_inertial(inertial, link);
    robot_.links.push_back(std::move(link));
  }
  void read_inertial(const Element& inertial, Robot::Link& link) {
    const Placement frame = origin_of(inertial);
    link.center = frame.position;
    const Element mass = inertial.child("mass");
    if (mass) {
      mass.needed("value");
      link.mass = *mass.number("value");
    } else {
      notes_.push_back(inertial.where() + ": link " + in_quotes(link.name) +
                       " has an <inertial> without <mass>; taken for 0");
    }
    if (link.mass < 0) mass.fail("value", "'value' must not be negative");
    const Element inertia = inertial.child("inertia");
    const char* names[] = {"ixx", "iyy", "izz", "ixy", "ixz", "iyz"};
    double values[6]{};
    bool missing = !inertia;
    for (int k = 0; inertia && k < 6; ++k) {
      const auto value = inertia.number(names[k]);
      missing = missing || !value;
      values[k] = value.value_or(0);
    }
    if (missing) without_components_.push_back(link.name);
    const Matrix3 r = frame.orientation.matrix();
    link.inertia = r * symmetric(values[0], values[1], values[2], values[3], values[4], values[5]) *
                   r.transpose();
    const std::string odd = odd_inertia(link.mass, link.inertia);
    if (!odd.empty()) odd_[odd].push_back(link.name);
  }

  int link_named(const Element& joint, const char* tag, const std::string& name) const {
    const Element element = joint.child(tag);
    if (!element) joint.fail("joint " + in_quotes(name) + " has no <" + tag + ">");
    const std::string link = element.needed("link");
    const auto found = links_.find(link);
    if (found != links_.end()) return found->second;
    std::vector<std::string> known;
    known.reserve(robot_.links.size());
    for (const auto& one : robot_.links) known.push_back(one.name);
    element.fail("link", "joint " + in_quotes(name) + " has the " + tag + " " + in_quotes(link) +
                             ", and there is no such link" +
                             (link == "world" ? "; <link name=\"world\"/> is one"
                                              : detail::suggestion(link, known)));
  }

  Joint read_joint(const Element& element) {
    Joint joint{.name = element.needed("name"), .where = element.where()};
    if (!names_.insert(joint.name).second)
      element.fail("name", "there is more than one joint " + in_quotes(joint.name));
    element.needed("type");
    const std::string type = element.word("type", {"revolute", "continuous", "prismatic", "fixed",
                                                   "floating", "planar", "spherical", "ball"});
    joint.parent = link_named(element, "parent", joint.name);
    joint.child = link_named(element, "child", joint.name);
    if (joint.parent == joint.child)
      element.fail("joint " + in_quotes(joint.name) + " connects link " +
                   in_quotes(robot_.links[static_cast<std::size_t>(joint.child)].name) +
                   " with itself");
    joint.origin = origin_of(element);
    joint.type = type == "fixed"                              ? CoordinateType::fixed
                 : type == "prismatic"                        ? CoordinateType::prismatic
                 : type == "floating"                         ? CoordinateType::floating
                 : type == "planar"                           ? CoordinateType::planar
                 : type == "revolute" || type == "continuous" ? CoordinateType::revolute
                                                              : CoordinateType::ball;
    if (joint.type == CoordinateType::ball)
      notes_.push_back(joint.where + ": joint " + in_quotes(joint.name) + " is of the type " +
                       in_quotes(type) + ", which is not URDF; taken for a ball joint");
    if (joint.type == CoordinateType::fixed) return joint;
    read_axis(element, joint);
    read_dynamics(element, joint);
    if (type == "revolute" || type == "prismatic") read_limit(element, joint);
    return joint;
  }
  static void read_axis(const Element& element, Joint& joint) {
    const Element axis = element.child("axis");
    const bool has_axis =
        joint.type != CoordinateType::floating && joint.type != CoordinateType::ball;
    if (!axis || !has_axis) return;
    axis.needed("xyz");
    joint.axis = *axis.vector("xyz");
    if (!(joint.axis.norm() > 0))
      axis.fail("xyz", "joint " + in_quotes(joint.name) + " moves, and its axis has no direction");
  }
  void read_dynamics(const Element& element, const Joint& joint) {
    const Element dynamics = element.child("dynamics");
    if (!dynamics) return;
    for (const char* word : {"damping", "friction"}) {
      if (!dynamics.has(word)) continue;
      const auto all = dynamics.numbers(word, 1, 6);  // some write one for each direction
      const auto value = std::find_if(all.begin(), all.end(), [](double v) { return v != 0; });
      if (value != all.end())
        drops_.found(
            word, dynamics,
            "joint " + in_quotes(joint.name) + " has " + word + " " + detail::quote(*value));
    }
  }
  void read_limit(const Element& element, const Joint& joint) {
    const Element limit = element.child("limit");
    const std::string name = joint.where + ": joint " + in_quotes(joint.name);
    if (!limit) {
      notes_.push_back(name + " has no <limit>; it moves freely");
      return;
    }
    const double lower = limit.number("lower").value_or(0),
                 upper = limit.number("upper").value_or(0);
    if (lower == 0 && upper == 0)
      notes_.push_back(name + " is locked by its limits, which are both 0");
    if (lower > upper)
      notes_.push_back(name + " has a lower limit " + detail::quote(lower) +
                       " above its upper limit " + detail::quote(upper));
    drops_.found("limits", limit,
                 "joint " + in_quotes(joint.name) + " has limits " + detail::quote(lower) +
                     " and " + detail::quote(upper));
  }

  /// From the root on: joints that reach a link for the first time are the tree, others close
  /// loops.
  void split_loops(std::vector<Joint>& all) {
    std::vector<bool> is_child(robot_.links.size(), false), reached(robot_.links.size(), false);
    std::vector<std::vector<std::size_t>> below(robot_.links.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      is_child[static_cast<std::size_t>(all[i].child)] = true;
      below[static_cast<std::size_t>(all[i].parent)].push_back(i);
    }
    std::vector<std::string> roots;
    std::vector<std::size_t> waiting;
    for (std::size_t i = 0; i < robot_.links.size(); ++i)
      if (!is_child[i]) roots.push_back(robot_.links[i].name), waiting.push_back(i);
    if (roots.empty()) root_.fail("every link is the child of a joint: there is no root");
    if (roots.size() > 1)
      root_.fail("there is more than one root, a link that is no joint's child: " + few_of(roots));
    std::vector<bool> in_tree(all.size(), false);
    reached[waiting[0]] = true;
    for (std::size_t next = 0; next < waiting.size(); ++next)
      for (const std::size_t i : below[waiting[next]]) {
        const auto child = static_cast<std::size_t>(all[i].child);
        if (reached[child]) continue;
        reached[child] = in_tree[i] = true;
        waiting.push_back(child);
      }
    for (std::size_t i = 0; i < reached.size(); ++i)
      if (!reached[i])
        root_.fail("link " + in_quotes(robot_.links[i].name) +
                   " does not hang on the root: joints move each other in a circle");
    for (std::size_t i = 0; i < all.size(); ++i) keep(all[i], joints_[i], in_tree[i]);
  }
  void keep(Joint& joint, const Element& element, bool in_tree) {
    if (in_tree) {
      const Element mimic = element.child("mimic");
      if (mimic && joint.type != CoordinateType::fixed)
        mimics_.emplace_back(static_cast<int>(robot_.joints.size()), mimic);
      robot_.joints.push_back(std::move(joint));
      return;
    }
    notes_.push_back(joint.where + ": joint " + in_quotes(joint.name) + " closes a loop");
    if (joint.type == CoordinateType::floating) return;
    robot_.loops.push_back({.name = joint.name,
                            .type = joint.type == CoordinateType::fixed       ? JointType::fixed
                                    : joint.type == CoordinateType::revolute  ? JointType::revolute
                                    : joint.type == CoordinateType::prismatic ? JointType::prismatic
                                    : joint.type == CoordinateType::planar    ? JointType::planar
                                                                              : JointType::ball,
                            .first = joint.parent,
                            .second = joint.child,
                            .in_first = joint.origin,
                            .axis = joint.axis,
                            .where = joint.where});
  }

  void read_mimic(int index, const Element& mimic) {
    const std::string& name = robot_.joints[static_cast<std::size_t>(index)].name;
    const std::string other = mimic.needed("joint");
    const double multiplier = mimic.number("multiplier").value_or(1),
                 offset = mimic.number("offset").value_or(0);
    if (!options_.enforce_mimic) {
      notes_.push_back(mimic.where() + ": joint " + in_quotes(name) + " does not mimic " +
                       in_quotes(other) + ", as wished");
      return;
    }
    std::vector<std::string> known;
    for (std::size_t i = 0; i < robot_.joints.size(); ++i) {
      const Joint& joint = robot_.joints[i];
      known.push_back(joint.name);
      if (joint.name != other) continue;
      if (static_cast<int>(i) == index || numbers_of(joint.type) != 1 ||
          numbers_of(robot_.joints[static_cast<std::size_t>(index)].type) != 1)
        mimic.fail("joint", "joint " + in_quotes(name) + " cannot mimic " + in_quotes(other) +
                                ": both must turn or slide, and be two");
      robot_.relations.push_back({.joint = index,
                                  .other = static_cast<int>(i),
                                  .coefficients = {offset, multiplier},
                                  .from = {},
                                  .where = mimic.where()});
      return;
    }
    mimic.fail("joint", "joint " + in_quotes(name) + " mimics " + in_quotes(other) +
                            ", and there is no such joint" + detail::suggestion(other, known));
  }

  void finish_notes() {
    for (const auto& [odd, links] : odd_) notes_.push_back("link " + few_of(links) + " " + odd);
    if (!without_components_.empty())
      notes_.push_back("link " + few_of(without_components_) +
                       " lacks entries of its inertia; taken for 0");
  }

  Element root_;
  const RobotOptions& options_;
  Drops& drops_;
  std::vector<std::string>& notes_;
  Robot robot_;
  std::unordered_map<std::string, int> links_;
  std::unordered_set<std::string> names_;  ///< of joints
  std::vector<Element> joints_;
  std::vector<std::pair<int, Element>> mimics_;
  std::map<std::string, std::vector<std::string>> odd_;
  std::vector<std::string> without_components_;
};

}  // namespace

Robot read_urdf(const Element& root, const RobotOptions& options, Drops& drops,
                std::vector<std::string>& notes) {
  return UrdfReader(root, options, drops, notes).read();
}

}  // namespace rattleback::text
