// Points to resume from, in two places of a run file by turns: one of them is always whole.
#pragma once

#include <array>

#include "hdf5_values.hpp"
#include "rattleback/report/run_sink.hpp"

namespace rattleback::detail {

class CheckpointSlots {
 public:
  CheckpointSlots() = default;
  /// For motions that save so many numbers.
  static CheckpointSlots create(hid_t file, const Hdf5Values& values, std::size_t saved);
  static CheckpointSlots open(hid_t file, const Hdf5Values& values, const std::string& method);

  /// The newest one whose checksum was right when the file was opened.
  const std::optional<Checkpoint>& found() const { return found_; }
  /// None was found, and none written.
  bool empty() const { return sequence_ == 0; }
  void write(const Checkpoint& checkpoint);

 private:
  void write(int slot, const std::vector<double>& numbers) const;

  std::string path_;
  std::array<Handle, 2> slots_;
  std::size_t size_ = 0;  // of a slot
  long sequence_ = 0;     // of the last checkpoint
  std::optional<Checkpoint> found_;
};

}  // namespace rattleback::detail
