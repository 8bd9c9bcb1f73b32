// Run files: HDF5, readable at any moment, also when the writer was killed in the middle.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "rattleback/report/run_sink.hpp"

namespace rattleback {

class RunFile final : public RunSink {
 public:
  /// Throws FileError.
  RunFile(const std::string& path, const RunHeader& header, double checkpoint_seconds = 5,
          Existing existing = Existing::refuse);
  /// Opens a run to go on with, from its last checkpoint. States that it holds already stay.
  static std::unique_ptr<RunFile> resume(const std::string& path, double checkpoint_seconds = 5);
  ~RunFile() override;

  const RunHeader& header() const;
  /// Where a resumed run goes on.
  const Checkpoint& resumed_from() const;
  /// Of a resumed run, at least as many as it has. Throws InputError.
  void set_wanted(long steps);

  void add(const Sample& sample) override;
  void checkpoint(const Checkpoint& checkpoint) override;
  void finish(const RunFigures& figures) override;

 private:
  class Writer;
  explicit RunFile(std::unique_ptr<Writer> writer);
  std::unique_ptr<Writer> writer_;
};

/// A stored run. Throws FileError for what is none.
RunData read_run(const std::string& path);
/// The same without the states.
RunData read_run_header(const std::string& path);
/// Its states in blocks of rows, for runs of any length. Throws FileError for what is none.
void read_rows(const std::string& path, const std::function<void(const RunData&)>& use);

}  // namespace rattleback
