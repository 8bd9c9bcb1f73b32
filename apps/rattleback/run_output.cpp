#include "run_output.hpp"

#include <algorithm>
#include <cstdio>
#include <span>

#include "rattleback/multibody/mechanism_motion.hpp"
#include "rattleback/multibody/robot.hpp"

namespace rattleback::app {

namespace {

/// A member for each field.
Json state_json(const Layout& layout, std::span<const double> values) {
  Json json = Json::object({});
  for (const Field& field : layout.fields) {
    const auto columns = static_cast<std::size_t>(field.columns());
    const std::size_t taken = std::min(columns, values.size());  // a run may have no last state
    json.add(field.name, Json::array(values.first(taken)));
    values = values.subspan(taken);
  }
  return json;
}

/// What each is called in files, and its constraint.
Json multipliers_json(const RunHeader& header) {
  std::vector<Json> all;
  const std::vector<std::string> names = multiplier_names(header);
  for (std::size_t i = 0; i < names.size(); ++i) {
    all.push_back(Json::object({{"name", names[i]}}));
    if (i < header.multiplier_constraints.size())
      all.back().add("constraint", header.multiplier_constraints[i]);
  }
  return Json::array(all);
}

/// A rotation matrix by rows.
Json rows_of(const lie::SO3<double>& orientation) {
  const Matrix3 r = orientation.matrix();
  std::vector<Json> rows;
  rows.reserve(3);
  for (int i = 0; i < 3; ++i)
    rows.push_back(Json::array(std::vector<double>{r(i, 0), r(i, 1), r(i, 2)}));
  return Json::array(rows);
}

Json quaternion_of(const lie::SO3<double>& r) {
  return Json::array(std::vector<double>{r.w, r.v[0], r.v[1], r.v[2]});
}

/// What the robot's file calls joints and links.
void add_robot(const Mechanism& mechanism, const std::vector<Body>& bodies,
               const std::vector<std::vector<double>>& numbers, Json& json) {
  const auto value = [](const std::vector<double>& numbers) {
    return numbers.size() == 1 ? Json(numbers[0]) : Json::array(numbers);
  };
  Json joints = Json::object({}), velocities = Json::object({});
  for (std::size_t i = 0; i < mechanism.coordinates.size(); ++i) {
    const JointCoordinate& coordinate = mechanism.coordinates[i];
    joints.add(coordinate.name,
               value(i < numbers.size() ? numbers[i] : value_of(coordinate, bodies)));
    velocities.add(coordinate.name, value(velocity_of(coordinate, bodies)));
  }
  std::vector<Json> links;
  for (const RobotLink& link : mechanism.links) {
    const Placement frame = frame_of(link, bodies);
    links.push_back(Json::object({{"name", link.name},
                                  {"center_of_mass", Json::array(center_of(link, bodies))},
                                  {"position", Json::array(frame.position)},
                                  {"orientation", quaternion_of(frame.orientation)}}));
  }
  json.add("joints", joints);
  json.add("joint_velocities", velocities);
  json.add("links", Json::array(links));
}

/// Of a mechanism: each body by itself, its orientation as a matrix.
Json bodies_json(const Mechanism& mechanism, const AnyMotion::Point& state,
                 const std::vector<std::vector<double>>& numbers) {
  const std::vector<Body> bodies = bodies_of(mechanism, state);
  std::vector<Json> all;
  all.reserve(bodies.size());
  for (const Body& body : bodies) {
    all.push_back(Json::object({{"name", body.name},
                                {"position", Json::array(body.position)},
                                {"orientation", rows_of(body.orientation)},
                                {"velocity", Json::array(body.velocity)},
                                {"angular_velocity", Json::array(body.angular_velocity)}}));
  }
  Json json = Json::object({{"bodies", Json::array(all)}});
  if (!mechanism.links.empty()) add_robot(mechanism, bodies, numbers, json);
  return json;
}

Json point_json(const Job& job, const AnyMotion::Point& state,
                const std::vector<std::vector<double>>& joints = {}) {
  return job.mechanism && !state.empty() ? bodies_json(*job.mechanism, state, joints)
                                         : state_json(job.motion->info().layout, state);
}

Json observables_json(const Job& job) {
  Json json = Json::object({});
  for (const ObservedFigures& f : job.observed)
    json.add(f.name, Json::object({{"initial", f.initial},
                                   {"final", f.final},
                                   {"min", f.min},
                                   {"max", f.max},
                                   {"mean", f.mean}}));
  return json;
}

}  // namespace

Json run_json(const Job& job, const FinishedRun& run, const std::optional<ModifiedEnergy>& modified,
              const std::vector<std::vector<double>>& joints) {
  const JobWords words = in_words(job);
  Json energy = Json::object({{"initial", run.initial_energy},
                              {"final", run.final_energy},
                              {"max_error", run.energy_error},
                              {"drift_per_time", run.energy_drift}});
  if (modified)
    energy.add("modified", Json::object({{"max_error", modified->modified_error()},
                                         {"energy_max_error", modified->energy_error()},
                                         {"states", modified->modified.size()}}));
  Json json = Json::object(
      {{"model", words.name},
       {"method", run.method},
       {"step", run.step},
       {"steps", run.steps},
       {"time", run.time()},
       {"initial", point_json(job, job.start)},
       {"final", point_json(job, run.final, joints)},
       {"energy", energy},
       {"constraint", Json::object({{"max", run.constraint}})},
       {"hidden_constraint", Json::object({{"max", run.hidden}})},
       {"newton", Json::object({{"mean", run.newton_mean}, {"max", run.newton_max}})},
       {"projections", Json::object({{"position", run.projections.position},
                                     {"momentum", run.projections.momentum}})},
       {"divided", Json::object({{"steps", run.divided.steps}, {"parts", run.divided.parts}})},
       {"seconds", run.seconds},
       {"wanted_steps", run.wanted},
       {"every", job.plan.every},
       {"stopped", run.stopped},
       {"class", words.form},
       {"path", words.path},
       {"notes", Json::array(job.plan.notes)}});
  if (job.header.multipliers > 0) json.add("multipliers", multipliers_json(job.header));
  if (!job.observed.empty()) json.add("observables", observables_json(job));
  if (!job.file.empty()) json.add("columns", Json::array(column_names(job.header)));
  if (!run.ok()) json.add("error", run.failure.text());
  return json;
}

std::string run_text(const Job& job, const FinishedRun& run,
                     const std::optional<ModifiedEnergy>& modified) {
  const std::string indent(19, ' ');
  const JobWords words = in_words(job);
  std::string text = "model              " + words.name + ": " + words.size + "\n";
  text += indent + words.form + "\n" + indent + words.path + "\n";
  for (const auto& note : job.plan.notes) text += "chosen             " + note + "\n";
  RunFigures shown = run;
  if (!run.ok()) shown.failure = {.what = "before the end; what and why is on standard error"};
  text += shown.summary();
  char line[160];
  for (const ObservedFigures& f : job.observed) {
    std::snprintf(line, sizeof line, "%-18.18s from %.6g to %.6g, mean %.6g, at the end %.6g\n",
                  f.name.c_str(), f.min, f.max, f.mean, f.final);
    text += line;
  }
  if (!modified) return text;
  std::snprintf(line, sizeof line,
                "modified energy    max error %.2e where that of H is %.2e, over %zu states\n",
                modified->modified_error(), modified->energy_error(), modified->modified.size());
  return text + line;
}

void complain(const std::string& message) {
  std::fprintf(stderr, "rattleback: %s\n", message.c_str());
}

}  // namespace rattleback::app
