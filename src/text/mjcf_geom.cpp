#include <algorithm>
#include <cmath>
#include <numbers>

#include "mjcf.hpp"

namespace rattleback::text {

namespace {

constexpr double pi = std::numbers::pi;

struct Shape {
  double volume;
  Vector3 inertia;  ///< of unit density, about its centre
};

Shape ellipsoid_shape(const Vector3& s) {
  const double v = 4 * pi / 3 * s[0] * s[1] * s[2];
  const Vector3 q = s.cwiseProduct(s) * (v / 5);
  return {v, {q[1] + q[2], q[0] + q[2], q[0] + q[1]}};
}

Shape box_shape(const Vector3& s) {
  const double v = 8 * s[0] * s[1] * s[2];
  const Vector3 q = s.cwiseProduct(s) * (v / 3);
  return {v, {q[1] + q[2], q[0] + q[2], q[0] + q[1]}};
}

Shape cylinder_shape(double r, double half) {
  const double h = 2 * half, v = pi * r * r * h, across = v * (3 * r * r + h * h) / 12;
  return {v, {across, across, v * r * r / 2}};
}

/// With exact half spheres.
Shape capsule_shape(double r, double half) {
  const Shape middle = cylinder_shape(r, half);
  const double h = 2 * half, caps = 4 * pi / 3 * r * r * r;
  const double across = middle.inertia[0] + caps * (2 * r * r / 5 + h * h / 4 + 3 * h * r / 8);
  return {middle.volume + caps, {across, across, middle.inertia[2] + caps * 2 * r * r / 5}};
}

/// Principal axes as columns, by Jacobi's rotations.
Vector3 principal(Matrix3 m, Matrix3& axes) {
  axes = Matrix3::Identity();
  for (int sweep = 0; sweep < 30; ++sweep)
    for (int i = 0; i < 2; ++i)
      for (int j = i + 1; j < 3; ++j) {
        if (m(i, j) == 0) continue;
        const double turn = 0.5 * std::atan2(2 * m(i, j), m(j, j) - m(i, i));
        Matrix3 r = Matrix3::Identity();
        r(i, i) = r(j, j) = std::cos(turn);
        r(i, j) = std::sin(turn), r(j, i) = -r(i, j);
        m = (r.transpose() * m * r).eval();
        m(i, j) = m(j, i) = 0;
        axes = (axes * r).eval();
      }
  return m.diagonal();
}

}  // namespace

void MjcfReader::Inertial::add(const Inertial& other) {
  const double sum = mass + other.mass;
  const Vector3 middle =
      sum > 0 ? Vector3((mass * center + other.mass * other.center) / sum) : center;
  const auto about = [&](const Inertial& part) -> Matrix3 {
    const Vector3 d = part.center - middle;
    return part.inertia + part.mass * (d.squaredNorm() * Matrix3::Identity() - d * d.transpose());
  };
  inertia = (about(*this) + about(other)).eval();
  mass = sum;
  center = middle;
}

/// From <inertial>, or from the shapes of the body.
void MjcfReader::read_inertia(const BodyParts& parts, bool rests, Robot::Link& link) {
  Inertial all;
  const bool from_geoms =
      inertia_from_geom_ == "true" || (inertia_from_geom_ == "auto" && !parts.inertial);
  if (!from_geoms && parts.inertial) all = given_inertia(parts.inertial, parts.inertial_frame);
  for (const Part& geom : parts.geoms)
    if (from_geoms) all.add(inertia_of_geom(geom, link.name, rests));
  bound(all);
  link.mass = all.mass;
  link.center = all.center;
  link.inertia = all.inertia;
  const std::string odd = odd_inertia(link.mass, link.inertia);
  if (!odd.empty()) odd_[odd].push_back(link.name);
}

MjcfReader::Inertial MjcfReader::given_inertia(const Element& e, const Placement& outer) const {
  e.needed("mass");
  const Placement frame = outer * frame_of(Styled(e, {}));
  Inertial own{*e.number("mass"), frame.position};
  if (own.mass < 0) e.fail("mass", "'mass' must not be negative");
  Matrix3 m = Matrix3::Zero();
  if (e.has("fullinertia")) {
    const auto i = e.numbers("fullinertia", 6, 6);
    m = symmetric(i[0], i[1], i[2], i[3], i[4], i[5]);
  } else if (const auto diagonal = e.vector("diaginertia")) {
    m = diagonal->asDiagonal();
  } else if (own.mass > 0) {
    e.fail("<inertial> needs 'diaginertia' or 'fullinertia'");
  }
  const Matrix3 r = frame.orientation.matrix();
  own.inertia = r * m * r.transpose();
  return own;
}

/// Of `fromto`: in the middle, z along it.
Placement MjcfReader::frame_of_geom(const Styled& geom, double& half_length) const {
  const Element& who = geom.who("fromto");
  if (!who.has("fromto")) return frame_of(geom);
  const auto p = who.numbers("fromto", 6, 6);
  const Vector3 from(p[0], p[1], p[2]), to(p[3], p[4], p[5]), along = from - to;
  const double length = along.norm();
  if (!(length > 1e-14)) who.fail("fromto", "'fromto' has no length");
  half_length = length / 2;
  const Vector3 axis = lie::cross<double>(Vector3::UnitZ(), along / length);
  const Vector3 about = axis.norm() > 1e-14 ? Vector3(axis / axis.norm()) : Vector3::UnitX();
  return {(from + to) / 2,
          lie::SO3<double>::exp(about * std::atan2(axis.norm(), along[2] / length))};
}

MjcfReader::Inertial MjcfReader::inertia_of_geom(const Part& part, const std::string& body,
                                                 bool rests) const {
  const Styled geom = styled(part.element, "geom", part.style);
  const double group = geom.number("group", 0);
  if (group < lowest_group_ || group > highest_group_) return {};
  const std::string type = geom.has("type") ? geom.text("type") : "sphere";
  if (type != "sphere")
    geom.who("type").word("type", {"sphere", "capsule", "cylinder", "box", "ellipsoid", "plane",
                                   "hfield", "mesh", "sdf"});
  const bool has_mass = geom.has("mass");
  const double mass = geom.number("mass", 0), density = geom.number("density", 1000);
  if (has_mass ? mass == 0 : density == 0) return {};
  if (mass < 0 || density < 0) geom.element().fail("mass and density must not be negative");
  if (type == "plane" || type == "hfield") return {};
  const bool meshed = geom.has("mesh") || type == "mesh" || type == "sdf";
  if (meshed && rests && !total_mass_) return {};  // what never moves needs no inertia
  if (meshed)
    geom.element().fail("the inertia of body " + in_quotes(body) + " comes from the mesh " +
                        in_quotes(geom.text("mesh")) +
                        ", and meshes are not read; give the body an <inertial>");
  if (geom.text("shellinertia") == "true")
    geom.who("shellinertia").fail("shellinertia", "inertias of shells are not read");
  double half = -1;
  const Placement frame = part.frame * frame_of_geom(geom, half);
  const std::size_t needed = type == "sphere"                          ? 1
                             : type == "capsule" || type == "cylinder" ? (half > 0 ? 1 : 2)
                             : half > 0                                ? 1
                                                                       : 3;
  if (!geom.has("size"))
    geom.element().fail("a <geom> of type " + in_quotes(type) + " needs 'size'");
  const auto size = geom.who("size").numbers("size", needed, 3);
  for (std::size_t k = 0; k < needed; ++k)
    if (!(size[k] > 0)) geom.who("size").fail("size", "entries of 'size' must be positive");
  const double length = half > 0 ? half : size.size() > 1 ? size[1] : 0;
  const Vector3 three = half > 0 ? Vector3(size[0], size[0], half)
                                 : Vector3(size[0], length, size.size() > 2 ? size[2] : 0);
  const Shape shape = type == "sphere"      ? ellipsoid_shape(Vector3::Constant(size[0]))
                      : type == "capsule"   ? capsule_shape(size[0], length)
                      : type == "cylinder"  ? cylinder_shape(size[0], length)
                      : type == "ellipsoid" ? ellipsoid_shape(three)
                                            : box_shape(three);
  const double scale = has_mass ? mass / shape.volume : density;
  const Matrix3 r = frame.orientation.matrix();
  return {scale * shape.volume, frame.position,
          r * Matrix3((scale * shape.inertia).asDiagonal()) * r.transpose()};
}

/// What the compiler asks of every body.
void MjcfReader::bound(Inertial& inertial) const {
  inertial.mass = std::max(inertial.mass, bound_mass_);
  if (bound_inertia_ == 0 && !balance_) return;
  Matrix3 axes;
  Vector3 moments = principal(inertial.inertia, axes).cwiseMax(bound_inertia_);
  const double sum = moments.sum();
  if (balance_ && 2 * moments.maxCoeff() > sum) moments.setConstant(sum / 3);
  inertial.inertia = axes * moments.asDiagonal() * axes.transpose();
}

}  // namespace rattleback::text
