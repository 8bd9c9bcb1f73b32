// [observe]: what is told of every stored state, in files and figures.
#include "rattleback/study/observables.hpp"

#include <filesystem>

#include "models.hpp"
#include "rattleback/study/job.hpp"

namespace rattleback::study {
namespace {

namespace fs = std::filesystem;

const char* const table =
    "[observe]\nangle = \"atan2(x, -y)\"\nspeed = \"sqrt(x_dot^2 + y_dot^2)\"\n"
    "twice = \"2*speed + t - t\"\nshadow = \"energy.modified\"\n\"lost\" = \"shadow - energy\"\n";

JobRequest steps_of(const std::string& method, long steps) {
  JobRequest wanted;
  wanted.method = method;
  wanted.step = 0.05;
  wanted.steps = steps;
  wanted.every = 10;
  return wanted;
}
FinishedRun run_job(const JobRequest& wanted, std::vector<ObservedFigures>& figures) {
  Job job = wanted.resume.empty() ? new_job(wanted, load_text(pendulum(table), "pendulum.toml"))
                                  : resumed_job(wanted);
  FinishedRun run = study::run(job);
  figures = job.observed;
  return run;
}

TEST(Observables, AreToldOverTheStoredStates) {
  std::vector<ObservedFigures> figures;
  const FinishedRun run = run_job(steps_of("rattle", 400), figures);
  ASSERT_TRUE(run.ok());
  ASSERT_EQ(figures.size(), 5U);
  EXPECT_EQ(figures[0].name, "angle");
  EXPECT_EQ(figures[0].states, 41);
  EXPECT_DOUBLE_EQ(figures[0].initial, std::atan2(1.0, 0.0));
  EXPECT_DOUBLE_EQ(figures[0].final, std::atan2(run.final[0], -run.final[1]));
  EXPECT_DOUBLE_EQ(figures[1].initial, 2);
  EXPECT_DOUBLE_EQ(figures[2].max, 2 * figures[1].max);
  EXPECT_LT(figures[1].min, figures[1].mean);
  // H moves by 3.4e-3 at h = 0.05, what RATTLE keeps by 2.4e-5.
  EXPECT_GT(run.energy_error, 1e-3);
  EXPECT_LT(figures[3].max - figures[3].min, 5e-5);
}

TEST(Observables, AreStoredAndGoOn) {
  const fs::path folder =
      fs::temp_directory_path() / ("rattleback_observe_" + std::to_string(::getpid()));
  fs::create_directories(folder);
  std::vector<ObservedFigures> whole, part, rest;
  JobRequest wanted = steps_of("rattle", 20'000);
  wanted.out = (folder / "whole.h5").string();
  wanted.checkpoint_every = 0;
  (void)run_job(wanted, whole);
  const RunData data = read_run(wanted.out);
  EXPECT_EQ(data.header.layout.text(), "q (2), p (2), observables (5)");
  const Table& stored = data.field("observables");
  ASSERT_EQ(stored.rows, 2001);
  EXPECT_DOUBLE_EQ(stored(7, 0), std::atan2(data.fields[0](7, 0), -data.fields[0](7, 1)));
  wanted.out = (folder / "part.h5").string();
  wanted.steps = 10'000;
  (void)run_job(wanted, part);
  JobRequest more;
  more.resume = wanted.out;
  more.steps = 20'000;
  (void)run_job(more, rest);
  ASSERT_EQ(rest.size(), whole.size());
  for (std::size_t k = 0; k < whole.size(); ++k) {
    EXPECT_EQ(rest[k].states, whole[k].states);
    EXPECT_EQ(rest[k].min, whole[k].min);
    EXPECT_EQ(rest[k].max, whole[k].max);
    EXPECT_NEAR(rest[k].mean, whole[k].mean, 1e-12);
    EXPECT_EQ(rest[k].initial, whole[k].initial);
  }
  fs::remove_all(folder);
}

TEST(Observables, AreRefusedWhereTheyAreNotKnown) {
  std::vector<ObservedFigures> figures;
  EXPECT_NE(thrown<InputError>([&] {
              run_job(steps_of("gauss", 10), figures);
            }).find("energy.modified: is not known of gauss"),
            std::string::npos);
  const auto refused = [&](const std::string& line) {
    return thrown<TextError>(
        [&] { (void)load_text(pendulum("[observe]\n" + line + "\n"), "pendulum.toml"); });
  };
  EXPECT_NE(refused("a = \"x + b\"").find("unknown name 'b'"), std::string::npos);
  EXPECT_NE(refused("x = \"y\"").find("'x' is already a coordinate"), std::string::npos);
  EXPECT_NE(refused("energy = \"y\"").find("is a column of every run"), std::string::npos);
  EXPECT_NE(refused("a = true").find("must be a number or an expression"), std::string::npos);
}

}  // namespace
}  // namespace rattleback::study
