#include "problem.hpp"

#include <cmath>

#include "rattleback/expression/expression_system.hpp"
#include "rattleback/geometry/consistent.hpp"
#include "rattleback/integrators/compiled_natural.hpp"

namespace rattleback::app {

namespace {

using V = Vector<double, dynamic>;

V vector_of(const std::vector<double>& values) {
  return Eigen::Map<const V>(values.data(), static_cast<Eigen::Index>(values.size()));
}

/// p with H_p(q, p) = v by Newton: for Hamiltonians without a Lagrangian in closed form.
V momenta_by_newton(const AnySystem& system, const V& q, const V& v) {
  using D = Dual<double, 4>;
  const int n = system.dimension();
  Vector<D, dynamic> x(n), y(n), h_q(n), h_p(n);
  Matrix<double, dynamic> h_pp(n, n);
  V p = v;
  DenseLu<double, dynamic> lu(n);
  detail::RoundOff round_off;
  for (int iteration = 0; iteration < 100; ++iteration) {
    V rest(n);
    for (int first = 0; first < n; first += 4) {
      for (int i = 0; i < n; ++i) x[i] = D(q[i]), y[i] = D(p[i]);
      for (int k = 0; k < 4 && first + k < n; ++k) y[first + k].partials[k] = 1;
      system.energy_gradient(x, y, h_q, h_p);
      for (int i = 0; i < n; ++i) {
        rest[i] = h_p[i].value - v[i];
        for (int k = 0; k < 4 && first + k < n; ++k) h_pp(i, first + k) = h_p[i].partials[k];
      }
    }
    if (!lu.factor([&](int i, int j) { return h_pp(i, j); }).ok) break;
    lu.solve(rest);
    p -= rest;
    const double size = largest_magnitude(rest);
    if (!(size < 1e150)) break;
    if (round_off.reached(size, larger(1e-300, largest_magnitude(p)))) return p;
  }
  throw ModelError("no momenta were found that belong to the velocities of [initial]: give p");
}

V momenta(const AnySystem& system, const V& q, const V& v) {
  if (!system.traits().lagrangian) return momenta_by_newton(system, q, v);
  V l_q(v.size()), l_v(v.size());
  system.lagrangian_gradient(q, v, l_q, l_v);
  return l_v;
}

State<double> given_start(const AnySystem& system, const ModelFile::Initial& initial) {
  State<double> z{vector_of(initial.q), vector_of(initial.p)};
  if (!initial.v.empty()) z.p = momenta(system, z.q, vector_of(initial.v));
  return initial.project ? consistent(system, z) : z;
}

bool runs_natively(const AnySystem& system) {
  const CompiledNatural* code = system.model<double>().compiled();
  return code ? code->linearise.is_native() : NativeCode::available();
}

}  // namespace

std::string Problem::label(long constraint) const {
  const auto& labels = form.source.constraint_labels;
  return constraint < static_cast<long>(labels.size()) ? labels[constraint]
                                                       : "g_" + std::to_string(constraint);
}

Problem prepare(ModelFile file) {
  CanonicalSystem form = canonical(file.system);
  AnySystem system = expression_system(form);
  Problem problem{std::move(file), std::move(form), std::move(system), std::nullopt};
  if (problem.file.initial) problem.start = given_start(problem.system, *problem.file.initial);
  return problem;
}

const State<double>& require_start(const Problem& problem) {
  const std::string& path = problem.file.path;
  if (!problem.start)
    throw InputError(path, "there is no [initial]: a run needs q, and p or v, to start from");
  const State<double>& z = *problem.start;
  if (!std::isfinite(problem.system.energy(z.q, z.p)))
    throw ModelError(path + ": H is not finite at the start");
  if (problem.file.initial->allow_inconsistent) return z;
  Residuals<AnySystem, double> residuals(problem.system);
  residuals.evaluate(problem.system, z);
  const double tolerance = ConsistencyTolerance{}.constraint;
  const auto refuse = [&](const std::string& what, double value) {
    throw ModelError(path + ": " + what + " is " + detail::quote(value) +
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

std::string path_in_words(const Problem& problem) {
  const std::string code = runs_natively(problem.system) ? "native code" : "byte code";
  if (problem.system.constraint_count() == 0) return code;
  return "constraints solved " + constraint_structure(problem.system) + ", " + code;
}

}  // namespace rattleback::app
