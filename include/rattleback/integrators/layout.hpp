// What the numbers of a state are called: its fields, and the columns of each.
#pragma once

#include <string>
#include <vector>

namespace rattleback {

/// A part of a state that is stored together.
struct Field {
  std::string name;                 ///< of its dataset in a run file
  std::vector<std::string> labels;  ///< of its columns, in tables and pictures

  int columns() const { return static_cast<int>(labels.size()); }
  bool operator==(const Field&) const = default;
};

/// The first field says where things are: pictures show it, and to scale.
struct Layout {
  std::vector<Field> fields;

  /// Of all fields, in their order.
  std::vector<std::string> labels() const;
  int columns() const { return static_cast<int>(labels().size()); }
  /// "q (2), p (2)"
  std::string text() const;
  bool operator==(const Layout&) const = default;
};

/// q with the names of the coordinates, p with p_ and the names.
Layout phase_space(const std::vector<std::string>& coordinates);

}  // namespace rattleback
