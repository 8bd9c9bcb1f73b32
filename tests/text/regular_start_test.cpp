// Functions that have a value but no derivative at the start are refused; those that have one there
// are not.
#include <gtest/gtest.h>

#include <rattleback/text/model.hpp>

namespace rb = rattleback;

namespace {

/// The message of the start x = 0, y = 2; empty where it is taken.
std::string complaint(const std::string& potential) {
  try {
    rb::parse_model("[model]\ncoordinates = ['x', 'y']\nmass = [1]\npotential = '" + potential +
                        "'\n[initial]\nq = [0, 2]\n",
                    "model.toml");
    return "";
  } catch (const rb::TextError& error) {
    return error.what();
  }
}

TEST(RegularStart, KinksAreRefused) {
  for (const auto& [potential, words] : {
           std::pair{"x^0.5", "0^0.5 has no derivative at the start"},
           std::pair{"x^(1/3)", "has no derivative at the start"},
           std::pair{"(x*y)^0.75", "0^0.75 has no derivative at the start"},
           std::pair{"y*x^y", "0^2 has no derivative at the start"},  // log(0) along y
           std::pair{"x^-0.5", "not finite"},
           std::pair{"sqrt(x)", "sqrt(0) has no derivative at the start"},
           std::pair{"abs(x)", "abs(0) has no derivative at the start"},
           std::pair{"asin(1 - x)", "asin(1) has no derivative at the start"},
           std::pair{"acos(x - 1)", "acos(-1) has no derivative at the start"},
           std::pair{"atan2(x, x*y)", "atan2(0, 0) has no derivative at the start"},
       })
    EXPECT_NE(complaint(potential).find(words), std::string::npos)
        << potential << ": " << complaint(potential);
}

TEST(RegularStart, WhatHasADerivativeIsTaken) {
  for (const char* potential : {"x^1.5", "x^1", "x^2", "x^0", "y^0.5", "y^x", "2^x", "y^-0.5",
                                "asin(x)", "atan2(x, y)", "atan2(y, x)", "abs(y)", "sqrt(y)"})
    EXPECT_EQ(complaint(potential), "") << potential;
}

}  // namespace
