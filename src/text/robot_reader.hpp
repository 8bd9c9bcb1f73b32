// What the readers of robot files share.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "rattleback/text/robot.hpp"
#include "xml.hpp"

namespace rattleback::text {

/// Reads the files of a robot, each once, and keeps their text.
class RobotFiles {
 public:
  RobotFiles(std::vector<std::string>& notes, const KeptFiles& kept) : notes_(notes), kept_(kept) {}
  const XmlFile& open(const std::string& path, std::string_view content);
  bool exists(const std::string& path) const;
  const XmlFile& read(const std::string& path);
  const KeptFiles& read_files() const { return read_; }

 private:
  std::vector<std::string>& notes_;
  const KeptFiles& kept_;
  KeptFiles read_;
  std::vector<std::unique_ptr<XmlFile>> files_;
};

/// What cannot be kept: dropped where that is wished, otherwise refused with all there is of it.
class Drops {
 public:
  /// Throws InputError for words that nothing is called by.
  explicit Drops(const RobotOptions& options);
  /// "joint 'elbow' has damping 0.5"
  void found(const char* word, const Element& at, const std::string& what);
  bool drops(const char* word) const { return dropped_.contains(word); }
  void finish(std::vector<std::string>& notes) const;

 private:
  std::set<std::string> dropped_;
  std::map<std::string, int> counts_;
  struct Refusal {
    std::string word, what;
    Element at;
  };
  std::vector<Refusal> refused_;
};

/// What is said of an inertia that no body has; empty for others.
std::string odd_inertia(double mass, const Matrix3& inertia);
Matrix3 symmetric(double xx, double yy, double zz, double xy, double xz, double yz);
/// Turns about x, then y, then z of space.
lie::SO3<double> roll_pitch_yaw(const Vector3& angles);
/// What the attribute says; where it says nothing, the file's name without its ending.
std::string name_of_robot(const Element& root, const char* attribute);
/// "a, b and 3 more"
std::string few_of(const std::vector<std::string>& names);

Robot read_urdf(const Element& root, const RobotOptions& options, Drops& drops,
                std::vector<std::string>& notes);
Robot read_mjcf(const Element& root, RobotFiles& files, const RobotOptions& options, Drops& drops,
                std::vector<std::string>& notes);

}  // namespace rattleback::text
