// Gauss-Legendre stages with a sparse matrix: the steps are those of full matrices, and the work is
// linear in the size.
#include "rattleback/integrators/sparse_driven.hpp"

#include <gtest/gtest.h>

#include "integrators/sparse_models.hpp"
#include "rattleback/expression/expression_system.hpp"
#include "rattleback/geometry/consistent.hpp"
#include "rattleback/integrators/gauss.hpp"
#include "rattleback/integrators/registry.hpp"
#include "rattleback/testing/trial.hpp"
#include "rattleback/testing/witness_systems.hpp"
#include "rattleback/text/model.hpp"

namespace rattleback::sparse_models::driven {
namespace {

template <class S>
using SparseStepper = GaussStepper<AnySystem, S, DrivenStages<AnySystem, S, SparseDriven<S>>>;

/// The largest difference after a step from a common state, over some steps of full matrices.
template <class S>
double difference(const AnySystem& system, State<S> z, const GaussChoice& choice, int steps) {
  SparseStepper<S> sparse(system, choice);
  GaussStepper<AnySystem, S> full(system, choice);
  double most = 0;
  for (int k = 0; k < steps; ++k) {
    State<S> y = z;
    const Status status = sparse.step(system, y, Real<S>(0.02));
    EXPECT_TRUE(status) << "sparse, step " << k << ": " << int(status.outcome);
    EXPECT_TRUE(full.step(system, z, Real<S>(0.02))) << "full, step " << k;
    most = larger(most, largest_magnitude(z.q - y.q));
    if (choice.form != Formulation::index3) most = larger(most, largest_magnitude(z.p - y.p));
  }
  return most;
}
void expect_the_same(const AnySystem& system, const State<double>& start, const std::string& name) {
  for (const Formulation form : formulations)
    for (int s = 1; s <= 3; ++s)
      if (fits(form, system)) {
        EXPECT_LE(difference<double>(system, start, {s, form}, 5), 1e-13)
            << name << ' ' << int(form) << ' ' << s;
      }
  EXPECT_LE(difference<double>(system, start, {2, Formulation::index2, GaussVariant::projected}, 5),
            1e-13)
      << name;
}
TEST(SparseDriven, takes_the_steps_of_full_matrices) {
  for (const Example& e : examples()) {
    const AnySystem system = expression_system(e.description);
    expect_the_same(system, consistent(system, e.start), e.name);
  }
}
TEST(SparseDriven, takes_them_on_the_witness_problems) {
  for (const char* name :
       {"planar_pendulum", "spherical_pendulum", "double_pendulum", "chain_3d", "quartic",
        "magnetic", "variable_mass_sphere", "full_mass_sphere", "hopf_gravity", "mixed_quartic"}) {
    const AnySystem system = expression_system(
        read_model(RATTLEBACK_SOURCE_DIR "/examples/witness/" + std::string(name) + ".toml")
            .system);
    expect_the_same(system, testing::convert<double>(testing::witness_system(name).start), name);
  }
}
// Partial derivatives of the full step are differences in quad precision, to 1e-11.
TEST(SparseDriven, takes_them_in_quad_precision_and_on_duals) {
  using D = Dual<double, 4>;
  const Example e = chain(3, true);
  const AnySystem system = expression_system(e.description);
  const State<double> start = consistent(system, e.start);
  const int n = system.dimension();
  State<Quad> fine{Vector<Quad, dynamic>(n), Vector<Quad, dynamic>(n)};
  State<D> dual{Vector<D, dynamic>(n), Vector<D, dynamic>(n)};
  for (int i = 0; i < n; ++i) {
    fine.q[i] = start.q[i], fine.p[i] = start.p[i];
    dual.q[i] = D(start.q[i]), dual.p[i] = D(start.p[i]);
    if (i < 4) dual.q[i].partials[i] = 1;
  }
  for (const Formulation form : {Formulation::index2, Formulation::index2_momentum}) {
    EXPECT_LE(difference<Quad>(system, fine, {2, form}, 2), 1e-30) << int(form);
    EXPECT_LE(difference<D>(system, dual, {2, form}, 2), 1e-9) << int(form);
  }
}

TEST(SparseDriven, says_that_dependent_constraints_lose_rank) {
  Example e = chain(4);
  e.description.constraints[2] = e.description.constraints[1];
  const AnySystem system = expression_system(e.description);
  for (const Formulation form : formulations) {
    SparseStepper<double> sparse(system, {2, form});
    State<double> z = e.start;
    EXPECT_EQ(sparse.step(system, z, 0.02).outcome, Outcome::rank_loss) << int(form);
    EXPECT_EQ(z.q, e.start.q);
  }
}

/// Entries of the factors, for each rod.
double entries(const Example& e, Formulation form) {
  const AnySystem system = expression_system(e.description);
  StageBlocks<double> blocks(*sparse_derivatives(system), *driven_derivatives(system, form), 2);
  return static_cast<double>(blocks.lu().entries_of_factor()) / system.constraint_count();
}
TEST(SparseDriven, fills_in_proportion_to_the_size) {
  for (const Formulation form : formulations) {
    EXPECT_LE(entries(chain(200), form), 1.05 * entries(chain(50), form)) << int(form);
    EXPECT_LE(entries(tree(255), form), 1.1 * entries(tree(63), form)) << int(form);
    EXPECT_LE(entries(ring(200), form), 1.1 * entries(ring(50), form)) << int(form);
  }
}

TEST(SparseDriven, is_what_the_registry_gives_for_any_number_of_coordinates) {
  for (const int n : {2, 150}) {
    const Example e = chain(n);
    const AnySystem system = expression_system(e.description);
    const auto stepper = find_method("gauss:stages=2").stepper<double>(system);
    EXPECT_EQ(stepper->structure(system),
              "sparse of " + std::to_string(12 * n) + " with the stages");
    State<double> z = consistent(system, e.start);
    EXPECT_TRUE(stepper->advance(system, z, 0.005, 5).status);
  }
}

}  // namespace
}  // namespace rattleback::sparse_models::driven
