// What the tests of the multistep methods share.
#pragma once

#include <string>
#include <vector>

#include "rattleback/integrators/registry.hpp"
#include "rattleback/problem/natural_system.hpp"
#include "rattleback/testing/trial.hpp"
#include "rattleback/testing/witness_systems.hpp"

namespace rattleback::multistep_tests {

using testing::witness_system;

inline Method multistep(int order) {
  return find_method("multistep:order=" + std::to_string(order));
}

inline State<double> start_of(const testing::WitnessSystem& w) {
  return testing::convert<double>(w.start);
}

inline AnySystem pendulum() {
  return {"pendulum", natural_system(
                          mass(1, 1), [](const auto& q) { return q[1]; },
                          [](const auto& q) { return (q[0] * q[0] + q[1] * q[1] - 1) / 2; })};
}
inline AnySystem spherical() {
  return {"spherical",
          natural_system(
              mass(1, 1, 1),
              []<class Q>(const Q& q) {
                using S = typename Q::Scalar;
                return S(q[2] + q[0] * q[0] * q[1] * q[1] * 3 / 10);
              },
              [](const auto& q) { return (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] - 1) / 2; })};
}

inline Vector<Quad, dynamic> vector(const std::vector<Quad>& x) {
  return Eigen::Map<const Vector<Quad, dynamic>>(x.data(), static_cast<Eigen::Index>(x.size()));
}
inline Vector<Quad, dynamic> vector(const std::vector<const char*>& x) {
  Vector<Quad, dynamic> v(x.size());
  for (Eigen::Index i = 0; i < v.size(); ++i) v[i] = Quad(x[static_cast<std::size_t>(i)]);
  return v;
}

}  // namespace rattleback::multistep_tests
