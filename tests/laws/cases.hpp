// What the law suite runs over: the methods that stand for every family, and the problems that it
// applies to.
#pragma once

#include <gtest/gtest.h>

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "rattleback/integrators/registry.hpp"
#include "rattleback/testing/results.hpp"
#include "rattleback/testing/witness_systems.hpp"

namespace rattleback::testing {

/// How long the exact solution from the witness start stays away from points where N = {{g,H},g} is
/// singular; measured with solve_exactly() and report_point(). Longer runs say nothing of a method.
struct Problem {
  const AnySystem& system;
  const State<Quad>& start;
  double regular_time;
  bool recurrent;  ///< the motion is bounded: energy laws make sense
  const std::string& name() const { return system.name(); }
};

/// The witness problems, and further index-1 problems: there is only one among them.
const std::vector<Problem>& problems();

/// The witness problems once more, from the model files of examples/witness. Starts, and with them
/// exact solutions, are those of the problems in C++.
const std::vector<Problem>& text_problems();

/// Those that a method applies to.
std::vector<Problem> problems_for(const Method& method,
                                  const std::vector<Problem>& all = problems());

/// The exact solution from the problem's start at t = 0.5, as kept in reference/solutions.json.
inline constexpr double kept_time = 0.5;
inline constexpr const char* solutions_file = "solutions.json";
const State<Quad>& exact_solution(const Problem& problem, double time);
State<Quad> computed_solution(const Problem& problem, double time);

/// Orders that are higher than declared for a reason, so that the two-sided test must know.
struct Coincidence {
  int order;  ///< what is measured; 0: exact
  const char* reason;
  std::optional<int> momentum_order{};  ///< where it is another one
};
const Coincidence* coincidence(const Method& method, const Problem& problem);

/// Whether an option of the method has this value.
inline bool has(const Method& method, const std::string& option, const OptionValue& value) {
  return method.values().has(option) && method.values().at(option) == value;
}

/// What is not claimed must be violated by more than this: it shrinks with the error. Of orders 3
/// and 4, and above, it is half of what the least witness shows, as measured for each law.
inline double visible(const Method& method, double of_order_4, double above) {
  const int order = method.info().order;
  return order > 4 ? above : order > 2 ? of_order_4 : 1e-6;
}

/// Momenta of the index-3 form are known to eps |q|/h only, their derivatives to eps/h^2.
inline bool is_index3(const Method& method) {
  return has(method, "formulation", "index3") && !has(method, "variant", "projected");
}

/// A suite with one test per method.
class EveryMethod : public ::testing::TestWithParam<const Method*> {
 protected:
  const Method& method() const { return *GetParam(); }
  const MethodInfo& info() const { return method().info(); }
};

std::vector<const Method*> all_methods();
template <class Predicate>
std::vector<const Method*> methods_where(Predicate predicate) {
  std::vector<const Method*> list;
  for (const Method* method : all_methods())
    if (predicate(*method)) list.push_back(method);
  return list;
}
/// What the problems from files are run with: they take other ways to derivatives, so one of each
/// kind of step.
std::vector<const Method*> text_methods();
std::string method_name(const ::testing::TestParamInfo<const Method*>& info);

/// Keeps the worst number of a law, and where it was; printed so that tolerances can be read off.
class Worst {
 public:
  void add(double value, const std::string& where) {
    if (!(value <= value_) || where_.empty()) value_ = value, where_ = where;
  }
  double value() const { return value_; }
  const std::string& where() const { return where_; }

 private:
  double value_ = 0;
  std::string where_;
};

/// Into the test's record, under the law's name.
inline void record(const char* law, const Worst& worst) {
  char text[64];
  std::snprintf(text, sizeof text, "%.3g", worst.value());
  ::testing::Test::RecordProperty(law, std::string(text) + " on " + worst.where());
}

}  // namespace rattleback::testing
