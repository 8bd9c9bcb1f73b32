#include "rattleback/study/verdict.hpp"

#include <algorithm>
#include <cmath>

#include "rattleback/geometry/consistent.hpp"
#include "rattleback/integrators/index1.hpp"
#include "rattleback/integrators/registry.hpp"
#include "rattleback/integrators/sparse_algebra.hpp"
#include "rattleback/solve/sparse.hpp"
#include "rattleback/solve/sparse_row.hpp"

namespace rattleback::study {

namespace {

/// Relative singular values below this are worth a closer look.
constexpr double degenerate = 1e-8;
/// Brackets {g_i, g_j} below this, relative to |dg|^2.
constexpr double bracket_tolerance = 1e-9;
/// Dense singular values of more constraints take longer than the analysis.
constexpr int most_dense = 30;
/// Rows of more constraints whose squared sines to each other are larger are independent.
constexpr double safe_sine = 1e-8;

bool written_with_velocities(const Problem& problem) {
  const SystemDescription& d = problem.file.system;
  return std::any_of(d.constraints.begin(), d.constraints.end(), [&](Expression g) {
    const std::vector<int> inputs = d.graph->inputs_of(g);
    return std::any_of(inputs.begin(), inputs.end(), [&](int k) { return k >= 2 * d.dimension(); });
  });
}

/// What numbers at the start decide. With dg of full rank, coisotropic and nondegenerate there is
/// one motion of index 3 through it, if it is consistent too. Constraints on velocities need more,
/// as they may mean rolling.
struct AtStart {
  bool regular = true, consistent = true;
  double constraint = 0, hidden = 0;  ///< max |g|, max |{g,H}|
};
/// Of many constraints on positions, by one sparse factorisation: where masses are positive,
/// G M^-1 G^T, which is N = {{g, H}, g}, says all. Not regular: nothing is decided.
AtStart look_at_many(const Problem& problem) {
  const AnySystem& system = problem.system;
  const CompiledNatural* code = system.model<double>().compiled();
  if (!code || std::ranges::any_of(code->inverse_mass, [](double w) { return !(w > 0); }))
    return {false};
  const JacobianPattern& pattern = code->pattern;
  const Vector<double, dynamic>& q = problem.start->q;
  std::vector<double> g(code->constraints), slopes(pattern.nonzeros());
  code->linearise(q.data(), q.data(), g.data(), slopes.data());
  std::vector<SparseRow> rows(g.size());
  for (std::size_t i = 0; i < g.size(); ++i) {
    for (int k = pattern.start[i]; k < pattern.start[i + 1]; ++k)
      rows[i].emplace_back(pattern.column[k], slopes[pattern.place[k]] *
                                                  std::sqrt(code->inverse_mass[pattern.column[k]]));
    std::ranges::sort(rows[i]);
  }
  SparseLdlt<double> gram(couplings(pattern, code->dimension));
  const FactorReport report = gram.factor([&](int i, int j) { return product(rows[i], rows[j]); });
  Residuals<AnySystem, double> residuals(system);
  residuals.evaluate(system, *problem.start);
  const double primary = residuals.largest_primary(), hidden = residuals.largest_hidden();
  const double tolerance = ConsistencyTolerance{}.constraint;
  return {report.ok && report.negative == 0 && report.cancellation * safe_sine < 1,
          primary <= tolerance && hidden <= tolerance, primary, hidden};
}
AtStart look_at_start(const Problem& problem) {
  const AnySystem& system = problem.system;
  if (system.constraint_count() == 0) return {};
  if (written_with_velocities(problem)) return {false};
  if (system.constraint_count() > most_dense) return look_at_many(problem);
  const PointReport at = report_point(system, *problem.start);
  const double tolerance = ConsistencyTolerance{}.constraint;
  const bool regular =
      at.jacobian_rank > degenerate && at.nondegeneracy > degenerate &&
      (system.traits().holonomic ||
       at.bracket <= bracket_tolerance * slopes(system, *problem.start).squaredNorm());
  return {regular, at.constraint <= tolerance && at.hidden <= tolerance, at.constraint, at.hidden};
}
bool fine_at_start(const Problem& problem) {
  const AtStart at = look_at_start(problem);
  return at.regular && at.consistent;
}

/// Expressions have no closed H: then the start has to do.
void judge_by_start(const Problem& problem, Analysis& a) {
  if (!problem.start) return;
  const AtStart at = look_at_start(problem);
  if (!at.regular) return;
  if (!std::isfinite(problem.system.energy(problem.start->q, problem.start->p))) return;
  const int m = problem.system.constraint_count();
  a.constraints = a.rank = a.hidden_constraints = m;
  a.holonomic = problem.system.traits().holonomic;
  a.coisotropic = a.nondegenerate = a.well_posed = true;
  a.consistent_start = at.consistent;
  a.start_residual = std::max(at.constraint, at.hidden);
  a.index = m > 0 ? 3 : 0;
  a.second_class = 2 * m;
  a.verdict = m > 0 ? "well posed at the start" : "well posed, without constraints";
  a.messages = {"only the start was looked at: H is computed from the Lagrangian by Newton"};
  if (!at.consistent) {
    a.messages.push_back("the start is inconsistent: max |g| = " + detail::quote(at.constraint) +
                         ", max |{g,H}| = " + detail::quote(at.hidden) + " there");
    a.hints = {"project the start onto the constraints (initial.project = true)"};
  }
  a.obstacle.clear();
}

std::string obstacle_of_traits(const Method& method, const Problem& problem) {
  const Applies& needs = method.info().applies;
  const Traits has = problem.system.traits();
  if (needs.natural && !has.natural) return "it needs a natural H = p.M^-1 p/2 + V(q)";
  if (needs.separable && !has.separable) return "it needs a separable H = T(p) + V(q)";
  if (needs.lagrangian && !has.lagrangian) return "it needs a Lagrangian";
  if (needs.holonomic && !has.holonomic) return "it needs constraints on positions only";
  return {};
}

/// What the stepper of a large system would say, which takes long to make: only index1 asks for
/// more than traits, constraints q_k that H does not depend on.
std::string obstacle_of_expressions(const Method& method, const Problem& problem) {
  if (method.family().name != "index1") return {};
  const CanonicalSystem& form = problem.form;
  if (!form.hamiltonian) return "H has no closed form";
  const std::vector<int> in_energy = form.graph().inputs_of(form.hamiltonian);
  for (int i = 0; i < form.constraint_count(); ++i) {
    const Node& g = form.graph().node(form.constraints[i]);
    if (g.operation != Operation::input)
      return "constraint '" + problem.label(i) + "' is not a coordinate itself; use rattle";
    if (std::ranges::binary_search(in_energy, g.a))
      return "constraint '" + problem.label(i) +
             "' fixes a coordinate that H depends on; use rattle";
  }
  return {};
}

std::string obstacle_of_stepper(const Method& method, const Problem& problem) {
  try {
    (void)method.stepper<double>(problem.system);
  } catch (const NotIndex1& error) {
    return "constraint '" + problem.label(error.constraint) + "' " + error.reason;
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

}  // namespace

std::string overflow_at(const AnySystem& system, const State<double>& z, double most) {
  const int n = system.dimension(), m = system.constraint_count();
  Vector<double, dynamic> h_q(n), h_p(n);
  system.energy_gradient(z.q, z.p, h_q, h_p);
  std::vector<std::pair<const char*, double>> sizes{{"q", z.q.lpNorm<Eigen::Infinity>()},
                                                    {"p", z.p.lpNorm<Eigen::Infinity>()},
                                                    {"H_q", h_q.lpNorm<Eigen::Infinity>()},
                                                    {"H_p", h_p.lpNorm<Eigen::Infinity>()}};
  if (m > 0 && m <= PointReport::most_constraints)
    sizes.emplace_back("dg", slopes(system, z).lpNorm<Eigen::Infinity>());
  const auto largest = std::ranges::max_element(sizes, {}, [](const auto& s) { return s.second; });
  if (!(largest->second > most)) return {};
  return "values overflow: |" + std::string(largest->first) + "| is " +
         detail::quote(largest->second) +
         ", and products of such numbers are none any more; choose other units";
}

Analysis analysis_of(const Problem& problem) {
  Analysis a = analyse(problem.file.system, problem.start ? &*problem.start : nullptr);
  if (!a.form.unsupported.empty() && !problem.form.hamiltonian) judge_by_start(problem, a);
  if (a.well_posed || !problem.start) return a;
  if (std::string why = overflow_at(problem.system, *problem.start); !why.empty()) {
    a.verdict = "not decided: values overflow at the start";
    a.messages = {std::move(why)};
    a.hints.clear();
  }
  return a;
}

std::string refusal(const Analysis& a) {
  if (a.well_posed && a.obstacle.empty()) return {};
  std::string text = a.well_posed ? "no method applies" : a.verdict;
  for (const auto& message : a.messages)
    text += (&message == &a.messages[0] ? ": " : "; ") + message;
  for (const auto& hint : a.hints) text += ". Hint: " + hint;
  return text;
}

bool reconsider(Problem& problem) {
  const Analysis a = analysis_of(problem);
  if (const std::string why = refusal(a); !why.empty() && !problem.file.initial->allow_inconsistent)
    throw ModelError(problem.file.path + ": " + why);
  const bool all_there = a.constraints == problem.system.constraint_count();
  if (!a.well_posed || a.redundant.empty() || !all_there) return false;
  require_start(problem);  // of the redundant ones too
  leave_out(problem, a.redundant);
  return true;
}

void require_well_posed(Problem& problem) {
  finite_start(problem);
  if (problem.system.constraint_count() <= most_judged_constraints && !fine_at_start(problem))
    reconsider(problem);
  require_start(problem);
}

std::string obstacle_of_form(const Method& method, const Problem& problem) {
  const std::string reason = obstacle_of_traits(method, problem);
  return reason.empty() ? obstacle_of_stepper(method, problem) : reason;
}

std::vector<std::string> obstacles(const Problem& problem, const Analysis& analysis) {
  constexpr int large = 300;
  const bool made = problem.system.dimension() + problem.system.constraint_count() <= large;
  std::vector<std::string> result;
  for (const Method& method : law_methods()) {
    std::string reason = obstacle_of_traits(method, problem);
    if (reason.empty())
      reason =
          made ? obstacle_of_stepper(method, problem) : obstacle_of_expressions(method, problem);
    result.push_back(reason.empty() ? analysis.obstacle : reason);
  }
  return result;
}

}  // namespace rattleback::study
