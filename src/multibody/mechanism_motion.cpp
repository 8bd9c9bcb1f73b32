#include "rattleback/multibody/mechanism_motion.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "mechanism_failure.hpp"
#include "mechanism_steps.hpp"
#include "rattleback/integrators/phase_space_motion.hpp"
#include "rattleback/problem/error.hpp"

namespace rattleback {

namespace {

using Twist = Vector<double, 6>;

constexpr int place_numbers = 3, turn_numbers = 4, body_numbers = 13;

/// "link.x"; bodies without a name are counted.
Field field(const char* name, const Mechanism& m, const std::vector<std::string>& columns) {
  Field f{name, {}};
  for (std::size_t i = 0; i < m.bodies.size(); ++i)
    for (const auto& column : columns)
      f.labels.push_back((m.bodies[i].name.empty() ? std::to_string(i + 1) : m.bodies[i].name) +
                         "." + column);
  return f;
}

Layout layout_of(const Mechanism& m) {
  return {{field("position", m, {"x", "y", "z"}),
           field("orientation", m, {"q_w", "q_x", "q_y", "q_z"}),
           field("velocity", m, {"v_x", "v_y", "v_z"}),
           field("angular_velocity", m, {"w_x", "w_y", "w_z"})}};
}

MechanismStepsPointer steps_for(const MechanismModel& model, const Method& method,
                                const SolveOptions& solve) {
  const std::string& family = method.family().name;
  if (family == "rigid-rattle") return steps_in_matrices(model, method.values(), family, solve);
  if (model.massless && family == "lie-rattle")
    throw ModelError(
        "lie-rattle takes two retractions a step and needs the inertia of every body between them; "
        "for bodies without one take rattlie or lie-composition");
  const bool coupled = method.values().word("group") == "SE3";
  return (coupled ? steps_in_se3 : steps_in_so3xr3)(model, method.values(), family, solve);
}

/// Bodies with momenta, and the numbers of the layout, which have velocities.
class MechanismMotion {
 public:
  using Point = MechanismState<double>;

  MechanismMotion(const Mechanism& mechanism, const Method& method, const SolveOptions& solve)
      : mechanism_(std::make_unique<Mechanism>(mechanism)),
        model_(std::make_unique<MechanismModel>(mechanism)),
        steps_(steps_for(*model_, method, solve)),
        look_(*model_),
        z_(model_->start),
        measured_(z_),
        method_(method.info().name) {}

  MotionInfo info() const {
    return {mechanism_->name, method_, layout_of(*mechanism_), model_->joints.count(),
            6 * static_cast<int>(mechanism_->joints.size())};
  }
  Advance advance(double h, long count) {
    Advance done;
    for (; done.steps < count; ++done.steps) {
      done.status = steps_->step(z_, h);
      if (!done.status) break;
      done.newton += done.status.iterations;
      done.newton_max = std::max(done.newton_max, done.status.iterations);
      if (steps_->parts > 1) ++divided_;
    }
    return done;
  }
  void reset() {
    steps_->reset();
    steps_->parts = 1, divided_ = 0;
  }
  /// That steps are divided is kept.
  void settle() { steps_->reset(); }
  Divided divided() const { return {divided_, steps_->parts}; }

  /// Momenta that are not projected have no velocities where bodies have no inertia, and those of
  /// shafts are not among the numbers of a state.
  Point state() const {
    Point z = z_;
    if (model_->massless || !z.shafts.empty()) {
      MechanismLook look(*model_);
      look.at(z);
      (void)static_cast<bool>(look.project(z));
    }
    return z;
  }
  Status present(Point& z) {
    look_.at(z);
    return look_.project(z);
  }
  Status measure(Look<Point>& look) {
    look_.at(look.point);
    measured_ = look.point;
    look.energy = look_.energy(look.point);
    look.constraint = look_.constraint();
    look.hidden = look_.hidden(look.point);
    if (!std::isfinite(look.energy)) return {Outcome::not_finite, 0, look.energy};
    return {};
  }
  /// Reactions at the state that was measured last.
  void multipliers(std::vector<double>& to) const { (void)look_.reactions(measured_, to); }
  Projections projections(long, long looks) { return {0, looks}; }
  Failure explain(const Status& status, const Point& z, double step, double time) const {
    return explain_step(*mechanism_, *model_, look_, status, z, step, time);
  }

  void values(const Point& z, std::vector<double>& to) const {
    const std::size_t n = z.poses.size();
    to.resize(body_numbers * n);
    double* x = to.data();
    double* r = x + place_numbers * n;
    double* v = r + turn_numbers * n;
    double* w = v + place_numbers * n;
    for (std::size_t i = 0; i < n; ++i) {
      const Twist speed = look_.velocity(i, z);
      *r++ = z.poses[i].r.w;
      for (int k = 0; k < 3; ++k) {
        *x++ = z.poses[i].x[k], *r++ = z.poses[i].r.v[k];
        *w++ = speed[k], *v++ = speed[3 + k];
      }
    }
  }
  Point point(std::span<const double> values) const {
    detail::require_numbers(values.size(), body_numbers * model_->bodies());
    Point z = z_;
    const std::size_t n = z.poses.size();
    const double* x = values.data();
    const double* r = x + place_numbers * n;
    const double* v = r + turn_numbers * n;
    const double* w = v + place_numbers * n;
    for (std::size_t i = 0; i < n; ++i, x += 3, r += 4, v += 3, w += 3) {
      z.poses[i] = {{r[0], {r[1], r[2], r[3]}}, {x[0], x[1], x[2]}};
      z.velocities[i] << w[0], w[1], w[2], v[0], v[1], v[2];
      z.momenta[i] << model_->inertia[i].inertia * z.velocities[i].head<3>(),
          model_->inertia[i].mass * z.velocities[i].tail<3>();
    }
    look_.place_shafts(z);
    return z;
  }
  void save(std::vector<double>& to) const {
    to.clear();
    for (std::size_t i = 0; i < z_.poses.size(); ++i) {
      const auto& [r, x] = z_.poses[i];
      to.insert(to.end(), {r.w, r.v[0], r.v[1], r.v[2], x[0], x[1], x[2]});
      to.insert(to.end(), z_.momenta[i].begin(), z_.momenta[i].end());
    }
    for (const auto& shaft : z_.shafts) to.insert(to.end(), {shaft.position, shaft.momentum});
    to.insert(to.end(), {static_cast<double>(steps_->parts), static_cast<double>(divided_)});
  }
  void restore(std::span<const double> saved) {
    detail::require_numbers(saved.size(),
                            body_numbers * model_->bodies() + 2 * z_.shafts.size() + 2);
    const double* s = saved.data();
    for (std::size_t i = 0; i < z_.poses.size(); ++i, s += body_numbers) {
      z_.poses[i] = {{s[0], {s[1], s[2], s[3]}}, {s[4], s[5], s[6]}};
      z_.momenta[i] = Eigen::Map<const Twist>(s + 7);
    }
    for (auto& shaft : z_.shafts) shaft.position = *s++, shaft.momentum = *s++;
    steps_->reset();
    steps_->parts = static_cast<int>(*s++), divided_ = static_cast<long>(*s++);
  }

  /// A tangent vector, of each body: turn in its axes, shift, and the changes of both momenta.
  Point retract(const Point& z, std::span<const double> tangent) const {
    Point to = z;
    const double* t = tangent.data();
    for (std::size_t i = 0; i < to.poses.size(); ++i, t += 12) {
      to.poses[i].r = (z.poses[i].r * lie::SO3<double>::exp({t[0], t[1], t[2]})).normalized();
      to.poses[i].x += Vector3(t[3], t[4], t[5]);
      const Twist change = Eigen::Map<const Twist>(t + 6);
      to.momenta[i] += change;
      to.velocities[i] += look_.velocity(i, change);
    }
    return to;
  }
  void difference(const Point& a, const Point& b, std::vector<double>& to) const {
    to.clear();
    for (std::size_t i = 0; i < a.poses.size(); ++i) {
      const Vector3 turn = lie::log(a.poses[i].r.inverse() * b.poses[i].r),
                    shift = b.poses[i].x - a.poses[i].x;
      const Twist change = b.momenta[i] - a.momenta[i];
      to.insert(to.end(), turn.begin(), turn.end());
      to.insert(to.end(), shift.begin(), shift.end());
      to.insert(to.end(), change.begin(), change.end());
    }
  }

 private:
  std::unique_ptr<Mechanism> mechanism_;
  std::unique_ptr<MechanismModel> model_;
  std::unique_ptr<MechanismSteps<double>> steps_;
  mutable MechanismLook look_;  // its matrix is made again for each state
  Point z_, measured_;
  long divided_ = 0;
  std::string method_;
};
static_assert(Motion<MechanismMotion>);

}  // namespace

std::vector<std::string> reaction_names(const Mechanism& mechanism) {
  std::vector<std::string> names;
  for (std::size_t k = 0; k < mechanism.joints.size(); ++k) {
    const std::string& own = mechanism.joints[k].name;
    for (const char* part :
         {".force_x", ".force_y", ".force_z", ".torque_x", ".torque_y", ".torque_z"})
      names.push_back((own.empty() ? "joint" + std::to_string(k + 1) : own) + part);
  }
  return names;
}

AnyMotionPointer mechanism_motion(const Mechanism& mechanism, const Method& method,
                                  const SolveOptions& solve) {
  return erase_motion(MechanismMotion(mechanism, method, solve));
}

std::vector<Body> bodies_of(const Mechanism& mechanism, const AnyMotion::Point& state) {
  std::vector<Body> bodies = mechanism.bodies;
  const std::size_t n = bodies.size();
  detail::require_numbers(state.size(), body_numbers * n);
  for (std::size_t i = 0; i < n; ++i) {
    const double* x = state.data() + 3 * i;
    const double* r = state.data() + 3 * n + 4 * i;
    const double* v = state.data() + 7 * n + 3 * i;
    const double* w = state.data() + 10 * n + 3 * i;
    bodies[i].position = {x[0], x[1], x[2]};
    bodies[i].orientation = {r[0], {r[1], r[2], r[3]}};
    bodies[i].velocity = {v[0], v[1], v[2]};
    bodies[i].angular_velocity = {w[0], w[1], w[2]};
  }
  return bodies;
}

}  // namespace rattleback
