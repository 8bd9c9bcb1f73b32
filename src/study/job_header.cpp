#include "job_header.hpp"

#include <set>
#include <utility>

#include "rattleback/multibody/mechanism_motion.hpp"
#include "rattleback/study/load.hpp"

namespace rattleback::study {

namespace {

/// Multipliers are those of the constraints as they were written.
void name_constraints(const Problem& problem, RunHeader& header) {
  constexpr int most_texts = 1000;  // beyond, a text for each would outweigh the run
  const AnySystem& all = problem.complete ? *problem.complete : problem.system;
  if (header.multipliers == all.constraint_count() && header.multipliers <= most_texts)
    header.multiplier_constraints = problem.written();
}

/// Of a mechanism they are what its joints do, and called so.
void name_reactions(const Mechanism& mechanism, RunHeader& header) {
  constexpr std::size_t most_joints = 1000;
  if (mechanism.joints.empty() || mechanism.joints.size() > most_joints) return;
  header.multiplier_constraints = reaction_names(mechanism);
  header.settings["multiplier names"] = "constraints";
}

Settings settings_of(const RunHeader& header) {
  Settings settings;
  for (const auto& [key, value] : header.settings)
    if (key.starts_with("set ")) settings.emplace_back(key.substr(4), value);
  return settings;
}

/// What the model was read from beside its own text.
KeptFiles files_of(const RunHeader& header) {
  KeptFiles files;
  for (const auto& [key, value] : header.settings)
    if (const std::size_t end = value.find('\n'); key.starts_with("file ") && end < value.size())
      files.emplace(value.substr(0, end), value.substr(end + 1));
  return files;
}

/// Wherever they are.
std::multiset<std::string> texts(const KeptFiles& files) {
  std::multiset<std::string> all;
  for (const auto& file : files) all.insert(file.second);
  return all;
}

}  // namespace

Layout stored_layout(const Job& job) {
  Layout layout = job.motion->info().layout;
  if (job.problem)
    if (auto field = Observables::field(job.problem->file))
      layout.fields.push_back(std::move(*field));
  return layout;
}

RunHeader header_of(const JobRequest& request, const ModelFile& file, Job& job) {
  RunHeader header = describe_run(job.motion->info(), job.options);
  header.layout = stored_layout(job);
  header.model_text = file.text;
  header.settings["path"] = file.path;
  if (request.multipliers == Multipliers::minimal) header.settings["multipliers"] = "minimal";
  if (job.problem) name_constraints(*job.problem, header);
  if (job.mechanism) name_reactions(*job.mechanism, header);
  if (job.plan.time && job.motion->clock())
    header.settings["time"] = to_string(OptionValue(*job.plan.time));
  for (const auto& [name, value] : request.settings) header.settings["set " + name] = value;
  std::size_t count = 0;  // paths are no names for settings
  for (const auto& [path, text] : file.files) {
    std::string& stored = header.settings["file " + std::to_string(++count)];
    stored = path;
    stored.append("\n").append(text);
  }
  return header;
}

Method method_named(const std::string& specification) {
  const std::string family = specification.substr(0, specification.find(':'));
  for (const Family& known : mechanism_families())
    if (known.name == family) return find_mechanism_method(specification);
  return find_method(specification);
}

void require_same(const JobRequest& request, const RunHeader& header) {
  const auto refuse = [](const std::string& wish, const std::string& is) {
    throw InputError(wish, "the run to be resumed was made with " + is + ", which stays");
  };
  if (request.method && method_named(*request.method) != method_named(header.method))
    refuse("method", header.method);
  if (request.step && *request.step != header.step) refuse("step", detail::quote(header.step));
  if (request.every && *request.every != header.every)
    refuse("every", std::to_string(header.every));
  if (!request.out.empty() && request.out != request.resume) refuse("out", request.resume);
  for (const auto& [name, value] : request.settings) {
    const auto found = header.settings.find("set " + name);
    if (found == header.settings.end()) refuse(name, "the value of its file");
    if (found->second != value) refuse(name, found->second);
  }
  if (request.steps && request.time) throw InputError("time", "give steps or time, not both");
}

double wanted_time(const RunHeader& header) {
  const auto found = header.settings.find("time");
  return found == header.settings.end() ? 0 : std::stod(found->second);
}

ModelFile model_of(const JobRequest& request, const RunHeader& header) {
  if (header.model_text.empty())
    throw InputError(request.resume, "holds no model: it was not written by this program");
  const Settings settings = settings_of(header);
  const auto path = header.settings.find("path");
  ModelFile model =
      load_text(header.model_text, path == header.settings.end() ? "model" : path->second, settings,
                files_of(header));
  if (request.file.empty()) return model;
  const ModelFile given = load(request.file, settings);
  if (given.text != model.text || texts(given.files) != texts(model.files))
    throw InputError(request.file, "is not the model that " + request.resume +
                                       " holds; leave it out to go on with that one");
  return model;
}

}  // namespace rattleback::study
