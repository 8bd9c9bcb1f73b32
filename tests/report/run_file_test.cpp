#include <gtest/gtest.h>
#include <hdf5.h>

#include <fstream>

#include "run_checks.hpp"

namespace rattleback::testing {
namespace {

TEST(RunFile, says_what_was_run_and_gives_it_back) {
  const Folder folder;
  SampleRun run("double_pendulum");
  MemorySink memory(run.header());
  (void)run.to(memory);
  const auto figures = run.to(folder / "a.h5");
  const RunData data = read_run(folder / "a.h5");
  expect_same_run(data, memory.data());
  EXPECT_EQ(data.header.model, "double_pendulum");
  EXPECT_EQ(data.header.model_text, "[model]\nname = \"double_pendulum\"\n");
  EXPECT_EQ(data.header.method, "rattle:base=verlet");
  EXPECT_EQ(data.header.step, 0.01);
  EXPECT_EQ(data.header.every, 10);
  EXPECT_EQ(data.header.wanted, 1000);
  EXPECT_EQ(data.header.layout, phase_space(run.names));
  EXPECT_EQ(data.header.settings.at("tolerance"), "1e-13");
  EXPECT_EQ(data.header.multipliers, 2);
  EXPECT_EQ(data.rows(), 101);
  EXPECT_EQ(data.figures.final_energy, figures.final_energy);
  EXPECT_FALSE(data.version.empty());
  ASSERT_TRUE(data.checkpoint);
}

TEST(RunFile, resume_equals_uninterrupted) {
  const Folder folder;
  const std::vector<std::pair<const char*, const char*>> pairs{
      {"double_pendulum", "rattle"},
      {"variable_mass_sphere", "rattle:base=midpoint"},
      {"chain_2d", "shake"},
      {"variable_mass_sphere", "variational"},
      {"spherical_pendulum", "cotangent"},
      {"index1", "index1"}};
  for (const auto& [problem, method] : pairs) {
    SCOPED_TRACE(std::string(method) + " on " + problem);
    SampleRun run(problem, method);
    run.options = {.step = 0.01, .steps = 1003, .every = 10, .restart_every = 70};
    (void)run.to(folder / "whole.h5");
    const RunData whole = read_run(folder / "whole.h5");
    ASSERT_EQ(whole.state, RunState::finished) << whole.figures.failure;
    ASSERT_EQ(whole.rows(), 102);
    for (long stop_at : {5L, 333L, 701L}) {
      auto options = run.options;
      run.options.stop_when = [&, n = 0L](double, const Point&) mutable { return ++n == stop_at; };
      (void)run.to(folder / "part.h5");
      run.options = options;
      EXPECT_EQ(read_run(folder / "part.h5").state, RunState::stopped);
      (void)run.resume(folder / "part.h5");
      expect_same_run(read_run(folder / "part.h5"), whole);
    }
  }
}

TEST(RunFile, from_before_there_were_layouts_is_read_and_goes_on) {
  const Folder folder;
  SampleRun run("double_pendulum");
  run.options = {.step = 0.01, .steps = 1000, .every = 10, .restart_every = 100};
  (void)run.to(folder / "whole.h5");
  auto part = run.options;
  part.steps = 500;
  std::swap(part, run.options);
  (void)run.to(folder / "part.h5");
  std::swap(part, run.options);
  const hid_t file = H5Fopen((folder / "part.h5").c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  for (const char* name : {"fields", "labels"}) ASSERT_GE(H5Ldelete(file, name, H5P_DEFAULT), 0);
  H5Fclose(file);
  const RunData old = read_run(folder / "part.h5");
  EXPECT_EQ(old.header.layout, phase_space(run.names));
  EXPECT_EQ(old.rows(), 51);
  {
    const auto file = RunFile::resume(folder / "part.h5");
    (void)resume_run(run.witness.system, run.method, run.start, {.steps = 1000}, *file);
  }
  expect_same_run(read_run(folder / "part.h5"), read_run(folder / "whole.h5"));
}

TEST(RunFile, a_finished_run_can_be_made_longer) {
  const Folder folder;
  SampleRun run("double_pendulum");
  run.options = {.step = 0.01, .steps = 2000, .every = 30, .restart_every = 300};
  (void)run.to(folder / "whole.h5");
  run.options.steps = 1000;  // its last row is at no multiple of 30
  (void)run.to(folder / "part.h5");
  auto file = RunFile::resume(folder / "part.h5");
  (void)resume_run(run.witness.system, run.method, run.start, {.steps = 2000}, *file);
  file.reset();
  expect_same_run(read_run(folder / "part.h5"), read_run(folder / "whole.h5"));
}

TEST(RunFile, errors_name_the_path_and_the_reason) {
  const Folder folder;
  SampleRun run("planar_pendulum");
  const RunHeader header = run.header();
  const auto create = [&](const std::string& path) {
    return message([&] { (void)make_sink(path, header); });
  };
  EXPECT_EQ(create("/proc/nowhere/a.h5"),
            "/proc/nowhere/a.h5: cannot be written: No such file or directory");
  EXPECT_EQ(create("/proc/nowhere/a.csv"),
            "/proc/nowhere/a.csv: cannot be written: No such file or directory");
  std::filesystem::create_directory(folder / "folder.h5");
  EXPECT_EQ(create(folder / "folder.h5"), (folder / "folder.h5") + ": is not a regular file");
  EXPECT_EQ(create(folder / "a.txt"),
            (folder / "a.txt") + ": unknown ending '.txt'; runs are written as .h5, .csv or .npy");
  EXPECT_EQ(create(folder / "a"),
            (folder / "a") + ": has no ending; runs are written as .h5, .csv or .npy");

  const auto reading = [&](const std::string& path) {
    return message([&] { (void)read_run(path); });
  };
  EXPECT_EQ(reading(folder / "none.h5"), (folder / "none.h5") + ": there is no such file");
  std::ofstream(folder / "empty.h5").close();
  EXPECT_EQ(
      reading(folder / "empty.h5"),
      (folder / "empty.h5") + ": is empty: the run that began it was ended before its first state");
  std::ofstream(folder / "text.h5") << "hello";
  EXPECT_EQ(reading(folder / "text.h5"), (folder / "text.h5") + ": is not a run file (not HDF5)");
  const hid_t foreign =
      H5Fcreate((folder / "foreign.h5").c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
  H5Fclose(foreign);
  EXPECT_EQ(reading(folder / "foreign.h5"),
            (folder / "foreign.h5") + ": is an HDF5 file, but not a run of rattleback");
  (void)run.to(folder / "cut.h5");
  std::filesystem::resize_file(folder / "cut.h5",
                               std::filesystem::file_size(folder / "cut.h5") / 2);
  EXPECT_NE(reading(folder / "cut.h5").find("damaged or truncated"), std::string::npos);
}

TEST(RunFile, a_refused_continuation_changes_nothing) {
  const Folder folder;
  SampleRun run("planar_pendulum");
  run.options = {.step = 0.01, .steps = 1000, .every = 10, .restart_every = 300};
  (void)run.to(folder / "a.h5");
  const RunData before = read_run(folder / "a.h5");
  {
    const auto file = RunFile::resume(folder / "a.h5");
    EXPECT_THROW((void)resume_run(run.witness.system, find_method("shake"), run.start, {}, *file),
                 InputError);
    EXPECT_THROW((void)resume_run(run.witness.system, run.method, run.start, {.steps = 10}, *file),
                 InputError);
  }
  expect_same_run(read_run(folder / "a.h5"), before);
}

TEST(RunFile, has_one_writer) {
  const Folder folder;
  SampleRun run("planar_pendulum");
  (void)run.to(folder / "a.h5");
  const auto first = RunFile::resume(folder / "a.h5");
  EXPECT_EQ(message([&] { (void)RunFile::resume(folder / "a.h5"); }),
            (folder / "a.h5") + ": is being written by process " + std::to_string(::getpid()));
  EXPECT_EQ(read_run(folder / "a.h5").rows(), 101);  // readers are welcome
}

TEST(RunFile, a_failed_run_is_saved_up_to_there) {
  const Folder folder;
  SampleRun run("double_pendulum");
  run.options = {.step = 5, .steps = 1000, .every = 1};
  const auto figures = run.to(folder / "a.h5");
  ASSERT_FALSE(figures.ok());
  const RunData data = read_run(folder / "a.h5");
  EXPECT_EQ(data.state, RunState::failed);
  EXPECT_EQ(data.figures.failure.text(), figures.failure.text());
  EXPECT_EQ(data.rows(), figures.steps + 1);
}

}  // namespace
}  // namespace rattleback::testing
