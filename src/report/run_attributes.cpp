#include "run_attributes.hpp"

namespace rattleback::detail {

namespace {

constexpr const char* format_name = "rattleback run";
constexpr long format_version = 1;
// Both are written again when a run ends.
constexpr std::size_t failure_room = 2000, state_room = 16;

template <class Header, class Visit>
void each_attribute(Header& h, Visit&& visit) {
  visit("model", h.model);
  visit("method", h.method);
  visit("step", h.step);
  visit("every", h.every);
  visit("restart_every", h.restart_every);
  visit("wanted_steps", h.wanted);
  visit("constraints", h.constraints);
  visit("multipliers", h.multipliers);
}

template <class Figures, class Visit>
void each_figure(Figures& f, Visit&& visit) {
  visit("steps", f.steps);
  visit("initial_energy", f.initial_energy);
  visit("final_energy", f.final_energy);
  visit("energy_error", f.energy_error);
  visit("energy_drift", f.energy_drift);
  visit("constraint", f.constraint);
  visit("hidden", f.hidden);
  visit("newton_mean", f.newton_mean);
  visit("newton_max", f.newton_max);
  visit("position_projections", f.projections.position);
  visit("momentum_projections", f.projections.momentum);
  visit("seconds", f.seconds);
}

constexpr const char *divided_name = "divided_steps", *parts_name = "step_parts";

/// What each_attribute() and each_figure() do with the values of a file.
auto writing(const Hdf5Values& values, hid_t object) {
  return
      [&values, object](const char* name, const auto& value) { values.write(object, name, value); };
}
auto reading(const Hdf5Values& values, hid_t object) {
  return [&values, object](const char* name, auto& value) { values.read(object, name, value); };
}

/// A dataset that holds one text.
std::string only_text(const Hdf5Values& values, hid_t group, const char* name) {
  auto texts = values.read_texts(group, name);
  if (texts.size() != 1)
    throw FileError(values.path(), std::string("has a strange '") + name + "'");
  return std::move(texts.front());
}

std::map<std::string, std::string> read_settings(const Hdf5Values& values, hid_t file) {
  const Handle group = values.open_group(file, "settings");
  std::vector<std::string> names;
  H5Literate(
      group, H5_INDEX_NAME, H5_ITER_INC, nullptr,
      [](hid_t, const char* name, const H5L_info_t*, void* all) {
        static_cast<std::vector<std::string>*>(all)->emplace_back(name);
        return herr_t(0);
      },
      &names);
  std::map<std::string, std::string> settings;
  for (const auto& name : names) settings[name] = only_text(values, group, name.c_str());
  return settings;
}

/// The first field's labels have a place of their own besides: for scripts, and in files from
/// before there were layouts they are all there is.
void write_layout(const Hdf5Values& values, hid_t file, const Layout& layout) {
  std::vector<std::string> names;
  const Handle labels = values.create_group(file, "labels");
  for (const Field& field : layout.fields) {
    names.push_back(field.name);
    values.write_texts(labels, field.name.c_str(), field.labels);
  }
  values.write_texts(file, "fields", names);
  values.write_texts(file, "coordinates", layout.fields.at(0).labels);
}

Layout read_layout(const Hdf5Values& values, hid_t file) {
  if (H5Lexists(file, "fields", H5P_DEFAULT) <= 0)
    return phase_space(values.read_texts(file, "coordinates"));
  const Handle labels = values.open_group(file, "labels");
  Layout layout;
  for (const std::string& name : values.read_texts(file, "fields"))
    layout.fields.push_back({name, values.read_texts(labels, name.c_str())});
  return layout;
}

/// Names of the columns, and their constraints: beside the labels of the fields.
void write_multipliers(const Hdf5Values& values, hid_t file, const RunHeader& header) {
  if (header.multipliers == 0) return;
  values.write_texts(file, "multiplier_names", multiplier_names(header));
  if (!header.multiplier_constraints.empty())
    values.write_texts(file, "multiplier_constraints", header.multiplier_constraints);
}

/// Files from before have none.
void read_multipliers(const Hdf5Values& values, hid_t file, RunHeader& header) {
  constexpr const char* name = "multiplier_constraints";
  if (H5Lexists(file, name, H5P_DEFAULT) <= 0) return;
  header.multiplier_constraints = values.read_texts(file, name);
  if (std::ssize(header.multiplier_constraints) != header.multipliers)
    throw FileError(values.path(), std::string("has a strange '") + name + "'");
}

void require_format(const Hdf5Values& values, hid_t file) {
  std::string format;
  if (H5Aexists(file, "format") > 0) values.read(file, "format", format);
  if (format != format_name)
    throw FileError(values.path(), "is an HDF5 file, but not a run of rattleback");
  long version = 0;
  values.read(file, "format_version", version);
  if (version != format_version)
    throw FileError(values.path(), "is a run file of format " + std::to_string(version) +
                                       "; this program reads format " +
                                       std::to_string(format_version));
}

}  // namespace

void write_header(const Hdf5Values& values, hid_t file, const RunHeader& header) {
  values.write(file, "format", std::string(format_name));
  values.write(file, "format_version", format_version);
  values.write(file, "rattleback_version", std::string(RATTLEBACK_VERSION));
  each_attribute(header, writing(values, file));
  write_layout(values, file, header.layout);
  write_multipliers(values, file, header);
  values.write_texts(file, "model_text", {header.model_text});
  const Handle settings = values.create_group(file, "settings");
  for (const auto& [key, value] : header.settings)
    values.write_texts(settings, key.c_str(), {value});
}

RunHeader read_header(const Hdf5Values& values, hid_t file) {
  require_format(values, file);
  RunHeader header;
  each_attribute(header, reading(values, file));
  header.layout = read_layout(values, file);
  read_multipliers(values, file, header);
  header.model_text = only_text(values, file, "model_text");
  header.settings = read_settings(values, file);
  return header;
}

void write_wanted(const Hdf5Values& values, hid_t file, long wanted) {
  values.write(file, "wanted_steps", wanted);
}

void write_state(const Hdf5Values& values, hid_t summary, RunState state) {
  values.write(summary, "state", name(state), state_room);
}

void write_summary(const Hdf5Values& values, hid_t summary, RunState state, const RunFigures& f) {
  write_state(values, summary, state);
  values.write(summary, "time", f.time());
  each_figure(f, writing(values, summary));
  values.write(summary, divided_name, f.divided.steps);
  values.write(summary, parts_name, f.divided.parts);
  values.write(summary, "failure", f.failure.text(), failure_room);
}

void read_summary(const Hdf5Values& values, hid_t file, RunData& data) {
  const Handle group = values.open_group(file, "summary");
  std::string state;
  values.read(group, "state", state);
  for (RunState s : {RunState::running, RunState::finished, RunState::stopped, RunState::failed})
    if (state == name(s)) data.state = s;
  RunFigures& f = data.figures;
  f.method = data.header.method;
  f.step = data.header.step;
  f.wanted = data.header.wanted;
  f.stopped = data.state == RunState::stopped;
  each_figure(f, reading(values, group));
  if (H5Aexists(group, divided_name) > 0) {  // files from before have none
    values.read(group, divided_name, f.divided.steps);
    values.read(group, parts_name, f.divided.parts);
  }
  double time = 0;
  values.read(group, "time", time);
  if (time != f.time()) f.clock = time;
  values.read(group, "failure", f.failure.what);
}

}  // namespace rattleback::detail
