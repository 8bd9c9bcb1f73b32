#include <algorithm>
#include <cmath>
#include <filesystem>
#include <unordered_set>

#include "../problem/suggest.hpp"
#include "reader.hpp"

namespace rattleback::text {

namespace {

/// A body may have no inertia of its own: whether it has one at its joints is the model's to say.
bool is_semidefinite(const Matrix3& m) {
  const double size = m.cwiseAbs().maxCoeff(), none = 1e-12;
  if (!(size > 0)) return size == 0;
  const Matrix3 n = m / size;
  const auto minor = [&](int i, int j) { return n(i, i) * n(j, j) - n(i, j) * n(j, i); };
  const double det = n.row(0).dot(lie::cross<double>(n.row(1), n.row(2)));
  return n.diagonal().minCoeff() >= 0 && minor(0, 1) >= -none && minor(0, 2) >= -none &&
         minor(1, 2) >= -none && det >= -none;
}

}  // namespace

ModelFile Reader::read_mechanism(const KeptFiles& kept) {
  root_ = parse_toml(source_);
  allow_keys(
      root_, "the file",
      {"model", "body", "joint", "spring", "coupling", "potential", "initial", "method", "run"});
  const Toml::Entry* model = root_.find("model");
  if (!model) fail({}, "there is no table [model]");
  allow_keys(model->value, "[model]",
             {"kind", "name", "parameters", "gravity", "file", "drop", "mimic"});
  declare_parameters(model->value);
  apply_settings();
  parse_parameters();
  evaluate_parameters();
  for (const char* table : {"initial", "method", "run"})
    if (const auto* entry = root_.find(table)) require(*entry, Toml::Type::table, "a table");
  if (const auto* initial = root_.find("initial")) read_mechanism_start(initial->value);
  Mechanism mechanism;
  if (model->value.find("file"))
    mechanism = read_robot_table(model->value, kept);
  else
    read_bodies(mechanism, *model);
  Names names{"world"};
  for (const Body& body : mechanism.bodies) names.insert(body.name);
  read_forces(mechanism, names);
  if (const auto* entry = root_.find("method")) read_method(*entry);
  if (const auto* entry = root_.find("run")) read_run(*entry);
  file_.system.name = mechanism.name;
  file_.mechanism = std::make_shared<const Mechanism>(std::move(mechanism));
  return std::move(file_);
}

void Reader::read_bodies(Mechanism& mechanism, const Toml::Entry& model) {
  mechanism.name = std::filesystem::path(file_.path).stem().string();
  if (const auto* name = model.value.find("name")) mechanism.name = text_of(*name);
  if (const auto* gravity = model.value.find("gravity")) mechanism.gravity = vector(*gravity);
  for (const char* of_robots : {"drop", "mimic"})
    if (const auto* entry = model.value.find(of_robots))
      fail(entry->position, in_quotes(of_robots) + " belongs to models with a 'file'");
  Names names{"world"};
  for (const Toml& table : list_of_tables("body").items) {
    Body body = read_body(table, mechanism);
    if (!names.insert(body.name).second)
      fail(table.position, "there is more than one body " + in_quotes(body.name));
    mechanism.add(std::move(body));
  }
  if (mechanism.bodies.empty()) fail(model.position, "a multibody model needs a [[body]]");
  for (const Toml& table : list_of_tables("joint").items)
    mechanism.add(read_joint(table, mechanism, names));
}

void Reader::read_mechanism_start(const Toml& initial) {
  allow_keys(initial, "[initial] of a multibody model",
             {"project", "allow_inconsistent", "joints", "joint_velocities"});
  const bool is_robot = root_.find("model")->value.find("file") != nullptr;
  for (const char* of_robots : {"joints", "joint_velocities"})
    if (const auto* entry = initial.find(of_robots); entry && !is_robot)
      fail(entry->position, in_quotes(of_robots) + " belongs to models with a 'file'");
  file_.initial = ModelFile::Initial{};
  if (const auto* entry = initial.find("project")) file_.initial->project = boolean(*entry);
  if (const auto* entry = initial.find("allow_inconsistent"))
    file_.initial->allow_inconsistent = boolean(*entry);
}

/// [[name]], of which there may be none.
const Toml& Reader::list_of_tables(const char* name) const {
  static const Toml none{.type = Toml::Type::list, .position = {}, .items = {}, .entries = {}};
  const auto* entry = root_.find(name);
  if (!entry) return none;
  const std::string wanted = std::string("tables [[") + name + "]]";
  require(*entry, Toml::Type::list, wanted);
  for (const Toml& item : entry->value.items)
    if (!item.is(Toml::Type::table))
      fail(item.position, in_quotes(name) + " must be " + wanted + ", not " + item.type_name());
  return entry->value;
}

std::string Reader::text_of(const Toml::Entry& entry) const {
  return require(entry, Toml::Type::string, "a string").string;
}

std::vector<double> Reader::numbers(const Toml& list, std::size_t count, const std::string& what) {
  if (!list.is(Toml::Type::list))
    fail(list.position, what + " must be a list of " + std::to_string(count) + " numbers, not " +
                            list.type_name());
  if (list.items.size() != count)
    fail(list.position, what + " must have " + std::to_string(count) + " numbers, not " +
                            std::to_string(list.items.size()));
  std::vector<double> all;
  for (const Toml& item : list.items) {
    const std::string each = "an entry of " + what;
    const double value = Expander(budget_).number(code(item, each, {.what = each}));
    if (!std::isfinite(value)) fail(item.position, each + " is not finite");
    all.push_back(value);
  }
  return all;
}

Vector3 Reader::vector(const Toml::Entry& entry) {
  const auto all = numbers(entry.value, 3, in_quotes(entry.key));
  return {all[0], all[1], all[2]};
}

Matrix3 Reader::matrix(const Toml::Entry& entry) {
  const Toml& rows = entry.value;
  if (rows.items.size() != 3)
    fail(rows.position,
         in_quotes(entry.key) + " must have 3 rows, not " + std::to_string(rows.items.size()));
  Matrix3 m;
  for (int i = 0; i < 3; ++i) {
    const auto row =
        numbers(rows.items[static_cast<std::size_t>(i)], 3, "a row of " + in_quotes(entry.key));
    for (int j = 0; j < 3; ++j) m(i, j) = row[static_cast<std::size_t>(j)];
  }
  return m;
}

Matrix3 Reader::inertia(const Toml::Entry& entry) {
  const Toml& list = require(entry, Toml::Type::list, "a list of 3 numbers or a 3x3 matrix");
  const bool full = !list.items.empty() && list.items[0].is(Toml::Type::list);
  Matrix3 m = full ? matrix(entry) : Matrix3(vector(entry).asDiagonal());
  if ((m - m.transpose()).cwiseAbs().maxCoeff() > 1e-12 * m.cwiseAbs().maxCoeff())
    fail(list.position, "'inertia' must be symmetric");
  if (!is_semidefinite(m)) fail(list.position, "'inertia' has a negative moment");
  return m;
}

lie::SO3<double> Reader::orientation(const Toml::Entry& entry) {
  const Toml& list =
      require(entry, Toml::Type::list, "a unit quaternion (w, x, y, z) or a 3x3 rotation matrix");
  constexpr double tolerance = 1e-6;  // written with a few digits
  if (!list.items.empty() && list.items[0].is(Toml::Type::list)) {
    const Matrix3 m = matrix(entry);
    const double off = (m.transpose() * m - Matrix3::Identity()).cwiseAbs().maxCoeff();
    if (!(off <= tolerance) || m.row(0).dot(lie::cross<double>(m.row(1), m.row(2))) < 0)
      fail(list.position, "'orientation' is not a rotation matrix: R'R - 1 has an entry " +
                              detail::quote(off) +
                              (off <= tolerance ? ", and its determinant is -1" : ""));
    return lie::rotation(m);
  }
  const auto q = numbers(list, 4, "'orientation'");
  const double length = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  if (!(std::abs(length - 1) <= tolerance))
    fail(list.position,
         "'orientation' must be a unit quaternion; its length is " + detail::quote(length));
  return {q[0] / length, Vector3(q[1], q[2], q[3]) / length};
}

Body Reader::read_body(const Toml& table, const Mechanism& so_far) {
  allow_keys(
      table, "[[body]]",
      {"name", "mass", "inertia", "position", "orientation", "velocity", "angular_velocity"});
  Body body{.name = "body" + std::to_string(so_far.bodies.size() + 1)};
  if (const auto* name = table.find("name")) {
    body.name = text_of(*name);
    if (body.name == "world") fail(name->value.position, "'world' is not a name for a body");
  }
  for (const char* needed : {"mass", "inertia"})
    if (!table.find(needed))
      fail(table.position, "body " + in_quotes(body.name) + " has no " + in_quotes(needed));
  const auto& mass = *table.find("mass");
  body.mass = number(mass);
  if (!(body.mass >= 0) || !std::isfinite(body.mass))
    fail(mass.value.position, "'mass' must not be negative: " + detail::quote(body.mass));
  body.inertia = inertia(*table.find("inertia"));
  if (const auto* entry = table.find("position")) body.position = vector(*entry);
  if (const auto* entry = table.find("orientation")) body.orientation = orientation(*entry);
  if (const auto* entry = table.find("velocity")) body.velocity = vector(*entry);
  if (const auto* entry = table.find("angular_velocity")) body.angular_velocity = vector(*entry);
  return body;
}

JointType Reader::joint_type(const Toml& table) {
  const auto* entry = table.find("type");
  if (!entry) fail(table.position, "a [[joint]] has no 'type'");
  const std::string name = text_of(*entry);
  std::vector<std::string> known;
  std::string listed;
  for (const auto& type : joint_types) {
    if (name == type.name) return type.type;
    known.emplace_back(type.name);
    listed += (listed.empty() ? "" : ", ") + known.back();
  }
  fail(entry->value.position, "unknown type of joint " + in_quotes(name) + "; known: " + listed +
                                  detail::suggestion(name, known));
}

void Reader::read_axes(const Toml& table, const std::string& what, Joint& joint) {
  for (const char* key : {"axis", "axis2"}) {
    const bool second = std::string(key) == "axis2";
    const bool has = second ? joint.type == JointType::universal : info(joint.type).has_axis;
    const auto* entry = table.find(key);
    if (!entry && has) fail(table.position, what + " needs " + in_quotes(key));
    if (!entry) continue;
    if (!has) fail(entry->position, what + " has no " + in_quotes(key));
    const Vector3 axis = vector(*entry);
    if (!(axis.norm() > 0)) fail(entry->value.position, in_quotes(key) + " must not be zero");
    (second ? joint.axis2 : joint.axis) = axis;
  }
}

Joint Reader::read_joint(const Toml& table, const Mechanism& mechanism, const Names& names) {
  allow_keys(table, "[[joint]]", {"name", "type", "bodies", "points", "axis", "axis2", "armature"});
  Joint joint{.type = joint_type(table)};
  if (const auto* name = table.find("name")) joint.name = text_of(*name);
  const std::string what = std::string("a ") + info(joint.type).name + " joint";
  const auto* bodies = table.find("bodies");
  if (!bodies) fail(table.position, what + " needs 'bodies'");
  read_bodies(*bodies, mechanism, names, joint.bodies);
  if (joint.bodies[0] == joint.bodies[1])
    fail(bodies->value.position, what + " must connect two different bodies");
  if (const auto* points = table.find("points")) read_points(*points, joint.points);
  read_axes(table, what, joint);
  if (const auto* armature = table.find("armature")) {
    if (joint.type != JointType::revolute && joint.type != JointType::prismatic)
      fail(armature->position, what + " has no 'armature'; revolute and prismatic ones have");
    joint.armature = number(*armature);
    if (!(joint.armature >= 0) || !std::isfinite(joint.armature))
      fail(armature->value.position,
           "'armature' must not be negative: " + detail::quote(joint.armature));
  }
  return joint;
}

}  // namespace rattleback::text
