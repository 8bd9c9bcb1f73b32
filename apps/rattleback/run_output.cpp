#include "run_output.hpp"

#include <algorithm>
#include <cstdio>
#include <span>

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

std::string plural(long count, const std::string& thing) {
  return std::to_string(count) + " " + thing + (count == 1 ? "" : "s");
}

}  // namespace

Json run_json(const Job& job, const FinishedRun& run,
              const std::optional<ModifiedEnergy>& modified) {
  const Problem& problem = job.problem;
  const Layout& layout = job.header.layout;
  Json energy = Json::object({{"initial", run.initial_energy},
                              {"final", run.final_energy},
                              {"max_error", run.energy_error},
                              {"drift_per_time", run.energy_drift}});
  if (modified)
    energy.add("modified", Json::object({{"max_error", modified->modified_error()},
                                         {"energy_max_error", modified->energy_error()},
                                         {"states", modified->modified.size()}}));
  Json json =
      Json::object({{"model", problem.system.name()},
                    {"method", run.method},
                    {"step", run.step},
                    {"steps", run.steps},
                    {"time", run.time()},
                    {"initial", state_json(layout, job.start)},
                    {"final", state_json(layout, run.final)},
                    {"energy", energy},
                    {"constraint", Json::object({{"max", run.constraint}})},
                    {"hidden_constraint", Json::object({{"max", run.hidden}})},
                    {"newton", Json::object({{"mean", run.newton_mean}, {"max", run.newton_max}})},
                    {"projections", Json::object({{"position", run.projections.position},
                                                  {"momentum", run.projections.momentum}})},
                    {"seconds", run.seconds},
                    {"wanted_steps", run.wanted},
                    {"every", job.plan.every},
                    {"stopped", run.stopped},
                    {"class", class_in_words(problem)},
                    {"path", path_in_words(problem, *job.plan.method)},
                    {"notes", Json::array(job.plan.notes)}});
  if (job.header.multipliers > 0) json.add("multipliers", multipliers_json(job.header));
  if (!job.file.empty()) json.add("columns", Json::array(column_names(job.header)));
  if (!run.ok()) json.add("error", run.failure.text());
  return json;
}

std::string run_text(const Problem& problem, const Plan& plan, const FinishedRun& run,
                     const std::optional<ModifiedEnergy>& modified) {
  const std::string indent(19, ' ');
  std::string text = "model              " + problem.system.name() + ": " +
                     plural(problem.system.dimension(), "coordinate") + ", " +
                     plural(problem.system.constraint_count(), "constraint") + "\n";
  text += indent + class_in_words(problem) + "\n" + indent + path_in_words(problem, *plan.method) +
          "\n";
  for (const auto& note : plan.notes) text += "chosen             " + note + "\n";
  RunFigures shown = run;
  if (!run.ok()) shown.failure = {.what = "before the end; what and why is on standard error"};
  text += shown.summary();
  if (!modified) return text;
  char line[160];
  std::snprintf(line, sizeof line,
                "modified energy    max error %.2e where that of H is %.2e, over %zu states\n",
                modified->modified_error(), modified->energy_error(), modified->modified.size());
  return text + line;
}

void complain(const std::string& message) {
  std::fprintf(stderr, "rattleback: %s\n", message.c_str());
}

}  // namespace rattleback::app
