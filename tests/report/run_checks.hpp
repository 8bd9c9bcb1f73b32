// What tests of run files share: whether two runs are the same, and what an error says.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>

#include "sample_run.hpp"

namespace rattleback::testing {

/// Bit by bit, but for the seconds.
inline void expect_same_run(const RunData& a, const RunData& b) {
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
  EXPECT_EQ(a.figures.divided, b.figures.divided);
}

/// What a FileError says.
inline std::string message(const std::function<void()>& what) {
  try {
    what();
  } catch (const FileError& e) {
    return e.what();
  }
  return "nothing was thrown";
}

}  // namespace rattleback::testing
