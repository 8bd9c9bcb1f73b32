// Where the states of a run go: HDF5, CSV, NumPy or memory. docs/run_files.md has the layouts.
#pragma once

#include <memory>
#include <string>

#include "rattleback/report/file_error.hpp"
#include "rattleback/report/run_data.hpp"

namespace rattleback {

/// Whatever was taken stays readable when a later call throws, or when the process is killed.
class RunSink {
 public:
  virtual ~RunSink() = default;
  virtual void add(const Sample& sample) = 0;
  /// A point to resume from; kept where the format can, and not more often than it likes.
  virtual void checkpoint(const Checkpoint&) {}
  /// The run ended: everything is written. Without it a sink closes as if killed.
  virtual void finish(const RunFigures& figures) = 0;
};

/// What becomes of a file that is there already and not empty.
enum class Existing { refuse, replace };
/// Throws FileError where it is to be refused.
void require_free(const std::string& path, Existing existing);

/// By the path's ending: .h5 or .hdf5, .csv, .npy. Throws FileError for others, where the path
/// cannot be written, and where another process writes it. Seconds: between two points to resume
/// from, at least.
std::unique_ptr<RunSink> make_sink(const std::string& path, const RunHeader& header,
                                   double checkpoint_seconds = 5,
                                   Existing existing = Existing::refuse);

/// Comma-separated values with a header line; numbers read back to the same double.
std::unique_ptr<RunSink> make_csv_sink(const std::string& path, const RunHeader& header,
                                       Existing existing = Existing::refuse);

/// One NumPy array of doubles, a row per state; the columns are those of CSV.
std::unique_ptr<RunSink> make_npy_sink(const std::string& path, const RunHeader& header,
                                       Existing existing = Existing::refuse);

/// t, the columns of the layout, energy, constraint, hidden, newton, lambda_1, ...
std::vector<std::string> column_names(const RunHeader& header);

/// Keeps the run as read_run() would give it back.
class MemorySink final : public RunSink {
 public:
  explicit MemorySink(RunHeader header);
  void add(const Sample& sample) override;
  void finish(const RunFigures& figures) override;
  const RunData& data() const { return data_; }

 private:
  RunData data_;
};

}  // namespace rattleback
