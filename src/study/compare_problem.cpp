#include <cmath>
#include <limits>

#include "contest.hpp"
#include "rattleback/integrators/phase_space_motion.hpp"
#include "rattleback/integrators/registry.hpp"
#include "rattleback/study/verdict.hpp"

namespace rattleback::study {

namespace {

constexpr long counted_steps = 200;

/// Whether the method leaves momenta anywhere on their fibre.
bool claims_fibres(const MethodInfo& info) {
  return info.symplectic_on == SymplecticOn::primary_manifold && !info.preserves_hidden;
}

/// The method of highest order that applies; of several, one that keeps the structure.
const Method& best_reference(const Problem& problem) {
  const Method* best = nullptr;
  const auto rank = [](const Method& m) {
    return 2 * m.info().order + (m.info().symplectic_on != SymplecticOn::nothing ? 1 : 0);
  };
  for (const Method& m : law_methods())
    if (!m.info().varies_steps && obstacle_of_form(m, problem).empty() &&
        (!best || rank(m) > rank(*best)))
      best = &m;
  if (!best) throw ModelError(problem.file.path + ": no method applies");
  return *best;
}

class PhaseSpaceContest final : public Contest {
 public:
  explicit PhaseSpaceContest(const Problem& problem)
      : problem_(problem), start_(require_start(problem)) {}

  std::string model() const override { return problem_.system.name(); }
  std::vector<std::string> notes() const override { return problem_.notes; }
  Method choose(const std::string& specification, std::vector<std::string>& notes) const override {
    return choose_method(problem_, specification, notes);
  }
  Plan plan(const Method& method) const override {
    return make_plan(problem_, {.method = method.info().name});
  }
  AnyMotionPointer motion(const Method& method) const override {
    return motion_of(problem_, {.method = method, .solve = solve_});
  }
  Method reference() const override { return best_reference(problem_); }

  /// Counted over the first steps and scaled to all of them.
  Evaluations evaluations(const Method& method, double step, long steps,
                          const FinishedRun&) const override {
    const long some = std::min(steps, counted_steps);
    const Evaluations all = evaluations_of(problem_.system, method, start_, step, some, solve_);
    const double scale = static_cast<double>(steps) / static_cast<double>(some);
    const auto scaled = [&](long n) { return std::lround(static_cast<double>(n) * scale); };
    return {scaled(all.force), scaled(all.hessian), scaled(all.constraint)};
  }

  /// The fibre of SHAKE is that of RATTLE [McLachlan12 (11)].
  AnyMotion::Point claimed(const Method& method, const FinishedRun& run) const override {
    if (!run.ok() || !claims_fibres(method.info())) return run.final;
    const Traits t = problem_.system.traits();
    const Method shown = find_method(
        t.natural && t.holonomic ? "rattle:project=output" : "rattle:base=midpoint,project=output");
    State<double> z = phase_point(run.final);
    const Status found =
        shown.stepper<double>(problem_.system, solve_)->present(problem_.system, z);
    if (!found) z.q.setConstant(std::numeric_limits<double>::quiet_NaN());
    AnyMotion::Point on_state_manifold;
    flatten(z, on_state_manifold);
    return on_state_manifold;
  }

  std::string note_on(const Method& method) const override {
    if (!claims_fibres(method.info())) return {};
    return method.info().name +
           " leaves momenta anywhere on their fibre: compared is the point of it on {g,H} = 0";
  }

 private:
  const Problem& problem_;
  const State<double>& start_;
  SolveOptions solve_{.tolerance = problem_.file.run.tolerance.value_or(0)};
};

}  // namespace

Comparison compare(const Problem& problem, const ComparisonWishes& wishes,
                   const ComparisonWatch& watch) {
  return compare(PhaseSpaceContest(problem), wishes, watch);
}

}  // namespace rattleback::study
