// Robots from URDF and MJCF files:
//
//   const Mechanism arm = robot_mechanism("arm.urdf", {.drop = {"damping", "limits"}},
//                                         {.joints = {{"shoulder", {0.3}}}});
//
// Which of the two a file is, its first element says. Every error names file, line and column.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "rattleback/multibody/robot.hpp"
#include "rattleback/text/model.hpp"

namespace rattleback {

/// What a conservative mechanism cannot keep.
inline constexpr const char* droppable[] = {"damping",   "friction",  "limits",  "armature",
                                            "stiffness", "actuators", "contacts"};

struct RobotOptions {
  /// Words of `droppable`, or "all". What a file has of the others is refused.
  std::vector<std::string> drop{};
  bool enforce_mimic = true;  ///< relations between joints: `mimic`, `<equality><joint>`
};

struct RobotFile {
  Robot robot;
  std::vector<std::string> notes;  ///< what was odd, left out or assumed
  KeptFiles files;                 ///< that were read beside the first one
};

/// Throws TextError, and InputError for a word that cannot be dropped.
RobotFile read_robot(const std::filesystem::path& path, const RobotOptions& options = {});
/// From memory. Included files are relative to `path`; those of `kept` are not read again.
RobotFile parse_robot(std::string_view text, const std::string& path,
                      const RobotOptions& options = {}, const KeptFiles& kept = {});
Mechanism robot_mechanism(const std::filesystem::path& path, const RobotOptions& options = {},
                          const RobotStart& start = {});

/// A robot as a model: drawn pose, at rest. Settings: drop ("limits damping", "all"), mimic.
ModelFile parse_robot_model(std::string_view text, const std::string& path,
                            const Settings& settings = {}, const KeptFiles& kept = {});

}  // namespace rattleback
