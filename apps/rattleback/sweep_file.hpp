// The table of a sweep: a row per member as it ends, so that a killed sweep can go on. It is in its
// file and not in memory, however many members there are.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "report/locked_file.hpp"

namespace rattleback::app {

using CsvRow = std::vector<std::string>;

std::string csv_line(const CsvRow& row);

class SweepFile {
 public:
  using Visit = std::function<void(long member, const CsvRow& row)>;

  /// A new table of at most so many members; without a path it is in a file that has no name.
  /// Throws FileError.
  SweepFile(const std::string& path, CsvRow head, long members, Existing existing);
  /// A table to go on with, whose rows are shown first; what a kill cut off in the middle is
  /// dropped.
  SweepFile(const std::string& path, CsvRow head, long members, const Visit& seen);

  bool has(long member) const { return there_[static_cast<std::size_t>(member)]; }
  /// Written at once, unless it is there already.
  void add(long member, const CsvRow& row);
  void each_row(const Visit& visit) const;
  /// Puts the rows in the order of members.
  void finish();

 private:
  void note(long member);
  void write(const CsvRow& row);

  CsvRow head_;
  std::vector<bool> there_;
  long last_ = -1;  // row
  bool ordered_ = true;
  std::unique_ptr<rattleback::detail::LockedFile> file_;
};

}  // namespace rattleback::app
