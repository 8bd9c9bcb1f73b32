#include "robot_reader.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "../problem/suggest.hpp"
#include "file.hpp"

namespace rattleback {

namespace text {

namespace {

/// Of a symmetric matrix, by the angle of its characteristic equation.
double smallest_eigenvalue(const Matrix3& m) {
  const double mean = m.trace() / 3;
  const Matrix3 deviation = m - mean * Matrix3::Identity();
  const double size = std::sqrt(deviation.squaredNorm() / 6);
  if (!(size > 0)) return mean;
  const Matrix3 scaled = deviation / size;
  const double det = scaled.row(0).dot(lie::cross<double>(scaled.row(1), scaled.row(2)));
  const double angle = std::acos(std::clamp(det / 2, -1.0, 1.0)) / 3;
  return mean + 2 * size * std::cos(angle + 2 * std::numbers::pi / 3);
}

RobotOptions options_of(const Settings& settings) {
  RobotOptions options;
  for (const auto& [name, value] : settings) {
    if (name == "drop") {
      std::string word;
      for (const char c : value + " ") {
        if (c != ' ' && c != ',' && c != '[' && c != ']' && c != '"') {
          word += c;
        } else if (!word.empty()) {
          options.drop.push_back(word);
          word.clear();
        }
      }
    } else if (name == "mimic" && (value == "enforce" || value == "ignore")) {
      options.enforce_mimic = value == "enforce";
    } else if (name == "mimic") {
      throw InputError("mimic", "must be enforce or ignore, not " + in_quotes(value));
    } else {
      throw InputError(name, "a robot file has no such parameter; there are drop and mimic" +
                                 detail::suggestion(name, {"drop", "mimic"}));
    }
  }
  return options;
}

}  // namespace

const XmlFile& RobotFiles::open(const std::string& path, std::string_view content) {
  files_.push_back(std::make_unique<XmlFile>(path, content, notes_));
  return *files_.back();
}

bool RobotFiles::exists(const std::string& path) const {
  std::error_code error;
  return kept_.contains(path) || std::filesystem::is_regular_file(path, error);
}

const XmlFile& RobotFiles::read(const std::string& path) {
  const auto kept = kept_.find(path);
  const std::string& text = read_[path] = kept != kept_.end() ? kept->second : read_file(path);
  return open(path, text);
}

Drops::Drops(const RobotOptions& options) {
  std::vector<std::string> known(std::begin(droppable), std::end(droppable));
  for (const auto& word : options.drop) {
    if (word == "all") {
      dropped_.insert(known.begin(), known.end());
    } else if (std::find(known.begin(), known.end(), word) != known.end()) {
      dropped_.insert(word);
    } else {
      std::string listed;
      for (const auto& one : known) listed += one + ", ";
      throw InputError("drop", "unknown word " + in_quotes(word) + "; known: " + listed + "all" +
                                   detail::suggestion(word, known));
    }
  }
}

void Drops::found(const char* word, const Element& at, const std::string& what) {
  ++counts_[word];
  if (!dropped_.contains(word)) refused_.push_back({word, what, at});
}

void Drops::finish(std::vector<std::string>& notes) const {
  if (!refused_.empty()) {
    const Refusal& first = refused_.front();
    std::string all, words, others;
    std::set<std::string> seen;
    for (const Refusal& r : refused_)
      if (seen.insert(r.word).second) {
        all += (all.empty() ? "\"" : ", \"") + r.word + "\"";
        words += (words.empty() ? "" : ",") + r.word;
        if (r.word != first.word) others += (others.empty() ? "" : ", ") + r.word;
      }
    first.at.fail(first.what + ", which a conservative mechanism cannot keep" +
                  (others.empty() ? "" : " (the file also has: " + others + ")") +
                  "; to run without: --set drop=" + words + ", or drop = [" + all +
                  "] in a TOML model");
  }
  std::string all;
  for (const auto& [word, count] : counts_)
    all += (all.empty() ? "" : ", ") + word + " (" + std::to_string(count) + ")";
  if (!all.empty()) notes.push_back("dropped: " + all);
}

std::string odd_inertia(double mass, const Matrix3& inertia) {
  constexpr double tolerance = 1e-6;
  const double scale = tolerance * std::max(std::abs(inertia.trace()), inertia.norm());
  if (inertia.squaredNorm() == 0) return {};
  if (mass == 0) return "has an inertia, but no mass";
  if (smallest_eigenvalue(inertia) < -scale) return "has an inertia that is not positive";
  const Matrix3 moments = 0.5 * inertia.trace() * Matrix3::Identity() - inertia;
  if (smallest_eigenvalue(moments) < -scale)
    return "has an inertia that no body has: one principal moment is larger than the sum of the "
           "others";
  return {};
}

Matrix3 symmetric(double xx, double yy, double zz, double xy, double xz, double yz) {
  Matrix3 m;
  m << xx, xy, xz, xy, yy, yz, xz, yz, zz;
  return m;
}

lie::SO3<double> roll_pitch_yaw(const Vector3& angles) {
  lie::SO3<double> r;
  for (int k = 0; k < 3; ++k) r = lie::SO3<double>::exp(Vector3::Unit(k) * angles[k]) * r;
  return r.normalized();
}

std::string name_of_robot(const Element& root, const char* attribute) {
  const std::string given = root.text(attribute);
  const std::string stem = std::filesystem::path(root.file().source().name()).stem().string();
  return !given.empty() ? given : stem.empty() ? "robot" : stem;
}

std::string few_of(const std::vector<std::string>& names) {
  constexpr std::size_t most = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(most, names.size()); ++i)
    text += (i == 0 ? "" : ", ") + in_quotes(names[i]);
  if (names.size() > most) text += " and " + std::to_string(names.size() - most) + " more";
  return text;
}

}  // namespace text

RobotFile parse_robot(std::string_view content, const std::string& path,
                      const RobotOptions& options, const KeptFiles& kept) {
  RobotFile file;
  text::Drops drops(options);
  text::RobotFiles files(file.notes, kept);
  const text::XmlFile& xml = files.open(path, content);
  const text::Element root(xml, xml.root());
  if (root.name() == "robot")
    file.robot = text::read_urdf(root, options, drops, file.notes);
  else if (root.name() == "mujoco")
    file.robot = text::read_mjcf(root, files, options, drops, file.notes);
  else
    root.fail("the file begins with <" + std::string(root.name()) +
              ">; robots begin with <robot> (URDF) or <mujoco> (MJCF)");
  drops.finish(file.notes);
  file.files = files.read_files();
  return file;
}

RobotFile read_robot(const std::filesystem::path& path, const RobotOptions& options) {
  return parse_robot(text::read_file(path), path.string(), options);
}

Mechanism robot_mechanism(const std::filesystem::path& path, const RobotOptions& options,
                          const RobotStart& start) {
  return mechanism_of(read_robot(path, options).robot, start);
}

ModelFile parse_robot_model(std::string_view content, const std::string& path,
                            const Settings& settings, const KeptFiles& kept) {
  ModelFile model;
  model.path = path;
  model.text = content;
  RobotFile file = parse_robot(content, path, text::options_of(settings), kept);
  model.files = std::move(file.files);
  model.notes = std::move(file.notes);
  model.mechanism = std::make_shared<const Mechanism>(mechanism_of(file.robot, {}, &model.notes));
  model.system.name = file.robot.name;
  return model;
}

}  // namespace rattleback
