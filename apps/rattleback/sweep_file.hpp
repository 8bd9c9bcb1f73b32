// The table of a sweep: a row per member as it ends, so that a killed sweep can go on.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace rattleback::app {

using CsvRow = std::vector<std::string>;

std::string csv_line(const CsvRow& row);

class SweepFile {
 public:
  /// A new table; empty path: rows are kept in memory only. Throws FileError.
  SweepFile(std::string path, CsvRow head);
  /// A table to go on with; what a kill cut off in the middle is dropped.
  static SweepFile resume(const std::string& path, const CsvRow& head);

  /// Rows that are there, by member.
  const std::map<long, CsvRow>& rows() const { return rows_; }
  std::size_t count() const;
  /// Written at once, unless it is there already; from any thread.
  void add(long member, const CsvRow& row);
  /// The whole table in the order of members.
  void finish() const;

 private:
  void write(const std::string& text, bool append) const;

  std::string path_;
  CsvRow head_;
  std::map<long, CsvRow> rows_;
  std::unique_ptr<std::mutex> mutex_ = std::make_unique<std::mutex>();
};

}  // namespace rattleback::app
