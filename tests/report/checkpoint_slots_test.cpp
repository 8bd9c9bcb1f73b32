// Checkpoints are written to two slots in turn: the newer one counts, and one that is damaged does
// not.
#include <gtest/gtest.h>
#include <hdf5.h>

#include "sample_run.hpp"

namespace rattleback::testing {
namespace {

/// The numbers of a slot, changed in place.
template <class Change>
void change_slot(const std::string& path, const std::string& slot, Change&& change) {
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  const hid_t set = H5Dopen2(file, ("checkpoint/" + slot).c_str(), H5P_DEFAULT);
  ASSERT_GE(set, 0);
  const hid_t space = H5Dget_space(set);
  std::vector<double> numbers(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
  ASSERT_GE(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.data()), 0);
  change(numbers);
  ASSERT_GE(H5Dwrite(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, numbers.data()), 0);
  H5Sclose(space), H5Dclose(set), H5Fclose(file);
}
std::size_t slot_size(const std::string& path) {
  std::size_t size = 0;
  change_slot(path, "slot_a", [&](const auto& numbers) { size = numbers.size(); });
  return size;
}

/// Checkpoints at 0, 100, 200, ..., up to the end.
void write_run(const std::string& path, long steps) {
  SampleRun run("double_pendulum");
  run.options = {.step = 0.01, .steps = steps, .every = 10, .restart_every = 100};
  (void)run.to(path);
}
long checkpoint_step(const std::string& path) {
  const RunData data = read_run(path);
  return data.checkpoint ? data.checkpoint->step() : -1;
}

TEST(CheckpointSlots, TheNewerOneCounts) {
  const Folder folder;
  for (const long steps : {0L, 100L, 200L, 300L, 400L, 450L}) {  // either slot has its turn
    const std::string path = folder / "run.h5";
    write_run(path, std::max(steps, 1L));
    EXPECT_EQ(checkpoint_step(path), steps / 100 * 100);
  }
}

TEST(CheckpointSlots, ADamagedOneDoesNot) {
  const Folder folder;
  for (const auto& [steps, newest, other] :
       {std::tuple{300L, "slot_a", "slot_b"}, std::tuple{400L, "slot_b", "slot_a"}}) {
    const std::string path = folder / (std::to_string(steps) + ".h5");
    write_run(path, steps);
    // Any number of the newest: its place in the sequence, a figure, a coordinate, the checksum.
    const std::size_t size = slot_size(path);
    ASSERT_GT(size, 20u);
    for (std::size_t i = 0; i < size; ++i) {
      double before = 0;
      const auto change = [&](std::vector<double>& x) {
        before = x[i];
        x[i] = x[i] == 0 ? 1e-300 : std::nextafter(x[i], 2 * x[i]);
      };
      change_slot(path, newest, change);
      EXPECT_EQ(checkpoint_step(path), steps - 100) << "number " << i;
      change_slot(path, newest, [&](std::vector<double>& x) { x[i] = before; });
    }
    EXPECT_EQ(checkpoint_step(path), steps);
    change_slot(path, other, [](std::vector<double>& x) { x[3] += 1; });
    EXPECT_EQ(checkpoint_step(path), steps);  // the older one is not needed
  }
}

}  // namespace
}  // namespace rattleback::testing
