// Jobs: what a run file must hold for a run to go on, and what a resumed run refuses to become.
#include "rattleback/study/job.hpp"

#include <filesystem>

#include "models.hpp"
#include "rattleback/study/verdict.hpp"

namespace rattleback::study {
namespace {

namespace fs = std::filesystem;

class Jobs : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() /
              ("rattleback_job_" + std::to_string(::getpid()) + "_" +
               ::testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string path(const std::string& name) const { return (folder_ / name).string(); }

  /// A pendulum in this file, after so many steps.
  FinishedRun stored(const std::string& file, long steps) const {
    Job job = new_job(request(file, steps), load_text(pendulum(), "pendulum.toml", {{"g0", "2"}}));
    return study::run(job);
  }
  JobRequest request(const std::string& file, long steps) const {
    JobRequest wanted;
    wanted.method = "rattle:base=midpoint";
    wanted.step = 0.01;
    wanted.steps = steps;
    wanted.every = 10;
    wanted.settings = {{"g0", "2"}};
    wanted.out = path(file);
    wanted.checkpoint_every = 0;
    return wanted;
  }
  JobRequest resume(const std::string& file) const {
    JobRequest wanted;
    wanted.resume = path(file);
    return wanted;
  }

 private:
  fs::path folder_;
};

TEST_F(Jobs, a_resumed_run_ends_where_an_uninterrupted_one_does) {
  const FinishedRun whole = stored("whole.h5", 20'000);
  (void)stored("part.h5", 10'000);
  JobRequest more = resume("part.h5");
  more.steps = 20'000;
  Job job = resumed_job(more);
  expect_words(job.plan.notes.back(), "resumed " + path("part.h5") + " at step 10000");
  const FinishedRun rest = study::run(job);
  EXPECT_EQ(rest.steps, 20'000);
  EXPECT_EQ(rest.final, whole.final);
  EXPECT_EQ(rest.energy_error, whole.energy_error);
  EXPECT_EQ(read_run(path("part.h5")).rows(), read_run(path("whole.h5")).rows());
}

/// A hundred rods and one of them once more: too many to be judged before a step has failed.
TEST_F(Jobs, a_resumed_run_leaves_out_the_same_of_many_constraints) {
  constexpr int rods = most_judged_constraints;
  std::string names, starts, equations;
  for (int i = 1; i <= rods; ++i) {
    const std::string k = std::to_string(i), last = std::to_string(i - 1);
    names += "\"x" + k + "\", \"y" + k + "\", ";
    starts += std::to_string(0.6 * i) + ", " + std::to_string(-0.8 * i) + ", ";
    equations += i == 1
                     ? "\"x1^2 + y1^2 - 1\", "
                     : "\"(x" + k + " - x" + last + ")^2 + (y" + k + " - y" + last + ")^2 - 1\", ";
  }
  const std::string model = "[model]\ncoordinates = [" + names +
                            "]\nmass = [1]\npotential = \"y1\"\n" + "constraints = [" + equations +
                            "\"2*x1^2 + 2*y1^2 - 2\"]\n" + "[initial]\nq = [" + starts + "]\n";
  const auto run_to = [&](const std::string& file, long steps) {
    JobRequest wanted = request(file, steps);
    wanted.method = "rattle";
    wanted.settings.clear();
    Job job = new_job(wanted, load_text(model, "rods.toml"));
    return study::run(job);
  };
  const FinishedRun whole = run_to("whole.h5", 40);
  ASSERT_TRUE(whole.ok()) << whole.failure.text();
  (void)run_to("part.h5", 20);
  JobRequest more = resume("part.h5");
  more.steps = 40;
  Job job = resumed_job(more);
  const FinishedRun rest = study::run(job);
  EXPECT_TRUE(rest.ok()) << rest.failure.text();
  EXPECT_EQ(rest.final, whole.final);
}

TEST_F(Jobs, a_resumed_run_stays_what_it_was) {
  (void)stored("run.h5", 100);
  const auto refused = [&](auto change) {
    JobRequest wanted = resume("run.h5");
    change(wanted);
    return thrown<InputError>([&] { (void)resumed_job(wanted); });
  };
  expect_words(refused([](JobRequest& r) { r.method = "shake"; }),
               "method: the run to be resumed was made with rattle:base=midpoint, which stays");
  expect_words(refused([](JobRequest& r) { r.step = 0.02; }),
               "step: the run to be resumed was "
               "made with 0.01");
  expect_words(refused([](JobRequest& r) { r.every = 1; }),
               "every: the run to be resumed was made "
               "with 10");
  expect_words(refused([](JobRequest& r) { r.out = "other.h5"; }), "out: ");
  expect_words(refused([](JobRequest& r) { r.settings = {{"g0", "3"}}; }), "made with 2");
  expect_words(refused([](JobRequest& r) { r.settings = {{"x", "3"}}; }), "x: ");
  expect_words(refused([](JobRequest& r) { r.file = example("pendulum"); }), "is not the model");
  expect_words(refused([](JobRequest& r) { r.steps = 5, r.time = 1; }), "give steps or time");
}

TEST_F(Jobs, wishes_that_repeat_what_it_was_are_fine) {
  (void)stored("run.h5", 100);
  JobRequest same = request("run.h5", 200);
  same.resume = same.out;
  Job job = resumed_job(same);
  EXPECT_EQ(study::run(job).steps, 200);
}

TEST_F(Jobs, a_refusing_file_ends_the_run_with_its_figures) {
  /// Takes some states, and then no more.
  class FullDisk final : public RunSink {
   public:
    void add(const Sample&) override {
      if (++taken_ > 3) throw FileError("full.h5", "no space left");
    }
    void finish(const RunFigures&) override {}

   private:
    int taken_ = 0;
  };
  JobRequest wanted = request("run.h5", 100'000'000);
  wanted.out.clear();
  Job job = new_job(wanted, load_text(pendulum(), "pendulum.toml", {{"g0", "2"}}));
  job.sink = std::make_unique<FullDisk>();
  const FinishedRun run = study::run(job);
  EXPECT_FALSE(run.ok());
  EXPECT_EQ(run.failure.what, "full.h5: no space left");
  EXPECT_GT(run.steps, 30);
  EXPECT_LT(run.steps, run.wanted);
}

TEST_F(Jobs, run_without_a_file_keeps_the_states_and_judges_the_start) {
  const Problem problem = problem_of(pendulum());
  const FinishedRun run = study::run(problem, make_plan(problem, {.step = 0.01, .steps = 100}));
  EXPECT_TRUE(run.ok());
  EXPECT_EQ(run.states.size(), 101U);
  Problem off = problem_of(pendulum({}, "q = [1.1, 0]\np = [0, -2]\n"));
  const Plan plan = make_plan(off, {.step = 0.01, .steps = 100});
  expect_words(thrown<ModelError>([&] { (void)study::run(off, plan); }), "(x^2 + y^2 - 1)/2");
}

}  // namespace
}  // namespace rattleback::study
