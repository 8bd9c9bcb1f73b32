// Run files whose writer is killed, may write no more, or goes on for long.
#include <sys/resource.h>
#include <sys/wait.h>

#include <csignal>

#include "run_checks.hpp"

namespace rattleback::testing {
namespace {

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
  // Before it is written for the first time it is empty.
  for (const auto before = age();
       (age() == before || std::filesystem::file_size(path) == 0) && ended.si_pid == 0;
       ::usleep(1000))
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
      (void)run.to(folder / (std::to_string(steps) + ".h5"));
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

}  // namespace
}  // namespace rattleback::testing
