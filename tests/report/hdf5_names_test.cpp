// Names in a run file mean what they say to programs that are not this library.
#include <gtest/gtest.h>
#include <hdf5.h>

#include "sample_run.hpp"

namespace rattleback::testing {
namespace {

class OpenFile {
 public:
  explicit OpenFile(const std::string& path)
      : file_(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT)) {}
  ~OpenFile() { H5Fclose(file_); }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  double attribute(const char* object, const char* name) const {
    const hid_t at = H5Aopen_by_name(file_, object, name, H5P_DEFAULT, H5P_DEFAULT);
    EXPECT_GE(at, 0) << object << " " << name;
    double value = std::nan("");
    if (at >= 0) H5Aread(at, H5T_NATIVE_DOUBLE, &value), H5Aclose(at);
    return value;
  }
  std::vector<double> column(const char* name) const {
    const hid_t set = H5Dopen2(file_, name, H5P_DEFAULT);
    EXPECT_GE(set, 0) << name;
    if (set < 0) return {};
    const hid_t space = H5Dget_space(set);
    std::vector<double> values(static_cast<std::size_t>(H5Sget_simple_extent_npoints(space)));
    H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
    H5Sclose(space), H5Dclose(set);
    return values;
  }

 private:
  hid_t file_;
};

TEST(RunFileNames, MeanWhatTheySay) {
  const Folder folder;
  SampleRun run("double_pendulum", "shake");  // |{g,H}| and |g| are of different size
  run.options = {.step = 0.02, .steps = 500, .every = 10, .restart_every = 100};
  MemorySink memory(run.header());
  const auto figures = run.to(memory);
  (void)run.to(folder / "a.h5");
  const OpenFile file(folder / "a.h5");
  const auto summary = [&](const char* name) { return file.attribute("summary", name); };
  EXPECT_EQ(summary("steps"), 500);
  EXPECT_EQ(summary("time"), 10);
  EXPECT_EQ(summary("initial_energy"), figures.initial_energy);
  EXPECT_EQ(summary("final_energy"), figures.final_energy);
  EXPECT_EQ(summary("energy_error"), figures.energy_error);
  EXPECT_EQ(summary("energy_drift"), figures.energy_drift);
  EXPECT_EQ(summary("constraint"), figures.constraint);
  EXPECT_EQ(summary("hidden"), figures.hidden);
  EXPECT_GT(figures.hidden, 1e6 * figures.constraint);
  EXPECT_EQ(summary("newton_mean"), figures.newton_mean);
  EXPECT_EQ(summary("newton_max"), figures.newton_max);
  EXPECT_EQ(summary("position_projections"), figures.projections.position);
  EXPECT_EQ(summary("momentum_projections"), figures.projections.momentum);
  EXPECT_EQ(summary("divided_steps"), 0);
  EXPECT_EQ(summary("step_parts"), 1);
  EXPECT_GT(summary("seconds"), 0);
  EXPECT_EQ(file.attribute(".", "step"), 0.02);
  EXPECT_EQ(file.attribute(".", "every"), 10);
  EXPECT_EQ(file.attribute(".", "restart_every"), 100);
  EXPECT_EQ(file.attribute(".", "wanted_steps"), 500);
  EXPECT_EQ(file.attribute(".", "constraints"), 2);
  EXPECT_EQ(file.attribute(".", "multipliers"), 2);

  const RunData& data = memory.data();
  EXPECT_EQ(file.column("time"), data.time);
  EXPECT_EQ(file.column("q"), data.field("q").values);
  EXPECT_EQ(file.column("p"), data.field("p").values);
  EXPECT_EQ(file.column("energy"), data.energy);
  EXPECT_EQ(file.column("constraint"), data.constraint);
  EXPECT_EQ(file.column("hidden"), data.hidden);
  EXPECT_EQ(file.column("newton"), std::vector<double>(data.newton.begin(), data.newton.end()));
}

}  // namespace
}  // namespace rattleback::testing
