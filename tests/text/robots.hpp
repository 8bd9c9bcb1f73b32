// Small robot files, and what is said of them.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <rattleback/text/robot.hpp>

namespace rattleback {

inline RobotFile robot_in(const std::string& text, const RobotOptions& options = {}) {
  return parse_robot(text, "robot.xml", options);
}

inline Mechanism mechanism_in(const std::string& text, const RobotStart& start = {},
                              const RobotOptions& options = {}) {
  return mechanism_of(robot_in(text, options).robot, start);
}

/// The first line of the error, or "no error".
inline std::string said_of(const std::string& text, const RobotOptions& options = {}) {
  try {
    (void)mechanism_of(robot_in(text, options).robot);
  } catch (const Error& error) {
    const std::string what = error.what();
    return what.substr(0, what.find('\n'));
  }
  return "no error";
}

inline void expect_note(const RobotFile& file, const std::string& words) {
  const bool found = std::any_of(file.notes.begin(), file.notes.end(), [&](const auto& note) {
    return note.find(words) != std::string::npos;
  });
  std::string all;
  for (const auto& note : file.notes) all += "\n  " + note;
  EXPECT_TRUE(found) << "no note '" << words << "' in" << all;
}

inline void expect_said(const std::string& text, const std::string& words,
                        const RobotOptions& options = {}) {
  const std::string said = said_of(text, options);
  EXPECT_NE(said.find(words), std::string::npos) << "'" << words << "' is not in: " << said;
}

inline const Body& body_of(const Mechanism& m, const std::string& name) {
  return m.bodies[static_cast<std::size_t>(m.index(name))];
}

inline const RobotLink& link_of(const Mechanism& m, const std::string& name) {
  for (const RobotLink& link : m.links)
    if (link.name == name) return link;
  throw InputError("links", "there is no link " + name);
}

}  // namespace rattleback
