#include <cmath>

#include "../problem/suggest.hpp"
#include "mjcf.hpp"

namespace rattleback::text {

Styled::Styled(const Element& element, std::vector<Element> from_classes) : levels_{element} {
  levels_.insert(levels_.end(), from_classes.begin(), from_classes.end());
}

const Element& Styled::who(const char* attribute) const {
  for (const Element& level : levels_)
    if (level.has(attribute)) return level;
  return levels_.front();
}

/// Classes within classes.
void MjcfReader::read_default(const Element& element, const std::string& parent, int depth) {
  if (depth > 100) element.fail("classes are nested more than 100 deep");
  std::string name = element.text("class");
  if (name.empty() && !parent.empty()) element.fail("a <default> within a <default> needs a class");
  if (parent.empty()) {  // the outermost is "main", whatever it calls itself
    if (!name.empty()) main_names_.insert(name);
    name = main_class;
  }
  if (Class& own = classes_[name]; name != main_class) own.parent = parent;
  std::vector<Element> nested;
  for (const Element& child : children(element)) {
    if (child.name() == "default")
      nested.push_back(child);
    else
      classes_[name].elements[std::string(child.name())].push_back(child);
  }
  for (const Element& child : nested) {
    if (child.text("class") == name)
      child.fail("class", "class " + in_quotes(name) + " is within itself");
    if (classes_.contains(child.text("class")) && child.has("class"))
      child.fail("class", "there is more than one class " + in_quotes(child.text("class")));
    read_default(child, name, depth + 1);
  }
}

Styled MjcfReader::styled(const Element& element, const char* tag, const std::string& style) const {
  std::string name = element.has("class") ? element.text("class") : style;
  if (name.empty() || !classes_.contains(name)) {
    std::vector<std::string> known;
    known.reserve(classes_.size());
    for (const auto& [one, unused] : classes_) known.push_back(one);
    if (!name.empty() && name != main_class && !main_names_.contains(name))
      element.fail("class", "there is no default class " + in_quotes(name) +
                                detail::suggestion(name, known));
    name = main_class;
  }
  std::vector<Element> from;
  for (auto found = classes_.find(name); found != classes_.end();
       found = classes_.find(found->second.parent)) {
    const auto elements = found->second.elements.find(std::string_view(tag));
    if (elements != found->second.elements.end())
      from.insert(from.end(), elements->second.rbegin(), elements->second.rend());
  }
  return {element, std::move(from)};
}

lie::SO3<double> MjcfReader::euler(const Vector3& angles) const {
  lie::SO3<double> r;
  for (int k = 0; k < 3; ++k) {
    const char letter = euler_order_[static_cast<std::size_t>(k)];
    const bool moves = letter >= 'a';  // lower case: axes that turn along
    const int axis = letter - (moves ? 'x' : 'X');
    const auto turn = lie::SO3<double>::exp(Vector3::Unit(axis) * angle(angles[k]));
    r = moves ? r * turn : turn * r;
  }
  return r.normalized();
}

/// What the element itself says, in one of five ways.
std::optional<lie::SO3<double>> MjcfReader::orientation(const Element& e) const {
  const char* ways[] = {"quat", "axisangle", "euler", "xyaxes", "zaxis"};
  const char* way = nullptr;
  for (const char* one : ways) {
    if (!e.has(one)) continue;
    if (way) e.fail(one, std::string("an orientation by ") + way + " and by " + one);
    way = one;
  }
  if (!way) return std::nullopt;
  const std::string_view which = way;
  const auto unit = [&](const Vector3& v) -> Vector3 {
    const double length = v.norm();
    if (!(length > 1e-14)) e.fail(way, in_quotes(way) + " has no direction");
    return v / length;
  };
  if (which == "quat") {
    const auto q = e.numbers("quat", 4, 4);
    const double length = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (!(length > 1e-14)) e.fail(way, "'quat' is zero");
    return lie::SO3<double>{q[0] / length, Vector3(q[1], q[2], q[3]) / length};
  }
  if (which == "axisangle") {
    const auto a = e.numbers("axisangle", 4, 4);
    return lie::SO3<double>::exp(unit({a[0], a[1], a[2]}) * std::remainder(angle(a[3]), 4 * M_PI));
  }
  if (which == "euler") return euler(*e.vector("euler"));
  if (which == "zaxis") {
    const Vector3 z = unit(*e.vector("zaxis")), axis = lie::cross<double>(Vector3::UnitZ(), z);
    const double turn = std::atan2(axis.norm(), z[2]);
    const Vector3 about = axis.norm() > 1e-14 ? Vector3(axis / axis.norm()) : Vector3::UnitX();
    return lie::SO3<double>::exp(about * turn);
  }
  const auto a = e.numbers("xyaxes", 6, 6);
  Matrix3 m;
  m.col(0) = unit({a[0], a[1], a[2]});
  const Vector3 y(a[3], a[4], a[5]);
  m.col(1) = unit(y - m.col(0) * m.col(0).dot(y));
  m.col(2) = lie::cross<double>(m.col(0), m.col(1));
  return lie::rotation(m);
}

Placement MjcfReader::frame_of(const Styled& element) const {
  Placement frame{element.vector("pos", Vector3::Zero()), {}};
  for (const Element& level : element.levels())
    if (const auto turn = orientation(level)) {
      frame.orientation = *turn;
      break;
    }
  return frame;
}

}  // namespace rattleback::text
