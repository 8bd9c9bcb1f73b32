// One file, one writer; and what is in a file stays there.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <thread>

#include "../../src/report/locked_file.hpp"
#include "run_checks.hpp"

namespace rattleback::testing {
namespace {

TEST(Writers, what_is_there_is_not_replaced_unawares) {
  const Folder folder;
  SampleRun run("planar_pendulum");
  const RunHeader header = run.header();
  for (const std::string name : {"a.h5", "a.csv", "a.npy"}) {
    SCOPED_TRACE(name);
    const std::string path = folder / name;
    std::ofstream(path) << "";  // nothing is lost with an empty file
    EXPECT_EQ(message([&] { make_sink(path, header)->finish({}); }), "nothing was thrown");
    const auto size = std::filesystem::file_size(path);
    EXPECT_GT(size, 0u);
    EXPECT_EQ(message([&] { (void)make_sink(path, header); }),
              path + ": is there already; --force replaces it");
    EXPECT_EQ(std::filesystem::file_size(path), size);
    EXPECT_EQ(message([&] { make_sink(path, header, 5, Existing::replace)->finish({}); }),
              "nothing was thrown");
  }
}

TEST(Writers, a_second_writer_is_refused_by_every_name_of_the_file) {
  const Folder folder;
  SampleRun run("planar_pendulum");
  for (const std::string ending : {".h5", ".csv", ".npy"}) {
    const std::string path = folder / ("a" + ending);
    std::ofstream(path) << "old";
    std::filesystem::create_hard_link(path, folder / ("hard" + ending));
    std::filesystem::create_symlink(path, folder / ("soft" + ending));
    const auto first = make_sink(path, run.header(), 5, Existing::replace);
    for (const std::string name : {"a", "hard", "soft"})
      for (const Existing existing : {Existing::refuse, Existing::replace})
        EXPECT_NE(message([&] {
                    (void)make_sink(folder / (name + ending), run.header(), 5, existing);
                  }).find("is being written by process " + std::to_string(::getpid())),
                  std::string::npos)
            << name << ending;
  }
  EXPECT_TRUE(std::filesystem::exists(folder / "a.h5"));
}

/// A run whose parent learns by its exit code how it went: 0 whole, 1 refused as it should be.
pid_t start_trial(SampleRun& run, const std::string& path, Existing existing) {
  const pid_t child = ::fork();
  if (child == 0) {
    const std::string said = message([&] {
      const auto sink = make_sink(path, run.header(), 0, existing);
      (void)run.to(*sink);
    });
    const bool refused = said.find("is being written by process ") != std::string::npos ||
                         said.find("is there already") != std::string::npos;
    ::_exit(said == "nothing was thrown" ? 0 : refused ? 1 : 2);
  }
  return child;
}

TEST(Writers, of_two_that_start_at_once_one_writes_and_nothing_is_lost) {
  const Folder folder;
  SampleRun run("planar_pendulum");
  run.options = {.step = 0.01, .steps = 3000, .every = 3, .restart_every = 300};
  (void)run.to(folder / "whole.h5");
  (void)run.to(folder / "whole.csv");
  (void)run.to(folder / "whole.npy");
  const auto bytes = [](const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  int refused = 0;
  for (int trial = 0; trial < 150; ++trial) {
    const std::string ending = trial % 3 == 0 ? ".h5" : trial % 3 == 1 ? ".csv" : ".npy";
    const Existing existing = trial % 2 == 0 ? Existing::refuse : Existing::replace;
    const std::string path = folder / (std::to_string(trial) + ending);
    const pid_t children[] = {start_trial(run, path, existing), start_trial(run, path, existing)};
    int written = 0;
    for (const pid_t child : children) {
      int status = 0;
      ASSERT_EQ(::waitpid(child, &status, 0), child);
      ASSERT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) < 2) << path;
      ++(WEXITSTATUS(status) == 0 ? written : refused);
    }
    EXPECT_GE(written, 1) << path;
    EXPECT_TRUE(existing == Existing::replace || written == 1) << path;
    if (ending == ".h5")
      expect_same_run(read_run(path), read_run(folder / "whole.h5"));
    else
      EXPECT_EQ(bytes(path), bytes(folder / ("whole" + ending)));
  }
  EXPECT_GE(refused, 75);
}

TEST(Writers, what_is_replaced_is_gone_as_a_whole) {
  const Folder folder;
  for (const std::string ending : {".h5", ".csv", ".npy"}) {
    SCOPED_TRACE(ending);
    SampleRun run("planar_pendulum");
    const auto write = [&](const std::string& name, long steps) {
      run.options.steps = steps;
      (void)run.to(folder / (name + ending));
    };
    write("a", 3000), write("a", 100), write("b", 100);
    EXPECT_EQ(std::filesystem::file_size(folder / ("a" + ending)),
              std::filesystem::file_size(folder / ("b" + ending)));
  }
}

/// Between opening a file and locking it, the name may have come to mean another one, and who held
/// the first may have ended.
TEST(Writers, a_lock_is_on_the_file_that_the_name_means) {
  using detail::LockedFile;
  const Folder folder;
  const std::string path = folder / "a.csv";
  std::atomic<int> held = 0, lost = 0;
  const auto replace_it = [&](int who) {
    const std::string mine = path + std::to_string(who);
    for (int trial = 0; trial < 3000; ++trial) {
      try {
        LockedFile file(path, LockedFile::Open::create, Existing::replace);
        struct stat opened {
        }, named{};
        if (::fstat(file.file(), &opened) != 0 || ::stat(path.c_str(), &named) != 0 ||
            opened.st_ino != named.st_ino)
          ++lost;
        ++held;
        std::ofstream(mine) << "a run";
        const int next = ::open(mine.c_str(), O_RDWR | O_CLOEXEC);
        file.be_replaced_by(next, mine);
        ::close(next);
      } catch (const FileError&) {  // the other one has it
      }
    }
  };
  std::thread other(replace_it, 1);
  replace_it(2);
  other.join();
  EXPECT_GT(held, 100);
  EXPECT_EQ(lost, 0);
}

TEST(Writers, a_finished_run_goes_on_from_its_last_restart_point) {
  const Folder folder;
  SampleRun run("double_pendulum");
  run.options = {.step = 0.01, .steps = 1000, .every = 30, .restart_every = 70};
  (void)run.to(folder / "a.h5", 1e9);  // no checkpoint is due between the first and the end
  const auto file = RunFile::resume(folder / "a.h5", 1e9);
  EXPECT_EQ(file->resumed_from().step(), 980);
}

TEST(Writers, a_stored_run_does_not_become_shorter) {
  const Folder folder;
  SampleRun run("double_pendulum");
  run.options = {.step = 0.01, .steps = 1000, .every = 30, .restart_every = 300};
  const std::string path = folder / "a.h5";
  (void)run.to(path, 1e9);
  const RunData before = read_run(path);
  const auto go_on = [&](RunOptions<Point> options) {
    const auto file = RunFile::resume(path, 1e9);
    (void)resume_run(run.witness.system, run.method, run.start, options, *file);
  };
  for (const long steps : {1L, 100L, 999L}) {
    try {
      go_on({.steps = steps});
      ADD_FAILURE() << steps << " steps were taken";
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("is at step 1000 already"), std::string::npos);
    }
    expect_same_run(read_run(path), before);
  }
  go_on({.steps = 1000});
  expect_same_run(read_run(path), before);
  // Stopped on its way through what is stored already.
  for (const double end : {9.01, 9.5, 9.99})
    go_on({.steps = 2000, .stop_when = [&](double t, const Point&) { return t >= end; }});
  expect_same_run(read_run(path), before);
  EXPECT_EQ(read_run(path).header.wanted, 1000);
  // And after that it is what it would have been.
  go_on({.steps = 2000});
  run.options.steps = 2000;
  (void)run.to(folder / "whole.h5");
  expect_same_run(read_run(path), read_run(folder / "whole.h5"));
}

}  // namespace
}  // namespace rattleback::testing
