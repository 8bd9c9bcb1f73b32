// Whether constraints on velocities are those of positions: closed forms have defect 0, the defect
// of others is known in closed form.
#include <gtest/gtest.h>

#include "models.hpp"

using namespace rattleback;

namespace {

Integrability velocities(const std::string& constraint, const std::string& start = "") {
  return models::parse(R"([model]
coordinates = ["x", "y", "z"]
mass = [1, 1, 1]
potential = "z^2"
constraints = [")" + constraint +
                       "\"]\n" + start)
      .analyse()
      .velocities;
}

// Two derivatives of a product cancel only where both have their full weight.
TEST(Frobenius, ExactFormsAreIntegrable) {
  for (const char* form : {"y*x_dot + x*y_dot + z_dot",                             // d(xy + z)
                           "y*z*x_dot + x*z*y_dot + x*y*z_dot + x_dot",             // d(xyz + x)
                           "2*x*y^2*x_dot + 2*x^2*y*y_dot + cos(z)*z_dot + y_dot",  //
                           "y*x_dot + x*y_dot + z_dot - 1"}) {                      // and with time
    const Integrability v = velocities(form);
    EXPECT_TRUE(v.applies && v.integrable) << form;
    EXPECT_LT(v.defect, 1e-14) << form;  // measured: 0
  }
}

/// f d(xy + z) is not closed, but where it vanishes is still a family of surfaces.
TEST(Frobenius, FactorsDoNotMatter) {
  const Integrability v = velocities("(x^2 + 2)*(y*x_dot + x*y_dot + z_dot)");
  EXPECT_TRUE(v.applies && v.integrable);
  EXPECT_LT(v.defect, 1e-14);
}

/// a = dy - z dx: X = (1, z, 0)/l and Y = (0, 0, 1) are allowed, l^2 = 1 + z^2, da(X, Y) = 1/l and
/// |a| = l, so the defect is 1/(1 + z^2), largest at z = 0.
TEST(Frobenius, TheDefectIsThatOfTheContactForm) {
  const Integrability v =
      velocities("y_dot - z*x_dot", "[initial]\nq = [0.3, 0.2, 0]\nv = [1, 0, 0.5]\n");
  EXPECT_FALSE(v.integrable);
  EXPECT_NEAR(v.defect, 1, 1e-14);
  EXPECT_EQ(v.worst, 0);
}

/// dx - y dt: no surface in space and time.
TEST(Frobenius, TimeCounts) {
  const Integrability v = velocities("x_dot - y", "[initial]\nq = [0, 0, 0]\nv = [0, 1, 0]\n");
  EXPECT_TRUE(v.affine);
  EXPECT_FALSE(v.integrable);
  EXPECT_NEAR(v.defect, 1, 1e-14);  // 1/(1 + y^2)
}

}  // namespace
