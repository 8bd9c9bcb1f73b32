// What a picture shows is the run: its first and its last state, its energy error, its residuals.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>

#include "rattleback/report/plot.hpp"
#include "sample_run.hpp"

namespace rattleback::testing {
namespace {

using Rows = std::vector<std::vector<double>>;

/// $name of a script.
Rows block(const std::string& script, const std::string& name) {
  Rows rows;
  std::istringstream lines(script.substr(script.find("$" + name + " << EOD\n")));
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line) && line != "EOD") {
    std::istringstream numbers(line);
    rows.emplace_back();
    for (std::string word; numbers >> word;)
      rows.back().push_back(std::strtod(word.c_str(), nullptr));
  }
  return rows;
}

/// 10^k of "in units of 10^{k}" above the energy.
double energy_unit(const std::string& script) {
  const auto at = script.find("in units of 10^{");
  return at == std::string::npos ? 1 : std::pow(10.0, std::atoi(script.c_str() + at + 16));
}

RunData run_of(long steps) {
  SampleRun run("planar_pendulum");
  run.options = {.step = 0.02, .steps = steps, .every = 1};
  MemorySink sink(run.header());
  (void)run.to(sink);
  return sink.data();
}

constexpr double digits = 1e-7;  // eight are written

void expect_state(const std::vector<double>& point, const RunData& run, long row) {
  ASSERT_EQ(point.size(), 2u);
  for (int i = 0; i < 2; ++i)
    EXPECT_NEAR(point[i], run.field("q")(row, i), digits) << "row " << row;
}

TEST(PlotData, ShortRunsAreShownWhole) {
  const RunData run = run_of(300);
  const std::string script = plot_script(run, "a.svg");
  const Rows curve = block(script, "curve0"), energy = block(script, "energy"),
             residuals = block(script, "residuals");
  ASSERT_EQ(curve.size(), 301u);
  ASSERT_EQ(energy.size(), 301u);
  ASSERT_EQ(residuals.size(), 301u);
  const double unit = energy_unit(script);
  double largest = 0, above = 0;
  for (long row = 0; row < 301; ++row) {
    expect_state(curve[row], run, row);
    EXPECT_NEAR(energy[row][0], run.time[row], digits * 6);
    for (int k : {1, 2})
      EXPECT_NEAR(energy[row][k], (run.energy[row] - run.energy[0]) / unit, 10 * digits) << row;
    largest = std::max(largest, std::abs(energy[row][1]));
    above = std::max(
        {above, residuals[row][1] - run.constraint[row], residuals[row][2] - run.hidden[row]});
  }
  EXPECT_TRUE(largest >= 1 && largest < 10) << largest;  // numbers of ordinary size
  EXPECT_EQ(energy[0][1], 0);                            // the reference is the start
  EXPECT_LT(above, 1e-16);                               // zeros lie on the lower edge
}

TEST(PlotData, LongRunsKeepTheirEndsAndExtremes) {
  for (const long steps : {12'001L, 25'000L, 25'001L, 25'003L}) {
    SCOPED_TRACE(steps);
    const RunData run = run_of(steps);
    const std::string script = plot_script(run, "a.svg");
    const Rows curve = block(script, "curve0"), ends = block(script, "ends0"),
               energy = block(script, "energy"), residuals = block(script, "residuals");
    EXPECT_LE(curve.size(), 12'001u);
    expect_state(curve.front(), run, 0);
    expect_state(curve.back(), run, run.rows() - 1);
    ASSERT_EQ(ends.size(), 2u);
    expect_state(ends[0], run, 0);
    expect_state(ends[1], run, run.rows() - 1);
    const double end = run.time.back(), unit = energy_unit(script);
    double low = 0, high = 0, true_low = 0, true_high = 0, constraint = 0, hidden = 0;
    for (const auto& row : energy) low = std::min(low, row[1]), high = std::max(high, row[2]);
    for (const double e : run.energy) {
      true_low = std::min(true_low, (e - run.energy[0]) / unit);
      true_high = std::max(true_high, (e - run.energy[0]) / unit);
    }
    EXPECT_NEAR(low, true_low, 10 * digits);
    EXPECT_NEAR(high, true_high, 10 * digits);
    for (const auto& row : residuals)
      constraint = std::max(constraint, row[1]), hidden = std::max(hidden, row[2]);
    EXPECT_NEAR(constraint, *std::max_element(run.constraint.begin(), run.constraint.end()), 1e-22);
    EXPECT_NEAR(hidden, *std::max_element(run.hidden.begin(), run.hidden.end()), 1e-22);
    for (const auto* panel : {&energy, &residuals}) {
      EXPECT_EQ(panel->front()[0], 0);
      EXPECT_NEAR(panel->back()[0], end, digits * end);
    }
  }
}

TEST(PlotData, NoPeakIsLostHoweverLongTheRun) {
  for (const long peak : {1L, 4'999L, 77'777L, 99'998L}) {
    SCOPED_TRACE(peak);
    RunData run = run_of(100'000);
    const auto at = static_cast<std::size_t>(peak);
    run.energy[at] += 3;
    run.constraint[at] = 5;
    run.hidden[at] = 7;
    run.fields[0].values[2 * at] = 11;       // x
    run.fields[0].values[2 * at + 1] = -13;  // y
    const std::string script = plot_script(run, "a.svg");
    double energy = 0, constraint = 0, hidden = 0;
    for (const auto& row : block(script, "energy")) energy = std::max(energy, row[2]);
    for (const auto& row : block(script, "residuals"))
      constraint = std::max(constraint, row[1]), hidden = std::max(hidden, row[2]);
    EXPECT_NEAR(energy * energy_unit(script), run.energy[at] - run.energy[0], 1e-6);
    EXPECT_NEAR(constraint, 5, 1e-6);
    EXPECT_NEAR(hidden, 7, 1e-6);
    const Rows curve = block(script, "curve0");
    EXPECT_NE(std::find(curve.begin(), curve.end(), std::vector<double>{11, -13}), curve.end());
    EXPECT_LE(curve.size(), 12'010u);
    EXPECT_LE(block(script, "energy").size(), 800u);
  }
}

TEST(PlotData, BlocksOfRowsGiveThePictureOfTheWhole) {
  const Folder folder;
  SampleRun sample("planar_pendulum");
  sample.options = {.step = 0.02, .steps = 60'000, .every = 1};
  (void)sample.to(folder / "run.h5");
  PlotSink sink(sample.header());
  (void)sample.to(sink);
  plot_run(read_run(folder / "run.h5"), folder / "whole.svg");
  plot_run_file(folder / "run.h5", folder / "blocks.svg");
  sink.draw(folder / "sink.svg");
  const auto text = [](const std::string& path) {
    std::ifstream file(path);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  EXPECT_GT(text(folder / "whole.svg").size(), 10'000u);
  EXPECT_EQ(text(folder / "whole.svg"), text(folder / "blocks.svg"));
  EXPECT_EQ(text(folder / "whole.svg"), text(folder / "sink.svg"));
}

}  // namespace
}  // namespace rattleback::testing
