// Model texts of these tests, and what they throw.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "rattleback/study/load.hpp"
#include "rattleback/study/problem.hpp"

namespace rattleback::study {

inline std::string example(const std::string& name) {
  return RATTLEBACK_SOURCE_DIR "/examples/" + name + ".toml";
}

/// A pendulum of length 1 on the left half of its circle, unless the tables say otherwise.
inline std::string pendulum(const std::string& more = {},
                            const std::string& initial = "q = [1, 0]\np = [0, -2]\n") {
  return "[model]\ncoordinates = [\"x\", \"y\"]\nparameters = { g0 = 1.0 }\nmass = [1, 1]\n"
         "potential = \"g0*y\"\nconstraints = [\"(x^2 + y^2 - 1)/2\"]\n"
         "[initial]\n" +
         initial + more;
}

inline Problem problem_of(const std::string& text, const Settings& settings = {}) {
  return prepare(load_text(text, "test.toml", settings));
}

/// What f throws, in words; a failed test if it throws nothing, or something else than an E.
template <class E, class F>
std::string thrown(F f) {
  try {
    f();
  } catch (const E& error) {
    return error.what();
  } catch (const std::exception& error) {
    ADD_FAILURE() << "another exception: " << error.what();
    return {};
  }
  ADD_FAILURE() << "no exception";
  return {};
}

inline void expect_words(const std::string& text, const std::string& words) {
  EXPECT_NE(text.find(words), std::string::npos) << "no '" << words << "' in: " << text;
}

}  // namespace rattleback::study
