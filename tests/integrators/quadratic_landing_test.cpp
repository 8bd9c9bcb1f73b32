// One quadratic constraint: the multiplier in closed form against Newton's, in every scalar.
#include "rattleback/integrators/quadratic_landing.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "rattleback/expression/expression_system.hpp"
#include "rattleback/integrators/natural_constrained.hpp"
#include "rattleback/integrators/registry.hpp"
#include "rattleback/problem/dual.hpp"
#include "rattleback/problem/natural_system.hpp"
#include "rattleback/problem/pack.hpp"
#include "rattleback/problem/quad.hpp"
#include "rattleback/text/model.hpp"

namespace rattleback {
namespace {

/// g = (x^2 + b y^2 + c z^2)/2 + k x y + l z - level
struct Surface {
  double b, c, k, l, level;
  template <class Q>
  auto operator()(const Q& q) const {
    using S = typename Q::Scalar;
    return S((q[0] * q[0] + q[1] * q[1] * b + q[2] * q[2] * c) * 0.5 + q[0] * q[1] * k + q[2] * l -
             level);
  }
};
struct Gravity {
  template <class Q>
  auto operator()(const Q& q) const {
    using S = typename Q::Scalar;
    return S(q[2] + q[0] * q[1] * 0.1);
  }
};
auto by_newton(const Surface& g) { return natural_system(mass(1.0, 2.0, 0.5), Gravity{}, g); }
auto in_closed_form(const Surface& g) {
  return natural_system(mass(1.0, 2.0, 0.5), Gravity{}, quadratic(g));
}

/// With a start on each: a sphere, an ellipsoid whose axes are oblique, a saddle, a plane.
struct Case {
  const char* name;
  Surface surface;
  std::vector<double> q, p;
};
const std::vector<Case> cases{{"sphere", {1, 1, 0, 0, 0.5}, {0.6, 0, 0.8}, {0.3, -0.5, 0}},
                              {"ellipsoid", {2, 4, 0.3, 0.2, 0.5}, {1, 0, 0}, {0, -0.3, 0.2}},
                              {"saddle", {1, -1, 0.2, -0.3, 0.5}, {1, 0, 0}, {0.1, 0.4, -0.3}},
                              {"plane", {0, 0, 0, 1, 0.5}, {0, 0, 0.5}, {0, 0.4, 0}}};

template <class S>
State<S, 3> start(const Case& c) {
  State<S, 3> z;
  for (int i = 0; i < 3; ++i) z.q[i] = S(c.q[i]), z.p[i] = S(c.p[i]);
  if constexpr (ScalarTraits<S>::is_dual)
    for (int i = 0; i < 3; ++i) z.p[i].partials[i] = 1;
  if constexpr (ScalarTraits<S>::lanes > 1)
    for (int i = 0; i < S::lanes; ++i) z.p[1].set(i, c.p[1] + 0.02 * i);
  return z;
}

template <class S, class Sys>
double residual(const Sys& system, const State<S, 3>& z) {
  Vector<S, 1> g;
  system.constraint(z.q, z.p, g);
  return magnitude(g[0]);
}

/// 60 steps of both: the same up to round-off of g, which grows with the square of q where a
/// surface has no bounds. In its units, measured at most: residual 2.5, h lambda 6.9, q after all
/// steps 89.
template <class S>
void expect_newtons_steps(const Case& c, double h, bool project) {
  const auto newton = by_newton(c.surface);
  const auto closed = in_closed_form(c.surface);
  NaturalConstrained<std::decay_t<decltype(newton)>, S> a(newton);
  NaturalConstrained<std::decay_t<decltype(closed)>, S> b(closed);
  State<S, 3> x = start<S>(c), y = x;
  double eps = epsilon<S>;
  for (int k = 0; k < 60; ++k) {
    ASSERT_TRUE(a.step(newton, x, Real<S>(h), project)) << c.name;
    const Status status = b.step(closed, y, Real<S>(h), project);
    ASSERT_TRUE(status) << c.name;
    ASSERT_EQ(status.iterations, 1) << c.name;
    const double size = largest_magnitude(y.q);
    eps = std::max(eps, epsilon<S> * size * size);
    ASSERT_LE(magnitude(S(a.lambda()[0] - b.lambda()[0])), 14 * eps / h) << c.name << " " << k;
    ASSERT_LE(residual<S>(closed, y), 5 * eps) << c.name << " " << k;
  }
  EXPECT_LE(largest_magnitude(x.q - y.q), 180 * eps) << c.name;
  if (project) {
    EXPECT_LE(largest_magnitude(x.p - y.p), 180 * eps) << c.name;
  }
}

TEST(QuadraticLanding, is_newtons_in_every_scalar) {
  for (const Case& c : cases)
    for (const double h : {0.01, 0.1})
      for (const bool project : {true, false}) {
        SCOPED_TRACE(h);
        expect_newtons_steps<double>(c, h, project);
        expect_newtons_steps<Quad>(c, h, project);
        expect_newtons_steps<Dual<double, 4>>(c, h, project);
        expect_newtons_steps<Pack>(c, h, project);
      }
}

TEST(QuadraticLanding, does_not_depend_on_the_momentum_along_the_fibre) {
  const Case& c = cases[1];
  const auto newton = by_newton(c.surface);
  const auto closed = in_closed_form(c.surface);
  for (const double along : {-3.0, 3.0, 20.0}) {
    NaturalConstrained<std::decay_t<decltype(newton)>, double> a(newton);
    NaturalConstrained<std::decay_t<decltype(closed)>, double> b(closed);
    State<double, 3> x = start<double>(c), y = x;
    Vector<double, 1> g;
    Matrix<double, 1, 3> slope;
    closed.linearise(y.q, y.q, g, slope, slope);
    y.p += along * slope.transpose();
    ASSERT_TRUE(a.step(newton, x, 0.1, true));
    ASSERT_TRUE(b.step(closed, y, 0.1, true)) << along;
    EXPECT_LE(largest_magnitude(x.q - y.q), 1e-14) << along;
    EXPECT_LE(largest_magnitude(x.p - y.p), 1e-13) << along;
  }
}

TEST(QuadraticLanding, fails_as_newton_does_where_there_is_no_solution) {
  Case c = cases[0];
  c.p = {0, 5, 0};  // at h = 0.5 the sphere is out of reach of q* - s q
  const auto newton = by_newton(c.surface);
  const auto closed = in_closed_form(c.surface);
  NaturalConstrained<std::decay_t<decltype(newton)>, double> a(newton);
  NaturalConstrained<std::decay_t<decltype(closed)>, double> b(closed);
  State<double, 3> x = start<double>(c), y = x;
  const Status as = a.step(newton, x, 0.5, true), is = b.step(closed, y, 0.5, true);
  EXPECT_FALSE(as);
  EXPECT_EQ(is.outcome, as.outcome);
  EXPECT_EQ(is.iterations, as.iterations);
  EXPECT_EQ(y.q, start<double>(c).q);
  EXPECT_EQ(y.p, start<double>(c).p);
  x.p[0] = y.p[0] = std::nan("");
  EXPECT_FALSE(b.step(closed, y, 0.5, true));
  EXPECT_EQ(b.step(closed, y, 0.5, true).outcome, a.step(newton, x, 0.5, true).outcome);
}

TEST(QuadraticLanding, of_a_model_from_text) {
  const auto model = parse_model(
      "[model]\ncoordinates = [\"x\", \"y\", \"z\"]\nmass = [1, 2, 0.5]\n"
      "potential = \"z + x*y/10\"\n"
      "constraints = [\"(x^2 + 2*y^2 + 4*z^2)/2 + 0.3*x*y + 0.2*z - 0.5\"]\n",
      "ellipsoid");
  const AnySystem system = expression_system(model.system);
  const auto text = find_method("rattle").stepper<double>(system);
  const Case& c = cases[1];
  const auto newton = by_newton(c.surface);
  NaturalConstrained<std::decay_t<decltype(newton)>, double> core(newton);
  State<double, 3> x = start<double>(c);
  State<double> z{x.q, x.p};
  int iterations = 0;
  for (int k = 0; k < 60; ++k) {
    const Status status = text->step(system, z, 0.1), typed = core.step(newton, x, 0.1, true);
    ASSERT_TRUE(status);
    ASSERT_TRUE(typed);
    EXPECT_EQ(status.iterations, 1);
    iterations = std::max(iterations, typed.iterations);
  }
  EXPECT_GT(iterations, 1);  // of Newton: there was something to save
  EXPECT_LE(largest_magnitude(x.q - z.q), 1e-12);
  EXPECT_LE(largest_magnitude(x.p - z.p), 1e-12);
}

}  // namespace
}  // namespace rattleback
