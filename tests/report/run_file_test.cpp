#include <gtest/gtest.h>
#include <hdf5.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <csignal>
#include <cstdlib>
#include <fstream>

#include "sample_run.hpp"

namespace rattleback::testing {
namespace {

/// Bit by bit, but for the seconds.
void expect_same_run(const RunData& a, const RunData& b) {
  EXPECT_EQ(a.state, b.state);
  EXPECT_TRUE(same_bits(a.time, b.time));
  ASSERT_EQ(a.header.layout, b.header.layout);
  for (std::size_t i = 0; i < a.fields.size(); ++i)
    EXPECT_TRUE(same_bits(a.fields[i].values, b.fields[i].values)) << i;
  EXPECT_TRUE(same_bits(a.energy, b.energy));
  EXPECT_TRUE(same_bits(a.constraint, b.constraint));
  EXPECT_TRUE(same_bits(a.hidden, b.hidden));
  EXPECT_TRUE(same_bits(a.newton, b.newton));
  EXPECT_TRUE(same_bits(a.multipliers.values, b.multipliers.values));
  EXPECT_EQ(a.figures.steps, b.figures.steps);
  EXPECT_EQ(a.figures.initial_energy, b.figures.initial_energy);
  EXPECT_EQ(a.figures.final_energy, b.figures.final_energy);
  EXPECT_EQ(a.figures.energy_error, b.figures.energy_error);
  EXPECT_EQ(a.figures.energy_drift, b.figures.energy_drift);
  EXPECT_EQ(a.figures.constraint, b.figures.constraint);
  EXPECT_EQ(a.figures.hidden, b.figures.hidden);
  EXPECT_EQ(a.figures.newton_mean, b.figures.newton_mean);
  EXPECT_EQ(a.figures.newton_max, b.figures.newton_max);
  EXPECT_EQ(a.figures.projections.position, b.figures.projections.position);
  EXPECT_EQ(a.figures.projections.momentum, b.figures.projections.momentum);
}

std::string message(const std::function<void()>& what) {
  try {
    what();
  } catch (const FileError& e) {
    return e.what();
  }
  return "nothing was thrown";
}

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

/// A child that writes until it is killed.
pid_t start_writer(const std::function<void()>& write) {
  const pid_t child = ::fork();
  if (child == 0) {
    try {
      write();
    } catch (...) {
      ::_exit(3);
    }
    ::_exit(0);
  }
  return child;
}

/// Returns when the file appears or changes, or at once when its writer has ended.
void wait_until_written(const std::string& path, pid_t writer) {
  const auto age = [&] {
    std::error_code none;
    return std::filesystem::last_write_time(path, none);
  };
  siginfo_t ended{};
  for (const auto before = age(); age() == before && ended.si_pid == 0; ::usleep(1000))
    ::waitid(P_PID, static_cast<id_t>(writer), &ended, WEXITED | WNOHANG | WNOWAIT);
}

/// To the bit, and all datasets have it.
bool is_beginning(const RunData& part, const RunData& whole) {
  const auto same = [](const auto& a, const auto& b) {
    return a.size() <= b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof a[0]) == 0;
  };
  return same(part.time, whole.time) && same(part.field("q").values, whole.field("q").values) &&
         same(part.field("p").values, whole.field("p").values) && same(part.energy, whole.energy) &&
         same(part.newton, whole.newton) && same(part.multipliers.values, whole.multipliers.values);
}

TEST(RunFile, survives_sigkill_at_any_moment) {
  const Folder folder;
  SampleRun run("planar_pendulum");
  // Never done, with commits and checkpoints all the time.
  run.options = {.step = 0.01, .steps = 1'000'000'000'000, .every = 20, .restart_every = 200};
  const std::string path = folder / "killed.h5";
  { RunFile empty(path, run.header()); }
  EXPECT_FALSE(std::filesystem::exists(path));  // it appears with its first checkpoint

  unsigned random = 12345;
  RunData longest;
  for (int round = 0; round < 60; ++round) {
    const pid_t child = start_writer([&] { round == 0 ? run.to(path) : run.resume(path); });
    if (round % 2 == 0) wait_until_written(path, child);  // else perhaps while it is reading
    random = random * 1664525u + 1013904223u;
    ::usleep(random >> 16);  // up to 65 ms
    ::kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status)) << "round " << round;
    RunData data = read_run(path);
    ASSERT_EQ(data.state, RunState::running);
    ASSERT_TRUE(data.checkpoint) << "round " << round;
    ASSERT_GE(data.rows(), data.checkpoint->stored);
    if (round == 0)
      longest = data;
    else if (longest.rows() < data.rows())
      std::swap(data, longest);
    ASSERT_TRUE(is_beginning(data, longest)) << "round " << round;
  }
  const long steps = 20 * longest.rows();
  auto file = RunFile::resume(path);
  (void)resume_run(run.witness.system, run.method, run.start, {.steps = steps}, *file);
  file.reset();
  run.options.steps = steps;
  (void)run.to(folder / "whole.h5");
  const RunData whole = read_run(folder / "whole.h5");
  EXPECT_TRUE(is_beginning(longest, whole));
  expect_same_run(read_run(path), whole);
}

TEST(RunFile, a_file_that_may_not_grow_keeps_what_was_written) {
  const Folder folder;
  SampleRun run("planar_pendulum");
  run.options = {.step = 0.01, .steps = 200'000, .every = 4, .restart_every = 200};
  const std::string path = folder / "full.h5";
  const pid_t child = start_writer([&] {
    ::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit{2 << 20, 2 << 20};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    if (message([&] { (void)run.to(path); }) != path + ": cannot be written: File too large")
      ::_exit(1);
  });
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  const RunData part = read_run(path);
  EXPECT_GT(part.rows(), 5000);
  EXPECT_EQ(part.state, RunState::running);
  ASSERT_TRUE(part.checkpoint);
  (void)run.resume(path);
  (void)run.to(folder / "whole.h5");
  expect_same_run(read_run(path), read_run(folder / "whole.h5"));
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
            (folder / "a.h5") + ": is being written by another run");
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

TEST(RunFile, long_runs_take_constant_memory) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "freed memory is kept back by the address sanitizer";
#endif
  // In a child, so that its largest size is its own.
  const Folder folder;
  SampleRun run("planar_pendulum");
  const auto growth = [&](long steps) {
    int ends[2];
    EXPECT_EQ(::pipe(ends), 0);
    const pid_t child = start_writer([&] {
      rusage before{}, after{};
      ::getrusage(RUSAGE_SELF, &before);
      run.options = {.step = 0.01, .steps = steps, .every = 5, .restart_every = 10'000};
      (void)run.to(folder / "long.h5");
      ::getrusage(RUSAGE_SELF, &after);
      const long kilobytes = after.ru_maxrss - before.ru_maxrss;
      if (::write(ends[1], &kilobytes, sizeof kilobytes) != sizeof kilobytes) ::_exit(1);
    });
    long kilobytes = -1;
    EXPECT_EQ(::read(ends[0], &kilobytes, sizeof kilobytes), ssize_t(sizeof kilobytes));
    ::close(ends[0]), ::close(ends[1]);
    ::waitpid(child, nullptr, 0);
    return kilobytes;
  };
  // 1.5 million numbers more would be 12 MB.
  EXPECT_LT(growth(1'000'000), growth(100'000) + 2000);
}

TEST(PlainFiles, csv_reads_back_to_the_same_doubles) {
  const Folder folder;
  SampleRun run("planar_pendulum");
  MemorySink memory(run.header());
  (void)run.to(memory);
  (void)run.to(folder / "a.csv");
  std::ifstream file(folder / "a.csv");
  std::string line;
  std::getline(file, line);
  EXPECT_EQ(line, "t,q1,q2,p_q1,p_q2,energy,constraint,hidden,newton,lambda_1");
  long rows = 0;
  for (; std::getline(file, line); ++rows) {
    std::vector<double> numbers;
    for (const char* at = line.c_str(); *at;) {
      char* end = nullptr;
      numbers.push_back(std::strtod(at, &end));
      at = *end == ',' ? end + 1 : end;
    }
    ASSERT_EQ(numbers.size(), 10u);
    EXPECT_EQ(numbers[0], memory.data().time[rows]);
    EXPECT_EQ(numbers[1], memory.data().field("q")(rows, 0));
    EXPECT_EQ(numbers[4], memory.data().field("p")(rows, 1));
    EXPECT_EQ(numbers[5], memory.data().energy[rows]);
    EXPECT_TRUE(rows == 0 || numbers[9] == memory.data().multipliers(rows, 0));
  }
  EXPECT_EQ(rows, 101);
}

TEST(PlainFiles, npy_holds_the_shape_and_the_numbers) {
  const Folder folder;
  SampleRun run("planar_pendulum");
  MemorySink memory(run.header());
  (void)run.to(memory);
  (void)run.to(folder / "a.npy");
  std::ifstream file(folder / "a.npy", std::ios::binary);
  std::string header(128, ' ');
  file.read(header.data(), 128);
  EXPECT_EQ(header.substr(0, 10), std::string("\x93NUMPY\x01\x00\x76\x00", 10));
  EXPECT_NE(header.find("'shape': (101, 10)"), std::string::npos);
  std::vector<double> numbers(1010);
  file.read(reinterpret_cast<char*>(numbers.data()), 8080);
  ASSERT_TRUE(file.good());
  EXPECT_EQ(file.peek(), EOF);
  for (long row = 0; row < 101; ++row) {
    EXPECT_EQ(numbers[10 * row], memory.data().time[row]);
    EXPECT_EQ(numbers[10 * row + 2], memory.data().field("q")(row, 1));
    EXPECT_EQ(numbers[10 * row + 8], static_cast<double>(memory.data().newton[row]));
  }
}

TEST(PlainFiles, a_full_disk_is_said) {
  SampleRun run("planar_pendulum");
  EXPECT_EQ(message([&] { (void)make_csv_sink("/dev/full", run.header()); }),
            "/dev/full: cannot be written: No space left on device");
  EXPECT_EQ(message([&] { (void)make_npy_sink("/dev/full", run.header()); }),
            "/dev/full: cannot be written: No space left on device");
}

}  // namespace
}  // namespace rattleback::testing
