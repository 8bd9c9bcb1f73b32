// A counted system is stepped as the system itself: same path, same bits, every call counted.
#include "rattleback/study/counting.hpp"

#include "models.hpp"
#include "rattleback/expression/expression_system.hpp"
#include "rattleback/integrators/registry.hpp"

namespace rattleback::study {
namespace {

State<double> end_of(const AnySystem& system, const std::string& method, const State<double>& start,
                     long steps) {
  const auto stepper = find_method(method).stepper<double>(system);
  stepper->reset();
  State<double> z = start;
  for (long i = 0; i < steps; ++i) EXPECT_TRUE(stepper->step(system, z, 0.01)) << "step " << i;
  return z;
}

TEST(Counting, has_every_ability_of_the_system) {
  const auto count = std::make_shared<Evaluations>();
  for (const char* name : {"pendulum", "chain", "magnetic_torus"}) {
    SCOPED_TRACE(name);
    const Problem problem = prepare(load(example(name)));
    const AnySystem counted = counting(problem.system, count);
    const State<double>& z = *problem.start;
    const SystemModel<double>& inner = problem.system.model<double>();
    const SystemModel<double>& outer = counted.model<double>();
    EXPECT_EQ(outer.compiled() == nullptr, inner.compiled() == nullptr);
    Matrix<double, dynamic> a(2 * z.q.size(), 2 * z.q.size()), b = a;
    EXPECT_EQ(outer.energy_hessian(z.q, z.p, a), inner.energy_hessian(z.q, z.p, b));
    EXPECT_EQ(counted.traits(), problem.system.traits());
    EXPECT_EQ(counted.models().pack == nullptr, problem.system.models().pack == nullptr);
  }
  const Problem problem = prepare(load(example("pendulum")));
  const AnySystem* const members[] = {&problem.system};
  const AnySystem packed = counting(packed_system(members), count);
  ASSERT_TRUE(packed.models().pack && packed.models().dual_pack);
  EXPECT_TRUE(packed.models().pack->compiled());
}

TEST(Counting, counts_what_the_compiled_stepper_calls) {
  constexpr long steps = 100;
  for (const char* name : {"pendulum", "chain"}) {
    SCOPED_TRACE(name);
    const auto count = std::make_shared<Evaluations>();
    const Problem problem = prepare(load(example(name)));
    const AnySystem counted = counting(problem.system, count);
    ASSERT_TRUE(counted.model<double>().compiled());
    const State<double> plain = end_of(problem.system, "rattle", *problem.start, steps);
    const State<double> same = end_of(counted, "rattle", *problem.start, steps);
    EXPECT_EQ(same.q, plain.q);  // the same path: equal to the bit
    EXPECT_EQ(same.p, plain.p);
    // Of kick - drift - kick the second force is the first of the next step, one more at the start.
    EXPECT_EQ(count->force, steps + 1);
    EXPECT_EQ(count->hessian, 0);
    // G at the start, and with each iterate of Newton, of which there are two or three. Of one
    // quadratic constraint G once a step, and G(0), G(e_1), G(e_2) for its curvature.
    if (std::string(name) == "pendulum") {
      EXPECT_EQ(count->constraint, steps + 1 + 3);
    } else {
      EXPECT_GT(count->constraint, 2 * steps);
      EXPECT_LT(count->constraint, 5 * steps);
    }
  }
}

TEST(Counting, counts_what_the_sparse_stepper_calls) {
  constexpr long steps = 20;
  for (const char* name : {"magnetic_torus", "witness/hopf_gravity"}) {
    SCOPED_TRACE(name);
    const auto count = std::make_shared<Evaluations>();
    const Problem problem = prepare(load(example(name)));
    const AnySystem counted = counting(problem.system, count);
    const Method method = find_method("rattle:base=midpoint");
    EXPECT_EQ(method.stepper<double>(counted)->structure(counted),
              method.stepper<double>(problem.system)->structure(problem.system));
    const State<double> plain =
        end_of(problem.system, "rattle:base=midpoint", *problem.start, steps);
    *count = {};
    const State<double> same = end_of(counted, "rattle:base=midpoint", *problem.start, steps);
    EXPECT_EQ(same.q, plain.q);  // the same path: equal to the bit
    EXPECT_EQ(same.p, plain.p);
    EXPECT_GT(count->hessian, 0);
    EXPECT_GT(count->force, steps);
    EXPECT_GT(count->constraint, steps);
  }
}

TEST(Counting, methods_count_by_their_formulas) {
  constexpr long steps = 50;
  const Problem problem = problem_of(
      "[model]\ncoordinates = [\"x\", \"y\"]\nmass = [1, 1]\npotential = \"-1/sqrt(x^2 + y^2)\"\n"
      "[initial]\nq = [1, 0]\np = [0, 0.8]\n");
  const auto counts = [&](const std::string& method) {
    const auto count = std::make_shared<Evaluations>();
    (void)end_of(counting(problem.system, count), method, *problem.start, steps);
    return *count;
  };
  EXPECT_EQ(counts("baseline:kind=rk4").force, 4 * steps);
  // Two Euler maps of half the step, each of which asks for H_q and for H_p.
  EXPECT_EQ(counts("rattle").force, 4 * steps);
  // Newton in the midpoint takes second derivatives from compiled code, not from duals.
  const Evaluations midpoint = counts("rattle:base=midpoint");
  EXPECT_GT(midpoint.hessian, 0);
  EXPECT_GE(midpoint.force, 2 * steps);
}

}  // namespace
}  // namespace rattleback::study
