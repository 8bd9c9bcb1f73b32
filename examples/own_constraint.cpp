// A constraint type of your own: a function object that brings its Jacobian and its fibre flow in
// closed form. check_derivatives() compares them with the automatic ones.
#include <cmath>
#include <cstdio>
#include <rattleback/problem/check_derivatives.hpp>
#include <rattleback/rattleback.hpp>

namespace rb = rattleback;

/// q x p = l: planar angular momentum; its fibres are rotations of q and p together.
struct AngularMomentum {
  double l;

  template <class Q, class P>
  auto operator()(const Q& q, const P& p) const {
    return q[0] * p[1] - q[1] * p[0] - l;
  }
  template <class S>
  void jacobian(const rb::Vector<S, 2>& q, const rb::Vector<S, 2>& p, rb::Matrix<S, 1, 2>& g_q,
                rb::Matrix<S, 1, 2>& g_p) const {
    g_q << p[1], -p[0];
    g_p << -q[1], q[0];
  }
  /// exp(lambda X_g): q' = g_p, p' = -g_q is a rotation by lambda.
  template <class S>
  void slide(rb::Vector<S, 2>& q, rb::Vector<S, 2>& p, const rb::Vector<S, 1>& lambda) const {
    using std::cos, std::sin;
    const S c = cos(lambda[0]), s = sin(lambda[0]);
    for (auto* v : {&q, &p}) {
      const S x = (*v)[0], y = (*v)[1];
      (*v)[0] = c * x - s * y;
      (*v)[1] = s * x + c * y;
    }
  }
};

int main() {
  // An anisotropic oscillator whose angular momentum is held fixed.
  auto system = rb::natural_system(
      rb::mass(1.0, 1.0), [](const auto& q) { return q[0] * q[0] / 2 + 2 * q[1] * q[1]; },
      AngularMomentum{0.5});
  auto start = rb::consistent(system, {.q = {1, 0.0}, .p = {0.1, 0.5}});
  auto report = rb::check_derivatives(system, start.q, start.p);
  std::printf("own derivatives %s\n", report.ok() ? "agree" : "DISAGREE");
  auto run = rb::integrate(system, rb::Rattle<rb::BaseMap::midpoint>{}, start,
                           {.step = 0.01, .steps = 10000});
  std::printf("%s", run.summary().c_str());
}
