// [model] with a `file`: a robot, and its start in [initial].
#include <cmath>

#include "file.hpp"
#include "reader.hpp"

namespace rattleback::text {

Mechanism Reader::read_robot_table(const Toml& model, const KeptFiles& kept) {
  for (const char* own : {"body", "joint"})
    if (const auto* entry = root_.find(own))
      fail(entry->position, "[[" + entry->key + "]] belongs to models without a 'file'");
  const Toml::Entry& entry = *model.find("file");
  const std::string path =
      (std::filesystem::path(file_.path).parent_path() / text_of(entry)).string();
  const RobotOptions options = robot_options(model);
  const auto known = kept.find(path);
  std::string content;
  try {
    content = known == kept.end() ? read_file(path) : known->second;
  } catch (const TextError& error) {
    fail(entry.value.position, error.what());
  }
  RobotFile file = [&] {
    try {
      return parse_robot(content, path, options, kept);
    } catch (const TextError&) {
      throw;
    } catch (const InputError& error) {  // a word of `drop`
      const auto* drop = model.find("drop");
      fail(drop ? drop->value.position : entry.position, error.reason());
    }
  }();
  file_.files[path] = std::move(content);
  return mechanism_of_file(std::move(file), model);
}

/// What the table says beside the file.
Mechanism Reader::mechanism_of_file(RobotFile file, const Toml& model) {
  if (const auto* name = model.find("name")) file.robot.name = text_of(*name);
  if (const auto* gravity = model.find("gravity")) {
    file.robot.gravity = vector(*gravity);
    std::erase_if(file.notes, [](const auto& note) { return note.starts_with("gravity is "); });
  }
  RobotStart start;
  if (const auto* initial = root_.find("initial")) {
    if (const auto* joints = initial->value.find("joints")) start.joints = joint_numbers(*joints);
    if (const auto* rates = initial->value.find("joint_velocities"))
      start.velocities = joint_numbers(*rates);
    start.close_loops = file_.initial->project;
  }
  file_.notes = std::move(file.notes);
  file_.files.merge(file.files);
  try {
    return mechanism_of(file.robot, start, &file_.notes);
  } catch (const InputError& error) {
    refuse_joint(error);
  }
}

RobotOptions Reader::robot_options(const Toml& model) const {
  RobotOptions options;
  if (const auto* drop = model.find("drop")) {
    if (drop->value.is(Toml::Type::string)) {
      options.drop.push_back(drop->value.string);
    } else {
      for (const Toml& item : require(*drop, Toml::Type::list, "a list of words").items)
        options.drop.push_back(text_of({"drop", item.position, item}));
    }
  }
  if (const auto* mimic = model.find("mimic")) {
    const std::string word = text_of(*mimic);
    if (word != "enforce" && word != "ignore")
      fail(mimic->value.position, "'mimic' must be enforce or ignore, not " + in_quotes(word));
    options.enforce_mimic = word == "enforce";
  }
  return options;
}

/// { shoulder = 0.3, ball = [1, 0, 0, 0] }
std::map<std::string, std::vector<double>> Reader::joint_numbers(const Toml::Entry& entry) {
  std::map<std::string, std::vector<double>> all;
  for (const auto& joint : require(entry, Toml::Type::table, "a table").entries) {
    if (joint.value.is(Toml::Type::list)) {
      all[joint.key] = numbers(joint.value, joint.value.items.size(), in_quotes(joint.key));
      continue;
    }
    const double value = number(joint);
    if (!std::isfinite(value)) fail(joint.value.position, in_quotes(joint.key) + " is not finite");
    all[joint.key] = {value};
  }
  return all;
}

/// At the entry that the error is about.
void Reader::refuse_joint(const InputError& error) const {
  const auto* initial = root_.find("initial");
  const auto* table = initial ? initial->value.find(error.where()) : nullptr;
  if (!table) throw error;
  for (const auto& joint : table->value.entries)
    if (error.reason().find("'" + joint.key + "'") != std::string::npos)
      fail(joint.position, error.reason());
  fail(table->position, error.reason());
}

}  // namespace rattleback::text
