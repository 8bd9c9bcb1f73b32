// MJCF, part by part: mjcf.cpp sections and what holds bodies together, mjcf_defaults.cpp classes
// and orientations, mjcf_body.cpp bodies and joints, mjcf_geom.cpp inertias.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "robot_reader.hpp"

namespace rattleback::text {

/// An element and those that its class gives it: the first that has an attribute says it.
class Styled {
 public:
  Styled(const Element& element, std::vector<Element> from_classes);
  const Element& element() const { return levels_.front(); }
  const std::vector<Element>& levels() const { return levels_; }
  /// Who has the attribute; none: the element itself.
  const Element& who(const char* attribute) const;
  bool has(const char* attribute) const { return who(attribute).has(attribute); }
  std::string text(const char* attribute) const { return who(attribute).text(attribute); }
  double number(const char* attribute, double otherwise) const {
    return who(attribute).number(attribute).value_or(otherwise);
  }
  Vector3 vector(const char* attribute, const Vector3& otherwise) const {
    return who(attribute).vector(attribute).value_or(otherwise);
  }

 private:
  std::vector<Element> levels_;
};

class MjcfReader {
 public:
  MjcfReader(const Element& root, RobotFiles& files, const RobotOptions& options, Drops& drops,
             std::vector<std::string>& notes);
  Robot read();

 private:
  struct Class {
    std::string parent;
    std::map<std::string, std::vector<Element>, std::less<>> elements;
  };
  struct Site {
    int link;
    Placement frame;
  };
  struct Collider {
    int weld;  ///< links that are welded together have one number
    int type, affinity;
    Element element;
    auto key() const { return std::tuple(weld, type, affinity); }
  };
  /// What a body is made of; its frames are in the body.
  struct Part {
    Element element;
    Placement frame;
    std::string style;  ///< the class that `childclass` gives
  };
  struct BodyParts {
    std::vector<Part> joints, geoms, sites, bodies;
    Element inertial;
    Placement inertial_frame;
  };
  struct Inertial {
    double mass = 0;
    Vector3 center = Vector3::Zero();
    Matrix3 inertia = Matrix3::Zero();  ///< about the centre
    void add(const Inertial& other);
  };

  // mjcf.cpp
  std::vector<Element> children(const Element& element);
  const XmlFile& included(const Element& include);
  void read_compiler(const Element& compiler);
  void read_option(const Element& option);
  void read_contact(const Element& contact);
  void read_equality(const Element& equality);
  void read_loop(const Element& element, const std::string& name);
  void read_relation(const Element& element, const std::string& name);
  bool disabled(const std::string& flag) const;
  int body_named(const Element& element, const char* attribute) const;
  const Site& site_named(const Element& element, const char* attribute) const;
  int joint_named(const Element& element, const char* attribute) const;
  void find_contacts();
  void scale_mass(const Element& compiler);

  // mjcf_defaults.cpp
  void read_default(const Element& element, const std::string& parent, int depth);
  Styled styled(const Element& element, const char* tag, const std::string& style) const;
  std::optional<lie::SO3<double>> orientation(const Element& element) const;
  lie::SO3<double> euler(const Vector3& angles) const;
  Placement frame_of(const Styled& element) const;
  double angle(double value) const { return degrees_ ? value * radians_per_degree : value; }

  // mjcf_body.cpp
  void gather(const Element& element, const Placement& frame, const std::string& style, int depth,
              BodyParts& to);
  void read_world(const Element& world);
  void read_body(const Part& part, int parent, int depth);
  void read_contents(const BodyParts& parts, int link, int depth);
  int read_joints(const std::vector<Part>& joints, const std::string& body, Placement& origin,
                  int parent);
  int add_joint(const Part& part, const std::string& body, const Placement& origin, int parent,
                bool last);
  void read_free(const Element& element, const std::string& body, const Placement& origin,
                 int parent);
  void find_forces(const Styled& joint, Robot::Joint& to);
  std::string joint_name(const Element& element, const std::string& body);

  // mjcf_geom.cpp
  void read_inertia(const BodyParts& parts, bool rests, Robot::Link& link);
  Inertial given_inertia(const Element& inertial, const Placement& frame) const;
  Inertial inertia_of_geom(const Part& part, const std::string& body, bool rests) const;
  Placement frame_of_geom(const Styled& geom, double& half_length) const;
  void bound(Inertial& inertial) const;

  static constexpr double radians_per_degree = 0.017453292519943295;
  static constexpr const char* main_class = "main";

  Element root_;
  RobotFiles& files_;
  const RobotOptions& options_;
  Drops& drops_;
  std::vector<std::string>& notes_;
  Robot robot_;

  std::map<std::size_t, const XmlFile*> includes_;  ///< by the hash of the <include>
  std::set<std::string> included_;
  bool degrees_ = true, auto_limits_ = true, balance_ = false;
  std::string euler_order_ = "xyz", inertia_from_geom_ = "auto";
  int lowest_group_ = 0, highest_group_ = 5;
  double bound_mass_ = 0, bound_inertia_ = 0;
  std::optional<double> total_mass_;
  std::set<std::string> disabled_;

  std::map<std::string, Class> classes_;
  std::set<std::string> main_names_;
  std::unordered_map<std::string, int> bodies_, joints_;
  std::unordered_map<std::string, Site> sites_;
  std::vector<int> weld_, weld_parent_;  ///< of links; of welds
  std::vector<Collider> colliders_;
  std::set<std::pair<int, int>> apart_;  ///< welds that <exclude> keeps from touching
  std::map<std::string, std::vector<std::string>> odd_;
};

}  // namespace rattleback::text
