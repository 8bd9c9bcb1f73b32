#include "rattleback/report/run_sink.hpp"

#include <algorithm>
#include <filesystem>

#include "rattleback/report/run_file.hpp"
#include "run_rows.hpp"

namespace rattleback {

const char* name(RunState state) {
  switch (state) {
    case RunState::running:
      return "running";
    case RunState::finished:
      return "finished";
    case RunState::stopped:
      return "stopped";
    case RunState::failed:
      return "failed";
  }
  return "";
}

std::unique_ptr<RunSink> make_sink(const std::string& path, const RunHeader& header,
                                   double checkpoint_seconds, Existing existing) {
  std::string ending = std::filesystem::path(path).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (ending == ".h5" || ending == ".hdf5")
    return std::make_unique<RunFile>(path, header, checkpoint_seconds, existing);
  if (ending == ".csv") return make_csv_sink(path, header, existing);
  if (ending == ".npy") return make_npy_sink(path, header, existing);
  throw FileError(path, (ending.empty() ? "has no ending" : "unknown ending '" + ending + "'") +
                            "; runs are written as .h5, .csv or .npy");
}

std::vector<std::string> column_names(const RunHeader& header) {
  std::vector<std::string> names{"t"};
  for (const auto& label : header.layout.labels()) names.push_back(label);
  for (const char* measured : {"energy", "constraint", "hidden", "newton"})
    names.emplace_back(measured);
  for (const auto& name : multiplier_names(header)) names.push_back(name);
  return names;
}

std::vector<std::string> multiplier_names(const RunHeader& header) {
  const auto what = header.settings.find("multiplier names");  // of joints: reactions have names
  if (what != header.settings.end() && what->second == "constraints")
    return header.multiplier_constraints;
  std::vector<std::string> names;
  for (int i = 1; i <= header.multipliers; ++i) names.push_back("lambda_" + std::to_string(i));
  return names;
}

const Table& RunData::field(const std::string& name) const {
  for (std::size_t i = 0; i < fields.size(); ++i)
    if (header.layout.fields[i].name == name) return fields[i];
  throw InputError("field", "there is no '" + name + "'; there are " + header.layout.text());
}

MemorySink::MemorySink(RunHeader header) {
  data_.header = std::move(header);
  detail::shape_rows(data_, 0);
}

void MemorySink::add(const Sample& sample) { detail::add_row(data_, sample); }

void MemorySink::finish(const RunFigures& figures) {
  data_.figures = figures;
  data_.state = detail::state_at_end(figures);
}

}  // namespace rattleback
