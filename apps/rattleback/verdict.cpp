#include "verdict.hpp"

#include <cmath>

#include "rattleback/geometry/consistent.hpp"
#include "rattleback/solve/rank_revealing.hpp"

namespace rattleback::app {

namespace {

/// Relative singular values below this are taken for zero.
constexpr double degenerate = 1e-8;
/// Brackets {g_i, g_j} below this, relative to |dg|^2.
constexpr double bracket_tolerance = 1e-9;

std::string counted(int count, const std::string& thing) {
  return std::to_string(count) + " " + thing + (count == 1 ? "" : "s");
}

Matrix<double, dynamic> slopes(const AnySystem& system, const State<double>& z) {
  const int n = system.dimension(), m = system.constraint_count();
  Vector<double, dynamic> g(m);
  Matrix<double, dynamic> g_q(m, n), g_p = Matrix<double, dynamic>::Zero(m, n), dg(m, 2 * n);
  system.linearise(z.q, z.p, g, g_q, g_p);
  if (system.traits().holonomic) g_p.setZero();
  dg << g_q, g_p;
  return dg;
}

void unconstrained(Verdict& v) {
  v.rank = v.index = v.hidden_constraints = v.first_class = v.second_class = 0;
  v.coisotropic = v.nondegenerate = v.well_posed = true;
  v.text = "well posed: ordinary Hamiltonian equations without constraints";
}

/// Ranks and brackets at the start.
void measure(const Problem& problem, Verdict& v) {
  const AnySystem& system = problem.system;
  const State<double>& z = *problem.start;
  const PointReport report = report_point(system, z);
  v.constraint = report.constraint;
  v.hidden = report.hidden;
  const double tolerance = ConsistencyTolerance{}.constraint;
  v.consistent_start = report.constraint <= tolerance && report.hidden <= tolerance;
  if (!report.ranks_known) return;
  v.smallest = report.jacobian_rank;
  v.bracket = report.bracket;
  v.nondegeneracy = report.nondegeneracy;
  const Matrix<double, dynamic> dg = slopes(system, z);
  const RankReport rank = RankRevealing(degenerate).factor(dg);
  if (!rank.finite) return;
  v.rank = rank.rank;
  std::size_t next = 0;
  for (int i = 0; i < v.constraints; ++i) {
    if (next < rank.independent.size() && rank.independent[next] == i)
      ++next;
    else
      v.redundant.push_back(i);
  }
  v.coisotropic = v.holonomic || report.bracket <= bracket_tolerance * dg.squaredNorm();
  v.nondegenerate = report.nondegeneracy > degenerate;
}

/// Names the first assumption that fails at the start.
std::string failing_assumption(const Problem& problem, const Verdict& v) {
  if (!v.redundant.empty()) {
    std::string names;
    for (const int i : v.redundant) {
      if (names.size() > 200) {
        names += ", ...";
        break;
      }
      names += (names.empty() ? "'" : ", '") + problem.label(i) + "'";
    }
    return "the constraints are dependent at the start: dg has rank " + std::to_string(*v.rank) +
           " of " + std::to_string(v.constraints) + " (relative smallest singular value " +
           detail::quote(*v.smallest) + "); without these the others are independent: " + names;
  }
  if (v.coisotropic == false)
    return "the constraints are not coisotropic at the start: max |{g_i, g_j}| = " +
           detail::quote(*v.bracket) + ", and not 0";
  if (v.nondegenerate == false)
    return "the system is degenerate at the start: the relative smallest singular value of "
           "N = {{g, H}, g} is " +
           detail::quote(*v.nondegeneracy) +
           ", so H does not determine all multipliers from {g, H} = 0: a gauge freedom, or an "
           "index above 3";
  return {};
}

}  // namespace

Verdict analyse(const Problem& problem) {
  Verdict v;
  v.constraints = problem.system.constraint_count();
  v.holonomic = problem.system.traits().holonomic;
  if (v.holonomic) v.coisotropic = true;
  if (v.constraints == 0) {
    unconstrained(v);
    if (problem.start) v.consistent_start = true;
    return v;
  }
  if (!problem.start) {
    v.text = "not decided: there is no [initial], and ranks are measured at the start";
    return v;
  }
  measure(problem, v);
  if (!v.rank) {
    v.text = std::isfinite(*v.constraint) && std::isfinite(*v.hidden)
                 ? "not decided: ranks of more than " +
                       std::to_string(PointReport::most_constraints) + " constraints take too long"
                 : "not decided: a constraint or its slope is not finite at the start";
    return v;
  }
  v.failing = failing_assumption(problem, v);
  v.well_posed = v.failing.empty();
  if (!v.failing.empty()) {
    v.text = "not well posed: " + v.failing;
    return v;
  }
  v.index = 3;
  v.hidden_constraints = v.constraints;
  v.first_class = 0;
  v.second_class = 2 * v.constraints;
  v.text = "well posed at the start: " + counted(v.constraints, "independent constraint") + " on " +
           (v.holonomic ? "positions" : "positions and momenta (coisotropic)") +
           ", nondegenerate, hence index 3 with " + counted(v.constraints, "hidden constraint");
  return v;
}

std::string obstacle_of_form(const Method& method, const Problem& problem) {
  const Applies& needs = method.info().applies;
  const Traits has = problem.system.traits();
  if (needs.natural && !has.natural) return "it needs a natural H = p.M^-1 p/2 + V(q)";
  if (needs.lagrangian && !has.lagrangian) return "it needs a Lagrangian";
  if (needs.holonomic && !has.holonomic) return "it needs constraints on positions only";
  try {
    (void)method.stepper<double>(problem.system);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

std::string obstacle(const Method& method, const Problem& problem, const Verdict& verdict) {
  const std::string reason = obstacle_of_form(method, problem);
  return reason.empty() ? verdict.failing : reason;
}

}  // namespace rattleback::app
