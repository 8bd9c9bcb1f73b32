// Restart points: a stepper that was reset is as good as new, and a run continued from one equals
// the uninterrupted run to the bit.
#include <gtest/gtest.h>

#include <set>

#include "sample_run.hpp"
#include "text_witnesses.hpp"

namespace rattleback::testing {
namespace {

/// The witness problems; those from text where a method is for systems made of expressions.
const std::vector<WitnessSystem>& systems_for(const Method& method) {
  const std::string& name = method.info().name;
  if (name.find("formulation=total") == std::string::npos && !name.starts_with("taylor"))
    return witness_systems();
  return text_witnesses();
}

AnyStepperPointer<double> stepper_or_null(const Method& method, const AnySystem& system) {
  const bool is_refused = method.info().name.starts_with("index1") && system.name() != "index1";
  if (!method.info().applies(system.traits()) || is_refused) return nullptr;
  return method.stepper<double>(system);
}

TEST(Restart, a_reset_stepper_is_as_good_as_new) {
  constexpr double h = 0.01;
  int compared = 0;
  for (const Method& method : law_methods())
    for (const auto& witness : systems_for(method)) {
      auto old = stepper_or_null(method, witness.system);
      if (!old || witness.system.dimension() > 40) continue;
      SCOPED_TRACE(method.info().name + " on " + witness.name());
      Point z = in_double(witness.start);
      bool ok = true;
      for (int k = 0; k < 23 && ok; ++k) ok = static_cast<bool>(old->step(witness.system, z, h));
      if (!ok) continue;  // the law suite says which pairs run
      old->reset();
      auto fresh = method.stepper<double>(witness.system);
      if (method.info().varies_steps) {  // keeps what it chose at the start
        std::vector<double> chosen;
        old->save(chosen);
        fresh->restore(chosen);
      }
      Point a = z, b = z;
      for (int k = 0; k < 5 && ok; ++k) {
        const Status one = old->step(witness.system, a, h);
        const Status two = fresh->step(witness.system, b, h);
        EXPECT_EQ(one.iterations, two.iterations);
        ASSERT_TRUE(same_bits(a, b)) << "after step " << k + 1;
        ok = one && two;
      }
      ++compared;
    }
  EXPECT_GT(compared, 200);
}

void expect_same_figures(const RunFigures& a, const RunFigures& b) {
  EXPECT_EQ(a.steps, b.steps);
  EXPECT_EQ(a.initial_energy, b.initial_energy);
  EXPECT_EQ(a.final_energy, b.final_energy);
  EXPECT_EQ(a.energy_error, b.energy_error);
  EXPECT_EQ(a.energy_drift, b.energy_drift);
  EXPECT_EQ(a.constraint, b.constraint);
  EXPECT_EQ(a.hidden, b.hidden);
  EXPECT_EQ(a.newton_mean, b.newton_mean);
  EXPECT_EQ(a.newton_max, b.newton_max);
  EXPECT_EQ(a.projections.position, b.projections.position);
  EXPECT_EQ(a.projections.momentum, b.projections.momentum);
}

TEST(Restart, every_checkpoint_continues_to_the_same_figures) {
  const auto& witness = witness_system("double_pendulum");
  for (const char* name : {"rattle", "rattle:project=output", "shake", "rattle:base=midpoint",
                           "variational", "cotangent", "baseline:kind=projection"}) {
    SCOPED_TRACE(name);
    std::vector<Checkpoint> saved;
    RunOptions<Point> options{.step = 0.01, .steps = 500, .every = 7, .restart_every = 60};
    options.checkpoint = [&](const auto& c) { saved.push_back(c); };
    const auto whole =
        integrate(witness.system, find_method(name), in_double(witness.start), options);
    ASSERT_TRUE(whole.ok()) << whole.failure;
    ASSERT_EQ(saved.size(), 9u);
    options.checkpoint = {};
    for (const auto& from : saved) {
      SCOPED_TRACE(from.step());
      options.resume = from;
      const auto rest =
          integrate(witness.system, find_method(name), in_double(witness.start), options);
      EXPECT_TRUE(same_bits(rest.final, whole.final));
      expect_same_figures(rest, whole);
      ASSERT_EQ(rest.states.size() + static_cast<std::size_t>(from.stored), whole.states.size());
      for (std::size_t i = 0; i < rest.states.size(); ++i)
        EXPECT_TRUE(same_bits(rest.states[i], whole.states[i + from.stored]));
    }
  }
}

/// Bits of the end, with so many states looked at.
std::optional<Point> end_of(const WitnessSystem& witness, const Method& method, long every) {
  RunOptions<Point> options{.step = 0.01, .steps = 30, .every = every, .restart_every = 13};
  options.allow_inconsistent = true;
  options.record = [](const Sample&) {};
  const auto run = integrate(witness.system, method, in_double(witness.start), options);
  return run.ok() ? std::optional(run.final) : std::nullopt;
}

TEST(Restart, what_is_stored_does_not_change_what_is_computed) {
  std::set<std::string> ran;
  for (const Method& method : law_methods())
    for (const WitnessSystem& witness : systems_for(method)) {
      if (!stepper_or_null(method, witness.system)) continue;
      SCOPED_TRACE(method.info().name + " on " + witness.name());
      const auto all = end_of(witness, method, 1);
      for (const long every : {7L, 30L}) {
        const auto some = end_of(witness, method, every);
        ASSERT_EQ(all.has_value(), some.has_value());
        EXPECT_TRUE(!all || same_bits(*all, *some)) << "every " << every;
      }
      if (all) ran.insert(method.info().name);
    }
  for (const Method& method : law_methods())
    EXPECT_TRUE(ran.contains(method.info().name)) << method.info().name << " ran nowhere";
}

TEST(Restart, restart_points_do_not_depend_on_what_is_stored) {
  SampleRun run("planar_pendulum");
  for (const long every : {1L, 7L, 1000L, 123'456L}) {
    run.options = {.step = 0.01, .steps = 1'000'000, .every = every};
    EXPECT_EQ(run.header().restart_every, 10'000);
  }
}

TEST(Restart, what_does_not_continue_a_run_is_refused) {
  const auto& witness = witness_system("double_pendulum");
  std::optional<Checkpoint> last;
  RunOptions<Point> options{.step = 0.01, .steps = 100, .restart_every = 50};
  options.checkpoint = [&](const auto& c) { last = c; };
  const auto start = in_double(witness.start);
  (void)integrate(witness.system, find_method("rattle"), start, options);
  ASSERT_TRUE(last);
  EXPECT_EQ(last->step(), 100);
  options.resume = last;
  const auto refused = [&](RunOptions<Point> changed, const char* method) -> std::string {
    try {
      (void)integrate(witness.system, find_method(method), start, changed);
      return {};
    } catch (const InputError& e) {
      return e.what();
    }
  };
  EXPECT_EQ(refused(options, "rattle"), "");
  EXPECT_EQ(refused(options, "shake"),
            "resume: the run was made with 'rattle:base=verlet' and cannot be continued with "
            "'shake:base=verlet'");
  auto changed = options;
  changed.step = 0.02;
  EXPECT_EQ(refused(changed, "rattle"),
            "resume: the run has step 0.01 and cannot be continued with step 0.02");
  changed = options, changed.steps = 99;
  EXPECT_EQ(refused(changed, "rattle"),
            "steps: the run to be continued is at step 100 already, beyond the 99 asked for");
  changed = options, changed.restart_every = 30;
  EXPECT_EQ(refused(changed, "rattle"), "restart_every: step 100 is no multiple of 30");
}

TEST(Restart, samples_hold_what_was_measured) {
  const auto& witness = witness_system("double_pendulum");
  RunOptions<Point> options{.step = 0.01, .steps = 100, .every = 10, .keep_states = false};
  long rows = 0, newton = 0;
  options.record = [&](const Sample& s) {
    EXPECT_EQ(s.step, 10 * rows);
    EXPECT_LT(s.constraint, 1e-13);
    EXPECT_LT(s.hidden, 1e-13);
    EXPECT_EQ(s.multipliers.size(), 2u);
    for (double lambda : s.multipliers) EXPECT_EQ(std::isnan(lambda), rows == 0);
    newton += s.newton;
    ++rows;
  };
  const auto run =
      integrate(witness.system, find_method("rattle"), in_double(witness.start), options);
  EXPECT_EQ(rows, 11);
  EXPECT_TRUE(run.states.empty());
  EXPECT_EQ(run.newton_mean, static_cast<double>(newton) / 100);
  EXPECT_EQ(run.projections.momentum, 100);
  EXPECT_EQ(run.final.q.size(), witness.system.dimension());
}

TEST(Restart, projections_are_counted_where_they_are_done) {
  const auto& witness = witness_system("double_pendulum");
  const auto count = [&](const char* method) {
    const auto run = integrate(witness.system, find_method(method), in_double(witness.start),
                               {.step = 0.01, .steps = 100, .every = 10});
    return std::pair(run.projections.position, run.projections.momentum);
  };
  EXPECT_EQ(count("rattle"), std::pair(0L, 100L));
  EXPECT_EQ(count("rattle:project=output"), std::pair(0L, 10L));
  EXPECT_EQ(count("shake"), std::pair(0L, 0L));
  EXPECT_EQ(count("variational:quadrature=midpoint"), std::pair(0L, 100L));
  EXPECT_EQ(count("cotangent"), std::pair(0L, 11L));
  EXPECT_EQ(count("baseline:kind=projection"), std::pair(100L, 100L));
  EXPECT_EQ(count("baseline:kind=rk4"), std::pair(0L, 0L));
}

}  // namespace
}  // namespace rattleback::testing
