// A motion in another space than R^2n through all that runs have: figures, files, checkpoints,
// pictures and laws. Nothing here is known to them.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <csignal>
#include <fstream>

#include "../../src/report/gnuplot.hpp"
#include "rattleback/geometry/flow.hpp"
#include "rattleback/report/plot.hpp"
#include "rattleback/testing/motion_laws.hpp"
#include "rigid_body.hpp"
#include "sample_run.hpp"

namespace rattleback::testing {
namespace {

using Body = RigidBody::Point;
using Flat = AnyMotion::Point;

const Eigen::Vector3d inertia{1, 2, 3};
const Body start{Eigen::AngleAxisd(0.4, Eigen::Vector3d(1, 2, 2) / 3).toRotationMatrix(),
                 {0.3, 1.1, -0.5}};
const auto make = [](const Body& z) { return RigidBody(inertia, z); };
AnyMotionPointer body() { return erase_motion(make(start)); }

RunOptions<Flat> options(long steps = 1000) {
  return {.step = 0.02, .steps = steps, .every = 10, .restart_every = 70};
}

/// The run in a file.
MotionRun<Flat> to_file(const std::string& path, RunOptions<Flat> how = options()) {
  const auto motion = body();
  const auto sink = make_sink(path, describe_run(motion->info(), how), 0, Existing::replace);
  return run_to_sink(*motion, how, *sink);
}

TEST(Motion, runs_typed_and_erased_to_the_same_bits) {
  RigidBody typed = make(start);
  const MotionRun<Body> a = run_motion(typed, {.step = 0.02, .steps = 1000, .every = 10});
  const auto erased = body();
  const MotionRun<Flat> b = run_motion(*erased, {.step = 0.02, .steps = 1000, .every = 10});
  ASSERT_EQ(a.states.size(), 101u);
  ASSERT_EQ(b.states.size(), 101u);
  Flat values;
  for (std::size_t i = 0; i < a.states.size(); ++i) {
    typed.values(a.states[i], values);
    EXPECT_TRUE(same_bits(values, b.states[i])) << i;
  }
  EXPECT_EQ(a.energies, b.energies);
  EXPECT_EQ(a.energy_drift, b.energy_drift);
  EXPECT_EQ(b.projections.position, 100);
  EXPECT_NEAR(b.energy_error, 4.11e-7, 1e-9);  // it oscillates: of order h^2
  EXPECT_LT(b.constraint, 1e-15);              // measured: 4.4e-16, two units of the last place
  EXPECT_NE(b.summary().find("method             axes\nsteps              1000 of 1000"),
            std::string::npos)
      << b.summary();
}

TEST(Motion, phase_points_are_motions_with_the_same_bits) {
  SampleRun run("double_pendulum", "rattle:project=output");
  run.options = {.step = 0.01, .steps = 300, .every = 7, .restart_every = 50};
  const auto typed = integrate(run.witness.system, run.method, run.start, run.options);
  const auto motion = phase_space_motion(run.witness.system, run.method, run.start, run.names);
  EXPECT_EQ(motion->info().layout, phase_space(run.names));
  EXPECT_EQ(motion->info().multipliers, 2);
  EXPECT_EQ(motion->info().saved, 8u);
  const auto flat =
      run_motion(*motion, {.step = 0.01, .steps = 300, .every = 7, .restart_every = 50});
  ASSERT_EQ(flat.states.size(), typed.states.size());
  for (std::size_t i = 0; i < flat.states.size(); ++i)
    EXPECT_TRUE(same_bits(phase_point(flat.states[i]), typed.states[i])) << i;
  EXPECT_EQ(flat.energies, typed.energies);
  EXPECT_EQ(flat.newton_mean, typed.newton_mean);
  EXPECT_EQ(flat.projections.momentum, typed.projections.momentum);
  EXPECT_EQ(flat.hidden, typed.hidden);
  EXPECT_THROW(motion->restore(std::vector<double>(7)), InputError);
  EXPECT_THROW((void)phase_space_motion(run.witness.system, run.method, run.start, {"x"}),
               InputError);
}

TEST(Motion, is_stored_by_its_layout) {
  const Folder folder;
  const auto run = to_file(folder / "a.h5");
  const RunData data = read_run(folder / "a.h5");
  EXPECT_EQ(data.state, RunState::finished);
  EXPECT_EQ(data.header.model, "rigid body");
  EXPECT_EQ(data.header.layout, body()->info().layout);
  ASSERT_EQ(data.rows(), 101);
  EXPECT_EQ(data.field("attitude").columns, 9);
  EXPECT_EQ(data.field("momentum")(0, 1), 1.1);
  for (int i = 0; i < 9; ++i) EXPECT_EQ(data.field("attitude")(100, i), run.final[i]);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(data.field("momentum")(100, i), run.final[9 + i]);
  EXPECT_EQ(data.figures.energy_error, run.energy_error);

  (void)to_file(folder / "a.csv");
  std::ifstream file(folder / "a.csv");
  std::string line;
  std::getline(file, line);
  EXPECT_EQ(
      line,
      "t,R_xx,R_xy,R_xz,R_yx,R_yy,R_yz,R_zx,R_zy,R_zz,m_x,m_y,m_z,energy,constraint,hidden,newton");
  try {
    (void)data.field("q");
    FAIL() << "no exception";
  } catch (const InputError& e) {
    EXPECT_STREQ(e.what(), "field: there is no 'q'; there are attitude (9), momentum (3)");
  }
}

/// The same, in a process that is killed after so many steps.
void to_file_until_killed(const std::string& path, RunOptions<Flat> how, long after) {
  const pid_t child = ::fork();
  if (child == 0) {
    how.observe = [after](long step, double, const Flat&) {
      if (step >= after) ::kill(::getpid(), SIGKILL);
    };
    (void)to_file(path, how);
    ::_exit(1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
}

TEST(Motion, killed_anywhere_goes_on_to_the_bit) {
  const Folder folder;
  (void)to_file(folder / "whole.h5", options(1003));
  const RunData whole = read_run(folder / "whole.h5");
  for (const long after : {5L, 333L, 701L}) {
    SCOPED_TRACE(after);
    to_file_until_killed(folder / "part.h5", options(1003), after);
    EXPECT_EQ(read_run(folder / "part.h5").state, RunState::running);
    const auto motion = body();
    (void)motion->advance(0.1, 9);  // wherever it is
    {
      const auto file = RunFile::resume(folder / "part.h5", 0);
      EXPECT_EQ(file->resumed_from().state.size(), 7u);  // as carried: a quaternion
      EXPECT_GE(file->resumed_from().step(), after - 70);
      (void)resume_run(*motion, {}, *file);
    }
    const RunData part = read_run(folder / "part.h5");
    EXPECT_EQ(part.state, RunState::finished);
    EXPECT_TRUE(same_bits(part.time, whole.time));
    for (int i : {0, 1}) EXPECT_TRUE(same_bits(part.fields[i].values, whole.fields[i].values));
    EXPECT_TRUE(same_bits(part.energy, whole.energy));
    EXPECT_EQ(part.figures.energy_drift, whole.figures.energy_drift);
    EXPECT_EQ(part.figures.projections.position, whole.figures.projections.position);
  }
}

TEST(Motion, of_another_layout_does_not_go_on_in_a_file) {
  const Folder folder;
  SampleRun pendulum("planar_pendulum");
  (void)pendulum.to(folder / "a.h5");
  const auto file = RunFile::resume(folder / "a.h5");
  const auto motion = body();
  try {
    (void)resume_run(*motion, {}, *file);
    FAIL() << "no exception";
  } catch (const InputError& e) {
    EXPECT_STREQ(e.what(),
                 "resume: the run has q (2), p (2), the model attitude (9), momentum (3)");
  }
}

TEST(Motion, is_drawn_by_its_labels) {
  const auto motion = body();
  auto how = options();
  MemorySink sink(describe_run(motion->info(), how));
  (void)run_to_sink(*motion, how, sink);
  const std::string script = plot_script(sink.data(), "a.svg");
  EXPECT_NE(script.find("set xlabel " + detail::gnuplot_text("R_xx")), std::string::npos);
  EXPECT_NE(script.find(detail::gnuplot_text("rigid body   ·   axes")), std::string::npos);
  const std::string momenta = plot_script(sink.data(), "a.svg", {.axes = {"m_x", "m_y", "m_z"}});
  EXPECT_NE(momenta.find("set zlabel " + detail::gnuplot_text("m_z")), std::string::npos);
  EXPECT_NE(momenta.find("\n0.3 1.1 -0.5 \n"), std::string::npos);  // the start
}

TEST(Motion, explains_its_failures) {
  const Folder folder;
  const auto run = to_file(folder / "a.h5", {.step = 3, .steps = 10});
  EXPECT_EQ(run.status.outcome, Outcome::no_convergence);
  const std::string text =
      "step of size 3 failed at t = 0: the body turns too far. Likely cause: the step is too "
      "large. At the last good state: |m| = 1.244990.";
  EXPECT_EQ(run.failure.text(), text);
  const RunData data = read_run(folder / "a.h5");
  EXPECT_EQ(data.state, RunState::failed);
  EXPECT_EQ(data.figures.failure.text(), text);
}

// ---- laws --------------------------------------------------------------------------------------

/// The exact motion in all twelve numbers.
Body exact(const Body& from, double t) {
  Vector<double, dynamic> x(12);
  Eigen::Map<Eigen::Matrix3d>(x.data()) = from.attitude;
  x.tail<3>() = from.momentum;
  RoundOffFlow<double, dynamic> flow(12);
  const Status status = flow.advance(
      [](const Vector<double, dynamic>& y, Vector<double, dynamic>& out) {
        const Eigen::Map<const Eigen::Matrix3d> attitude(y.data());
        const Eigen::Vector3d momentum = y.tail<3>(), omega = momentum.cwiseQuotient(inertia);
        for (int i = 0; i < 3; ++i)
          Eigen::Map<Eigen::Matrix3d>(out.data()).row(i) = attitude.row(i).cross(omega.transpose());
        out.tail<3>() = momentum.cross(omega);
      },
      t, x);
  EXPECT_TRUE(status);
  return {Eigen::Map<Eigen::Matrix3d>(x.data()), x.tail<3>()};
}

TEST(MotionLaws, tangent_vectors_lead_where_differences_say) {
  const RigidBody motion = make(start);
  const std::vector<double> tangent{0.1, -0.7, 0.3, 0.2, 0.1, -0.4};
  std::vector<double> found;
  motion.difference(start, motion.retract(start, tangent), found);
  for (std::size_t i = 0; i < 6; ++i)
    EXPECT_NEAR(found[i], tangent[i], 1e-15);  // measured: 2.2e-16
}

TEST(MotionLaws, order) {
  const Body truth = exact(start, 1);
  const OrderResult two = check_order(make, start, truth, 2, {.plateau = 1e-10});
  EXPECT_TRUE(two.holds(1e-3)) << two;  // measured: 2.00001
  EXPECT_FALSE(check_order(make, start, truth, 1, {.plateau = 1e-10}).holds(0.5));
}

TEST(MotionLaws, reversal) {
  const ReversalResult result = check_reversal(make, start);
  EXPECT_TRUE(result.holds(1e-15)) << result;  // measured: 2.2e-16
}

TEST(MotionLaws, residuals_and_energy) {
  const ResidualResult residuals = check_residuals(make, start);
  EXPECT_EQ(residuals.steps, 200);
  EXPECT_LT(residuals.primary, 1e-15) << residuals;  // measured: 4.4e-16
  const EnergyResult energy = check_energy(make, start);
  EXPECT_EQ(energy.steps, 2000);
  EXPECT_FALSE(energy.at_round_off()) << energy;
  EXPECT_NEAR(energy.growth(), 1, 0.1) << energy;    // measured: 0.956
  EXPECT_LT(energy.drift_share(), 0.007) << energy;  // measured: 0.0034
}

/// omega((a, m), (b, n)) = n.a - m.b + momentum.(a x b), turns in the body's frame.
Matrix<double, dynamic> form(const Body& z, double bracket = 1) {
  Matrix<double, dynamic> omega = Matrix<double, dynamic>::Zero(6, 6);
  omega.topRightCorner(3, 3).setIdentity();
  omega.bottomLeftCorner(3, 3) = -Eigen::Matrix3d::Identity();
  for (int i = 0; i < 3; ++i)
    omega.block(0, i, 3, 1) = bracket * Eigen::Vector3d::Unit(i).cross(z.momentum);
  return omega;
}

TEST(MotionLaws, symplectic_form) {
  const auto right = [](const Body& z) { return form(z); };
  const FormResult result = check_form(make, start, right);
  EXPECT_EQ(result.directions, 6);
  EXPECT_TRUE(result.holds(1e-10)) << result;  // measured: 4.3e-11, of difference quotients
  const auto flat = [](const Body& z) { return form(z, 0); };  // of R^6: not this one
  EXPECT_FALSE(check_form(make, start, flat).holds(1e-3));
}

TEST(MotionLaws, say_of_phase_points_what_is_said_of_methods) {
  const auto& witness = witness_system("spherical_pendulum");
  const Method& method = find_method("rattle");
  const auto rattle = [&](const Flat& z) {
    return phase_space_motion(witness.system, method, phase_point(z), {"x", "y", "z"});
  };
  Flat from;
  flatten(in_double(witness.start), from);
  const ReversalResult a = check_reversal(rattle, from);
  const ReversalResult b = check_reversal(witness.system, method, witness.start);
  EXPECT_NEAR(a.defect, b.defect, 2e-16);  // measured: the same
  const EnergyResult c = check_energy(rattle, from);
  const EnergyResult d = check_energy(witness.system, method, witness.start);
  EXPECT_GT(d.spread, 1e-4);  // measured: 8.4e-4
  EXPECT_EQ(c.spread, d.spread);
  EXPECT_EQ(c.drift, d.drift);
}

TEST(MotionLaws, hold_erased_motions_too) {
  Flat from;
  make(start).values(start, from);
  const auto erased = [](const Flat& z) {
    const RigidBody reader = make(start);
    return erase_motion(make(reader.point(z)));
  };
  const ReversalResult a = check_reversal(erased, from), b = check_reversal(make, start);
  EXPECT_EQ(a.failure, "");
  EXPECT_EQ(a.defect, b.defect);
}

}  // namespace
}  // namespace rattleback::testing
