#include "rattleback/study/problem.hpp"

#include <cmath>
#include <ranges>

#include "rattleback/expression/derivative.hpp"
#include "rattleback/expression/expression_system.hpp"
#include "rattleback/expression/program.hpp"
#include "rattleback/geometry/analysis.hpp"
#include "rattleback/geometry/consistent.hpp"
#include "rattleback/geometry/sparse_start.hpp"
#include "rattleback/geometry/tidy.hpp"
#include "rattleback/solve/rank_revealing.hpp"

namespace rattleback::study {

namespace {

using V = Vector<double, dynamic>;

V vector_of(const std::vector<double>& values) {
  return Eigen::Map<const V>(values.data(), static_cast<Eigen::Index>(values.size()));
}

/// p with H_p(q, p) = v by Newton: for Hamiltonians without a Lagrangian in closed form.
V momenta_by_newton(const AnySystem& system, const V& q, const V& v) {
  const int n = system.dimension();
  Implicit<double, dynamic> equations(n, {.max_iterations = 100, .band = detail::start_band});
  V p = v;
  const Status status = equations.solve(p, 0, [&]<class X>(auto on, const X& x, X& r) {
    X at(n), h_q(n);
    copy_entries(on(q), at);
    system.energy_gradient(at, x, h_q, r);
    for (int i = 0; i < n; ++i) r[i] -= v[i];
    return Status{};
  });
  if (status) return p;
  throw ModelError("no momenta were found that belong to the velocities of [initial]: give p");
}

/// p = L_v(q, v), from expressions: a singular L has no H that gives it back.
V momenta_by_lagrangian(const HamiltonianForm& form, const V& q, const V& v) {
  const int n = static_cast<int>(q.size());
  Graph& graph = *form.system.graph;
  std::vector<Program::Output> outputs;
  for (const auto& [input, value] : gradient(graph, form.lagrangian, 2 * n, 3 * n))
    outputs.push_back({0, input - 2 * n, value});
  V at = V::Zero(2 * n), p = V::Zero(n), unused(1);
  at.head(n) = q;
  Program(graph, 2 * n, outputs).run(at.data(), v.data(), p.data(), unused.data());
  return p;
}

V momenta(const AnySystem& system, const V& q, const V& v) {
  if (!system.traits().lagrangian) return momenta_by_newton(system, q, v);
  V l_q(v.size()), l_v(v.size());
  system.lagrangian_gradient(q, v, l_q, l_v);
  return l_v;
}

/// The system of a singular Lagrangian, once its constraints are known.
HamiltonianForm singular_form(const ModelFile& file, const SingularLagrangian& error) {
  HamiltonianForm form = hamiltonian_form(file.system);
  if (!form.unsupported.empty()) throw ModelError(file.path + ": " + form.unsupported);
  if (!form.singular) throw ModelError(file.path + ": " + error.what());
  return form;
}

std::string singular_note(const HamiltonianForm& form) {
  return "constraints of the singular Lagrangian (L_vv has rank " +
         std::to_string(form.lagrangian_rank) + " of " + std::to_string(form.system.dimension()) +
         "): " + std::to_string(form.from_lagrangian) + ", before those of the file";
}

/// The start as given: the constraint with the largest residual, and the rank of dg.
std::string point_in_words(const Problem& problem, const State<double>& z) {
  const AnySystem& system = problem.system;
  Residuals<AnySystem, double> residuals(system);
  residuals.evaluate(system, z);
  const long worst = residuals.worst_primary();
  if (!std::isfinite(residuals.primary(worst)))
    return "there constraint '" + problem.label(worst) + "' is not finite";
  std::string text = "there constraint '" + problem.label(worst) + "' is " +
                     detail::quote(residuals.primary(worst));
  if (system.constraint_count() > PointReport::most_constraints) return text;
  const RankReport rank = RankRevealing(1e-10).factor(slopes(system, z));
  if (!rank.finite) return text + ", and a slope is not finite";
  return text + ", and dg has rank " + std::to_string(rank.rank) + " of " +
         std::to_string(system.constraint_count());
}

/// What stands between the given point and a consistent one.
std::string why_no_start(const Problem& problem, const State<double>& given, const Analysis& a) {
  std::string text = "project = true finds no consistent start near the given one: " +
                     point_in_words(problem, given);
  if (!a.well_posed && !a.singular_start) {
    text += ". The model is not well posed: " + a.verdict;
    for (const auto& message : a.messages) text += "; " + message;
    return text;
  }
  return text +
         ". The model has consistent points: start nearer to them, away from points where "
         "dg or N = {{g, H}, g} loses rank";
}

/// The consistent state near the given one, if there is one; of many constraints by sparse
/// matrices.
std::optional<State<double>> nearest_consistent(const Problem& problem,
                                                const State<double>& given) {
  constexpr int few = 50;
  const CanonicalSystem& form = problem.form;
  if (form.constraint_count() > few && form.hamiltonian && form.traits.holonomic)
    return sparse_consistent(form, given);
  try {
    return consistent(problem.system, given);
  } catch (const ModelError&) {
    return std::nullopt;
  }
}

void project_start(Problem& problem, const State<double>& given) {
  problem.start = nearest_consistent(problem, given);
  if (problem.start) return;
  Residuals<AnySystem, double> residuals(problem.system);
  residuals.evaluate(problem.system, given);
  // From where a constraint is not finite no points are found.
  const bool finite = std::isfinite(residuals.largest_primary());
  const Analysis a = analyse(problem.file.system, finite ? &given : nullptr);
  if (a.well_posed && !a.redundant.empty()) {
    leave_out(problem, a.redundant);
    problem.start = nearest_consistent(problem, given);
    if (problem.start) return;
  }
  problem.no_start = why_no_start(problem, given, a);
}

std::string label_of(const CanonicalSystem& form, long constraint) {
  const SystemDescription& d = form.source;
  if (constraint < static_cast<long>(d.constraint_labels.size()) &&
      !d.constraint_labels[constraint].empty())
    return d.constraint_labels[constraint];
  return readable(*d.graph, form.constraints.at(constraint),
                  [&](int input) { return d.input_name(input); });
}

bool runs_natively(const AnySystem& system) {
  const CompiledNatural* code = system.model<double>().compiled();
  return code ? code->linearise.is_native() : NativeCode::available();
}

}  // namespace

std::string Problem::label(long constraint) const { return label_of(form, constraint); }

std::vector<std::string> Problem::written() const {
  const CanonicalSystem& all = complete_form ? *complete_form : form;
  std::vector<std::string> labels;
  labels.reserve(static_cast<std::size_t>(all.constraint_count()));
  for (int i = 0; i < all.constraint_count(); ++i) labels.push_back(label_of(all, i));
  return labels;
}

void start_from(Problem& problem, ModelFile::Initial given) {
  problem.file.initial = std::move(given);
  const ModelFile::Initial& initial = *problem.file.initial;
  State<double> z{vector_of(initial.q), vector_of(initial.p)};
  if (!initial.v.empty()) {
    const V v = vector_of(initial.v);
    z.p = problem.singular ? momenta_by_lagrangian(*problem.singular, z.q, v)
                           : momenta(problem.system, z.q, v);
  }
  if (initial.project && problem.system.constraint_count() > 0)
    project_start(problem, z);
  else
    problem.start = std::move(z);
}

Problem prepare(ModelFile file) {
  std::optional<HamiltonianForm> singular;
  CanonicalSystem form;
  try {
    form = canonical(file.system);
  } catch (const SingularLagrangian& error) {
    singular = singular_form(file, error);
    form = canonical(singular->system);
  } catch (const ModelError& error) {
    throw ModelError(file.path + ": " + error.what());
  }
  AnySystem system = expression_system(form);
  Problem problem{std::move(file), std::move(form), std::move(system), std::move(singular)};
  if (problem.singular) problem.notes.push_back(singular_note(*problem.singular));
  if (problem.file.initial) start_from(problem, *problem.file.initial);
  return problem;
}

void leave_out(Problem& problem, const std::vector<int>& redundant) {
  if (redundant.empty()) return;
  std::string names;
  for (const int i : redundant) {
    if (names.size() > 200) {
      names += ", ...";
      break;
    }
    names += (names.empty() ? "'" : ", '") + problem.label(i) + "'";
  }
  SystemDescription reduced = problem.form.source;
  reduced.constraint_labels.resize(reduced.constraints.size());
  for (const int i : redundant | std::views::reverse) {  // ascending: from the back
    reduced.constraints.erase(reduced.constraints.begin() + i);
    reduced.constraint_labels.erase(reduced.constraint_labels.begin() + i);
  }
  if (!problem.complete) {
    problem.complete = problem.system;
    problem.complete_form = problem.form;
    for (int i = 0; i < problem.form.constraint_count(); ++i) problem.kept.push_back(i);
  }
  for (const int i : redundant | std::views::reverse) problem.kept.erase(problem.kept.begin() + i);
  problem.form = canonical(std::move(reduced));
  problem.system = expression_system(problem.form);
  problem.notes.push_back("without " + names + ": redundant, " +
                          (redundant.size() == 1 ? "it follows" : "they follow") +
                          " from the others");
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

const State<double>& finite_start(const Problem& problem) {
  const std::string& path = problem.file.path;
  if (!problem.no_start.empty()) throw ModelError(path + ": " + problem.no_start);
  if (!problem.start)
    throw InputError(path, "there is no [initial]: a run needs q, and p or v, to start from");
  if (!std::isfinite(problem.system.energy(problem.start->q, problem.start->p)))
    throw ModelError(path + ": H is not finite at the start");
  return *problem.start;
}

const State<double>& require_start(const Problem& problem) {
  const State<double>& z = finite_start(problem);
  if (problem.file.initial->allow_inconsistent) return z;
  Residuals<AnySystem, double> residuals(problem.system);
  residuals.evaluate(problem.system, z);
  const double tolerance = ConsistencyTolerance{}.constraint;
  const auto refuse = [&](const std::string& what, double value) {
    throw ModelError(problem.file.path + ": " + what + " is " + detail::quote(value) +
                     " at the start, and not 0 (" + detail::quote(tolerance) +
                     " is still taken for 0). In [initial], project = true makes the start "
                     "consistent, allow_inconsistent = true runs from it as it is");
  };
  if (!(residuals.largest_primary() <= tolerance))
    refuse("constraint '" + problem.label(residuals.worst_primary()) + "'",
           residuals.primary(residuals.worst_primary()));
  if (!(residuals.largest_hidden() <= tolerance))
    refuse("the hidden constraint {g, H} of '" + problem.label(residuals.worst_hidden()) + "'",
           residuals.hidden(residuals.worst_hidden()));
  return z;
}

std::string class_in_words(const Problem& problem) {
  const Traits t = problem.system.traits();
  std::string text;
  if (t.natural)
    text = problem.form.inverse_mass.empty() ? "natural H with a full constant mass"
                                             : "natural H with a diagonal mass";
  else if (!problem.form.hamiltonian)
    text = "H by Newton from a Lagrangian";
  else
    text = t.separable ? "separable H = T(p) + V(q)" : "general H(q, p)";
  if (problem.system.constraint_count() == 0) return text + ", no constraints";
  text += t.holonomic ? ", constraints on positions" : ", constraints on positions and momenta";
  return t.quadratic ? text + " (quadratic)" : text;
}

std::string path_in_words(const Problem& problem, const Method& method) {
  const AnySystem& system = problem.system;
  std::string code = runs_natively(system) ? "native code" : "byte code";
  if (system.constraint_count() == 0) return code;
  const std::string structure = method.stepper<double>(system)->structure(system);
  return structure.empty() ? code : "constraints solved " + structure + ", " + code;
}

}  // namespace rattleback::study
