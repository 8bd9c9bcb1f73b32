#include "rattleback/testing/lie_laws.hpp"

#include "rattleback/problem/error.hpp"

namespace rattleback::testing {

namespace detail {

void raise(double& most, const Wide& a, const Wide& b) {
  for (Eigen::Index i = 0; i < a.rows(); ++i)
    for (Eigen::Index j = 0; j < a.cols(); ++j)
      most = larger(most, magnitude(Quad(a(i, j) - b(i, j))));
}

Wide exponential(const Wide& x) {
  const Wide small = x / Quad(64);
  Wide sum = Wide::Identity(x.rows(), x.cols()), term = sum;
  for (int k = 1; k < 40; ++k) {
    term = Wide(term * small) / Quad(k);
    sum += term;
  }
  for (int k = 0; k < 6; ++k) sum = Wide(sum * sum);
  return sum;
}

}  // namespace detail

std::string LieResult::text() const {
  std::string text;
  const auto add = [&](const char* name, double defect) {
    text += std::string(text.empty() ? "" : ", ") + name + " " + rattleback::detail::quote(defect);
  };
  add("product", product), add("adjoint", adjoint), add("bracket", bracket);
  add("formula", formula), add("opposite", opposite), add("tangent", tangent);
  add("sides", sides), add("inverse", inverse), add("accuracy", accuracy);
  return text;
}

}  // namespace rattleback::testing
