// The multistep methods against an independent prototype, and without constraints; every kernel is
// the same method.
#include <gtest/gtest.h>

#include "integrators/multistep_cases.hpp"
#include "rattleback/expression/expression_system.hpp"
#include "rattleback/problem/hamiltonian_system.hpp"
#include "rattleback/text/model.hpp"

namespace rattleback::multistep_tests {
namespace {

AnySystem double_pendulum() {
  return {"double", natural_system(
                        mass(1, 1, 2, 2), [](const auto& q) { return q[1] + q[3] * 2; },
                        []<class Q>(const Q& q) {
                          using S = typename Q::Scalar;
                          const S x = q[2] - q[0], y = q[3] - q[1];
                          return std::array<S, 2>{S((q[0] * q[0] + q[1] * q[1] - 1) / 2),
                                                  S((x * x + y * y - 1) / 2)};
                        })};
}

struct Reference {
  int order;
  std::vector<const char*> q, p;
};
struct Prototype {
  AnySystem system;
  std::vector<Quad> q, p;  // the start
  std::vector<Reference> after;
};

/// 64 steps of 1/64, by tests/reference/multistep.py: the recurrence as it is printed, in 40
/// digits.
const std::vector<Prototype>& prototypes() {
  static const std::vector<Prototype> all{
      {pendulum(),
       {1, 0},
       {0, -2},
       {{4,
         {"-0.68365760670878022991098123824846", "-0.72980290269991580321614451540775"},
         {"-1.7052422692975995039317077207862", "1.5974201313447046169564927894227"}},
        {6,
         {"-0.68365793774187704906976235913896", "-0.72980259259783653134986873189175"},
         {"-1.7052420003937122394292927345838", "1.5974213316921208914241296886355"}},
        {8,
         {"-0.68365793652593541799549557238374", "-0.72980259373689544256537159371142"},
         {"-1.7052420025142910450160689148224", "1.5974213283442549991065800114866"}}}},
      {spherical(),
       {Quad(3) / 5, 0, Quad(-4) / 5},
       {Quad(4) / 5, Quad(9) / 10, Quad(3) / 5},
       {{4,
         {"0.7321077753126732095148199634802", "0.66534602421275311135233276262491",
          "-0.14605777415465069982936909353044"},
         {"-0.2860308256145342594008672381942", "0.39209553240610712592865306767357",
          "0.35242089977340113824191894822545"}},
        {6,
         {"0.73210778928648101559458038305257", "0.66534599642418046101301128461941",
          "-0.14605783069858306734480927427972"},
         {"-0.28603076491631661536874917404332", "0.39209549691976511222140913715116",
          "0.35242080396863613380346640218601"}},
        {8,
         {"0.73210778925211482942570532394195", "0.66534599648807043719662743186595",
          "-0.14605783057980006742067734743297"},
         {"-0.28603076501329119909181665204003", "0.39209549693638875258652961377623",
          "0.35242080408370687805763711412624"}}}},
      {double_pendulum(),
       {Quad(3) / 5, Quad(-4) / 5, Quad(64) / 65, Quad(-112) / 65},
       {Quad(4) / 5, Quad(3) / 5, Quad(44) / 65, Quad(53) / 65},
       {{4,
         {"0.82516913147431899197301532519611", "-0.56488574460851643793509433646902",
          "1.2072872975572149522258752612993", "-1.488999215535893591376996013852"},
         {"-0.16024663639509797779183829407267", "-0.23408375771186071853683482943118",
          "0.33095248379757745038849591002107", "-0.19879663658565384065429940946497"}},
        {6,
         {"0.82516922364545348586942655551935", "-0.56488560996750445435076798694254",
          "1.207287222966721244563254059784", "-1.4889991498503002484111221736004"},
         {"-0.16024635162508749321553021287834", "-0.23408342366890257466021969976382",
          "0.33095220612275104637056767303657", "-0.19879645647741538688891607258508"}},
        {8,
         {"0.8251692111952370055451669736198", "-0.56488562815443476930751042291031",
          "1.207287231210612218042055375841", "-1.4889991594802829076466979316506"},
         {"-0.1602463694434353630699908920766", "-0.23408343862908381013048619382414",
          "0.33095220884619707824908774040994", "-0.19879645345359981189288730519388"}}}}};
  return all;
}

template <class S>
double distance_from(const Prototype& prototype, const Reference& expected) {
  testing::Trial<S, AnySystem, Method> trial(
      prototype.system, multistep(expected.order),
      testing::convert<S>(State<Quad>{vector(prototype.q), vector(prototype.p)}));
  trial.run(Real<S>(1) / 64, 64);
  const auto z = trial.shown();
  EXPECT_EQ(trial.failure(), "");
  return testing::distance(z, State<Quad>{vector(expected.q), vector(expected.p)});
}

TEST(Multistep, IsThatOfAnIndependentPrototype) {
  for (const Prototype& prototype : prototypes())
    for (const Reference& expected : prototype.after) {
      SCOPED_TRACE(prototype.system.name() + " " + std::to_string(expected.order));
      EXPECT_LT(distance_from<double>(prototype, expected), 1e-12);
      EXPECT_LT(distance_from<Quad>(prototype, expected), 1e-27);
    }
}

/// Two bodies that attract each other, without constraints: a circle of radius 1 once round.
TEST(Multistep, IsAMethodWithoutConstraintsToo) {
  const AnySystem kepler("kepler", hamiltonian_system<2>([](const auto& q, const auto& p) {
                           using std::sqrt;
                           return p.squaredNorm() / 2 - 1 / sqrt(q.squaredNorm());
                         }));
  EXPECT_THROW((void)multistep(8).stepper<double>(kepler), ModelError);  // not written as natural
  const AnySystem natural = expression_system(
      parse_model("[model]\ncoordinates = [\"x\", \"y\"]\nmass = [1.0]\n"
                  "potential = \"-1/sqrt(x^2 + y^2)\"\n[initial]\nq = [1, 0]\np = [0, 1]\n",
                  "kepler")
          .system);
  for (const int order : {4, 6, 8}) {
    double error[2];
    for (int k = 0; k < 2; ++k) {
      const long steps = 32L << k;
      State<Quad> z{vector({Quad(1), Quad(0)}), vector({Quad(0), Quad(1)})};
      const auto stepper = multistep(order).stepper<Quad>(natural);
      ASSERT_TRUE(stepper->advance(natural, z, Quad(1) / Quad(steps), steps).status);
      using std::sin, std::cos;
      error[k] = static_cast<double>(
          larger(magnitude(Quad(z.q[0] - cos(Quad(1)))), magnitude(Quad(z.q[1] - sin(Quad(1))))));
    }
    EXPECT_NEAR(std::log2(error[0] / error[1]), order, 0.6) << order;
  }
  State<double> z{Vector<double, dynamic>(2), Vector<double, dynamic>(2)};
  z.q << 1, 0, z.p << 0, 1;
  const auto stepper = multistep(8).stepper<double>(natural);
  ASSERT_TRUE(stepper->advance(natural, z, 1.0 / 32, 32'000).status);  // 159 times round
  EXPECT_NEAR(natural.energy(z.q, z.p), -0.5, 1e-13);
  State<Dual<double, 4>> lifted{Vector<Dual<double, 4>, dynamic>(2),
                                Vector<Dual<double, 4>, dynamic>(2)};
  lifted.q << 1, 0, lifted.p << 0, 1;
  lifted.p[1].partials[0] = 1;
  const auto dual = multistep(8).stepper<Dual<double, 4>>(natural);
  EXPECT_TRUE(dual->advance(natural, lifted, 1.0 / 32, 32).status);
  EXPECT_TRUE(std::isfinite(lifted.q[0].partials[0]));
}

/// The chain's own kernel, the sparse one of compiled code, and full matrices in quad.
TEST(Multistep, EveryKernelIsTheSameMethod) {
  const auto& w = witness_system("chain_2d");
  const auto file = read_model(RATTLEBACK_SOURCE_DIR "/examples/witness/chain_2d.toml");
  const AnySystem text = expression_system(file.system);
  const Method method = multistep(8);
  const auto by_chain = method.stepper<double>(w.system), by_code = method.stepper<double>(text);
  const auto in_quad = method.stepper<Quad>(text);
  auto a = start_of(w), b = a;
  auto c = w.start;
  ASSERT_TRUE(by_chain->advance(w.system, a, 1.0 / 64, 100).status);
  ASSERT_TRUE(by_code->advance(text, b, 1.0 / 64, 100).status);
  ASSERT_TRUE(in_quad->advance(text, c, Quad(1) / 64, 100).status);
  EXPECT_LT(testing::distance(a, c), 1e-11);
  EXPECT_LT(testing::distance(b, c), 1e-11);
}

/// p' = f - G^T Lambda: what is reported is h/2 Lambda, as that of RATTLE tends to.
TEST(Multistep, TellsTheMultiplierOfTheEquations) {
  const AnySystem system = pendulum();
  const auto stepper = multistep(8).stepper<double>(system);
  State<double> z{Vector<double, dynamic>(2), Vector<double, dynamic>(2)};
  z.q << 1, 0;
  z.p << 0, -2;
  ASSERT_TRUE(stepper->advance(system, z, 0.01, 50).status);
  const double exact = z.p.squaredNorm() - z.q[1];          // |v|^2 + f.q
  EXPECT_NEAR(stepper->lambda()[0], 0.005 * exact, 2e-13);  // eps/h; measured: 7.5e-14
}

}  // namespace
}  // namespace rattleback::multistep_tests
