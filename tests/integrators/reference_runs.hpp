// The records of tests/reference run by methods of the registry.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "rattleback/integrators/registry.hpp"
#include "rattleback/problem/witness/start.hpp"

namespace rattleback::reference {

/// One record: numbers as text, `options` as "base=verlet" or "".
struct Record {
  std::string problem, method, options, step;
  int steps;
  std::vector<std::string> q0, p0, q, p;
};
const std::vector<Record>& records();
std::vector<Record> records(const std::string& method, const std::string& options = "");
const Record& record(const std::string& problem, const std::string& method,
                     const std::string& options = "");
/// The witness problem of that name.
const AnySystem& system(const std::string& name);

template <class S>
State<S> state(const std::vector<std::string>& q, const std::vector<std::string>& p) {
  State<S> z{Vector<S, dynamic>(q.size()), Vector<S, dynamic>(p.size())};
  for (std::size_t i = 0; i < q.size(); ++i) {
    z.q[i] = witness::number<S>(q[i].c_str());
    z.p[i] = witness::number<S>(p[i].c_str());
  }
  return z;
}
template <class S>
State<S> start(const std::string& problem) {
  const Record& r = record(problem, "solution");
  return state<S>(r.q0, r.p0);
}

/// Largest difference of two states.
template <class S, int N>
double distance(const State<S, N>& a, const State<S, N>& b) {
  double d = 0;
  for (Eigen::Index i = 0; i < a.q.size(); ++i)
    d = larger(d, larger(magnitude(S(a.q[i] - b.q[i])), magnitude(S(a.p[i] - b.p[i]))));
  return d;
}

/// `steps` steps, then presented. A failing step fails the test.
template <class S>
State<S> run(const Method& method, const AnySystem& system, State<S> z, const Real<S>& h,
             int steps) {
  const auto stepper = method.stepper<S>(system);
  for (int k = 0; k < steps; ++k) {
    const Status s = stepper->step(system, z, h);
    EXPECT_TRUE(s) << method.info().name << " on " << system.name() << ": step " << k << " ended "
                   << static_cast<int>(s.outcome) << ", residual " << s.residual;
    if (!s) break;
  }
  EXPECT_TRUE(stepper->present(system, z));
  return z;
}

/// Difference from a record at its end.
template <class S>
double error(const Method& method, const Record& r) {
  const State<S> end = run<S>(method, system(r.problem), state<S>(r.q0, r.p0),
                              witness::number<S>(r.step.c_str()), r.steps);
  return distance(end, state<S>(r.q, r.p));
}

/// Every record of `record_method` against `specification`, in double and in quad.
void expect_reference(const std::string& specification, const std::string& record_method,
                      const std::string& options, double double_bound, double quad_bound);

/// Observed order against the exact solution at the time of the records, from the steps
/// 3/64/2^(halvings - 1) and half of it, in quad.
double order(const std::string& specification, const std::string& problem, int halvings = 3);

/// Largest difference between the partials of a step on duals and difference quotients in quad, in
/// four fixed directions.
double jacobian_gap(const std::string& specification, const std::string& problem);

/// |backward(-h) forward(h) z - z|
double adjoint_defect(const std::string& forward, const std::string& backward,
                      const std::string& problem);

}  // namespace rattleback::reference
