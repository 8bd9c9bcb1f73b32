#include "rattleback/report/plot.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <sstream>

#include "sample_run.hpp"

namespace rattleback::testing {
namespace {

RunData run_of(const char* problem, std::vector<std::string> names, long steps = 300) {
  SampleRun run(problem);
  run.names = std::move(names);
  run.options = {.step = 0.02, .steps = steps, .every = 1};
  MemorySink sink(run.header());
  (void)run.to(sink);
  return sink.data();
}
RunData pendulum(long steps = 300) { return run_of("planar_pendulum", {"x", "y"}, steps); }

std::string beginning(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(64, '\0');
  file.read(text.data(), 64);
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

/// Draws it, and expects a picture that is not just a frame.
void expect_picture(const RunData& run, const PlotOptions& options = {}) {
  const Folder folder;
  plot_run(run, folder / "a b'c.png", options);
  EXPECT_EQ(beginning(folder / "a b'c.png").substr(0, 4), "\x89PNG");
  EXPECT_GT(std::filesystem::file_size(folder / "a b'c.png"), 8000u);
  int files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder.path))
    ++files;
  EXPECT_EQ(files, 1);
}

template <class Function>
std::string message(Function&& what) {
  try {
    what();
  } catch (const Error& e) {
    return e.what();
  }
  return "nothing was thrown";
}

TEST(Plot, draws_planes_spaces_and_families) {
  expect_picture(pendulum());
  expect_picture(pendulum(), {.axes = {"x", "p_y"}});
  expect_picture(pendulum(), {.axes = {"t", "y"}, .title = "100 % `touch x` \"it's\" {a}_b \\n"});
  expect_picture(run_of("spherical_pendulum", {"x", "y", "z"}));
  const RunData twins = run_of("double_pendulum", {"x_1", "y_1", "x_2", "y_2"});
  expect_picture(twins);
  EXPECT_NE(plot_script(twins, "a.png").find("$curve1"), std::string::npos);
}

TEST(Plot, svg_is_text_with_the_title) {
  const Folder folder;
  plot_run(pendulum(), folder / "a.svg");
  std::ifstream file(folder / "a.svg");
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_NE(text.str().find("planar_pendulum"), std::string::npos);
  EXPECT_NE(text.str().find("rattle:base=verlet"), std::string::npos);
  EXPECT_NE(text.str().find("</svg>"), std::string::npos);
}

TEST(Plot, takes_what_is_degenerate) {
  expect_picture(pendulum(1));
  RunData one = pendulum();
  one.time.resize(1), one.energy.resize(1), one.constraint.resize(1), one.hidden.resize(1);
  expect_picture(one);
  RunData holes = pendulum();
  for (std::size_t i = 100; i < 120; ++i) {
    holes.energy[i] = holes.constraint[i] = std::numeric_limits<double>::quiet_NaN();
    holes.fields[0].values[2 * i] = std::numeric_limits<double>::infinity();
  }
  expect_picture(holes);
  RunData constant = pendulum();
  std::fill(constant.energy.begin(), constant.energy.end(), 2.0);
  std::fill(constant.constraint.begin(), constant.constraint.end(), 0.0);
  std::fill(constant.hidden.begin(), constant.hidden.end(), 0.0);
  expect_picture(constant);
  EXPECT_NE(plot_script(constant, "a.png").find("'zero to the last bit'"), std::string::npos);
  RunData lost = pendulum();
  for (auto* values : {&lost.energy, &lost.constraint, &lost.hidden, &lost.fields[0].values})
    std::fill(values->begin(), values->end(), std::numeric_limits<double>::quiet_NaN());
  expect_picture(lost);
  EXPECT_NE(plot_script(lost, "a.png").find("'not a number'"), std::string::npos);
}

TEST(Plot, a_long_run_makes_no_long_picture) {
  const RunData run = pendulum(100'000);
  EXPECT_LT(plot_script(run, "a.png").size(), 1'000'000u);
}

TEST(Plot, errors_say_what_to_do) {
  const Folder folder;
  const RunData run = pendulum();
  const std::string path = folder / "a.png";
  EXPECT_EQ(message([&] {
              plot_run(run, path, {.axes = {"x", "w"}});
            }),
            "plot: there is no 'w' to draw; there are x, y, p_x, p_y, lambda_1, t");
  EXPECT_EQ(message([&] { plot_run(run, path, {.axes = {"x"}}); }),
            "plot: give two or three names to draw, got 1");
  EXPECT_EQ(message([&] { plot_run(run, path, {.gnuplot = "no-such-gnuplot"}); }),
            "plots are drawn by 'no-such-gnuplot', which is not installed (Debian: apt install "
            "gnuplot-nox)");
  EXPECT_EQ(message([&] { plot_run(run, path, {.gnuplot = "false"}); }),
            "'false' failed: it did not say why");
  EXPECT_EQ(message([&] { plot_run(run, folder / "a.gif"); }),
            (folder / "a.gif") + ": pictures are written as .svg or .png");
  EXPECT_EQ(message([&] { plot_run(run, folder / "none/a.png"); }),
            (folder / "none/a.png") + ": cannot be written: No such file or directory");
  EXPECT_EQ(message([&] { plot_run({}, path); }), "plot: the run holds no states");
  EXPECT_FALSE(std::filesystem::exists(path));
}

}  // namespace
}  // namespace rattleback::testing
