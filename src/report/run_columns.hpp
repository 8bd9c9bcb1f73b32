// The states of a run file: one dataset per column, growing together by rows.
#pragma once

#include <optional>

#include "hdf5_handle.hpp"
#include "rattleback/report/run_data.hpp"

namespace rattleback::detail {

class RunColumns {
 public:
  RunColumns() = default;
  static RunColumns create(hid_t file, const std::string& path, const RunHeader& header);
  static RunColumns open(hid_t file, const std::string& path, const RunHeader& header);

  /// Rows that every column holds.
  hsize_t rows() const { return rows_; }
  void append(const RunData& more);
  /// The next rows to be appended begin here; those that are there stay until then.
  void go_back_to(hsize_t row) { rows_ = std::min(rows_, row); }
  /// Of the last row; nothing where there are none.
  std::optional<double> last_time() const;
  /// Rows from `begin` on, as the header of `data` has them.
  void read(RunData& data, hsize_t begin, hsize_t count) const;

 private:
  /// `columns` 0 is a plain vector.
  struct Column {
    std::string name;
    hsize_t columns;
    hid_t stored, native;
    Handle set{};

    hsize_t width() const { return columns > 0 ? columns : 1; }
    int rank() const { return columns > 0 ? 2 : 1; }
    hsize_t chunk_rows() const;
    Handle cache() const;
  };
  /// The same rows in the file and in memory.
  struct Selection {
    Handle file, memory;
  };

  RunColumns(std::string path, const RunHeader& header);
  void create(Column& c, hid_t file) const;
  hsize_t open(Column& c, hid_t file) const;
  void extend(const Column& c, hsize_t rows) const;
  static Selection select(const Column& c, hsize_t at, hsize_t rows);

  std::string path_;
  std::vector<Column> columns_;
  hsize_t rows_ = 0;
};

}  // namespace rattleback::detail
