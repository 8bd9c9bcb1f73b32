#include "rattleback/integrators/modified_energy.hpp"

#include <cmath>
#include <map>

#include "rattleback/expression/expression_system.hpp"
#include "rattleback/integrators/composition.hpp"
#include "rattleback/integrators/splitting.hpp"
#include "rattleback/problem/error.hpp"
#include "rattleback/solve/dense.hpp"

namespace rattleback {

namespace {

/// Coefficients of products of T and V, up to three of them: "TTV" -> 1/6.
using Series = std::map<std::string, double>;

std::vector<std::string> products() {
  std::vector<std::string> all{""};
  for (std::size_t k = 0; k < all.size(); ++k)
    if (all[k].size() < 3)
      for (const char letter : {'T', 'V'}) all.push_back(all[k] + letter);
  return all;
}

/// The series times exp(x letter).
Series times_exponential(const Series& series, char letter, double x) {
  Series result;
  for (const auto& [word, unused] : series) {
    double power = 1;  // x^k / k!
    for (std::size_t k = 0; k <= word.size(); ++k) {
      if (k > 0 && word[word.size() - k] != letter) break;
      if (k > 0) power *= x / static_cast<double>(k);
      result[word] += power * series.at(word.substr(0, word.size() - k));
    }
  }
  return result;
}

using Real1 = Vector<double, dynamic>;
using Dual1 = Vector<Dual<double, 4>, dynamic>;

/// V_q, V_qq v, G, g_qq(v,v) at a state, from duals along v = M^-1 p.
struct Slopes {
  Real1 v, force, force_rate, curvature;
  Matrix<double, dynamic> G;
};

Slopes slopes_along_velocity(const AnySystem& system, const State<double>& z) {
  const int n = system.dimension(), m = system.constraint_count();
  Slopes s{Real1(n), Real1(n), Real1(n), Real1::Zero(m), Matrix<double, dynamic>(m, n)};
  system.velocity(z.p, s.v);
  Dual1 q(n), p(n), gradient(n), g(m);
  for (int i = 0; i < n; ++i) {
    q[i] = z.q[i], p[i] = z.p[i];
    q[i].partials[0] = s.v[i];
  }
  Matrix<Dual<double, 4>, dynamic> jacobian(m, n), unused(m, n);
  system.potential_gradient(q, gradient);
  system.linearise(q, p, g, jacobian, unused);
  for (int i = 0; i < n; ++i) {
    s.force[i] = gradient[i].value;
    s.force_rate[i] = gradient[i].partials[0];
    for (int k = 0; k < m; ++k) {
      s.G(k, i) = jacobian(k, i).value;
      s.curvature[k] += jacobian(k, i).partials[0] * s.v[i];
    }
  }
  return s;
}

/// A = G M^-1 G^T, factored.
DenseLu<double> gram(const AnySystem& system, const Matrix<double, dynamic>& G) {
  const int m = static_cast<int>(G.rows());
  Matrix<double, dynamic> A(m, m);
  Real1 row(G.cols()), w(G.cols());
  for (int k = 0; k < m; ++k) {
    row = G.row(k);
    system.velocity(row, w);
    A.col(k) = G * w;
  }
  DenseLu<double> lu(m);
  if (!lu.factor([&](int i, int j) { return A(i, j); }).ok)
    throw ModelError("modified energy: the constraints of " + system.name() +
                     " are not independent here");
  return lu;
}

}  // namespace

SplittingErrors splitting_errors(std::span<const double> c, std::span<const double> d) {
  if (c.size() != d.size())
    throw InputError("splitting", "as many drifts as kicks are needed, not " +
                                      std::to_string(c.size()) + " and " +
                                      std::to_string(d.size()));
  Series series;
  for (const auto& word : products()) series[word] = word.empty() ? 1 : 0;
  double cubes = 0;
  for (std::size_t i = 0; i < c.size(); ++i) {
    series = times_exponential(times_exponential(series, 'V', d[i]), 'T', c[i]);
    cubes += c[i] * c[i] * c[i];
  }
  // exp(T + V + a [T,V] + b [T,[T,V]] + c [V,[V,T]]), by the coefficients of TV, TTV and VVT
  const double a = series["TV"] - 0.5;
  return {a, series["TTV"] - 1.0 / 6 - a / 2, series["VVT"] - 1.0 / 6 + a / 2, cubes};
}

namespace {

struct DriftsAndKicks {
  std::vector<double> c, d;  // kick d_1 comes first, then drift c_1
};

std::optional<DriftsAndKicks> drifts_and_kicks(const Method& method) {
  const Values& values = method.values();
  const std::string& family = method.family().name;
  if (family == "splitting") {
    DriftsAndKicks all{values.list("c"), values.list("d")};
    if (!all.c.empty()) return all;
    const auto built_in = splitting_of_order(static_cast<int>(values.whole("order")));
    for (const Quad& c : built_in.c) all.c.push_back(static_cast<double>(c));
    for (const Quad& d : built_in.d) all.d.push_back(static_cast<double>(d));
    return all;
  }
  if (family != "rattle") return std::nullopt;
  const std::string& base = values.word("base");
  if (base == "verlet") return DriftsAndKicks{{1, 0}, {0.5, 0.5}};
  if (base == "verlet-b") return DriftsAndKicks{{0.5, 0.5}, {0, 1}};
  if (base == "euler-a") return DriftsAndKicks{{1}, {1}};
  if (base == "euler-b") return DriftsAndKicks{{1, 0}, {0, 1}};
  return std::nullopt;
}

}  // namespace

std::optional<SplittingErrors> splitting_errors(const Method& method) {
  const auto once = drifts_and_kicks(method);
  const Values& values = method.values();
  if (!once || (values.has("density") && values.word("density") != "none")) return std::nullopt;
  std::vector<double> substeps{1};
  if (values.has("compose"))
    for (const CompositionInfo& scheme : compositions)
      if (scheme.name == values.word("compose")) substeps = coefficients<double>(scheme.scheme);
  DriftsAndKicks all;
  for (const double part : substeps) {
    for (const double c : once->c) all.c.push_back(part * c);
    for (const double d : once->d) all.d.push_back(part * d);
  }
  return splitting_errors(all.c, all.d);
}

double modified_energy(const AnySystem& system, const State<double>& z, double h,
                       const SplittingErrors& errors) {
  if (!system.traits().natural || !system.traits().holonomic)
    throw ModelError("modified energy from brackets: " + system.name() +
                     " is not natural with constraints on positions");
  const Slopes s = slopes_along_velocity(system, z);
  Real1 w(system.dimension()), tangent = s.force, lambda = Real1::Zero(s.G.rows()), bend = lambda;
  if (system.constraint_count() > 0) {
    auto lu = gram(system, s.G);
    system.velocity(s.force, w);
    lambda = -s.G * w;
    lu.solve(lambda);
    bend = s.curvature;
    lu.solve(bend);
    tangent += s.G.transpose() * lambda;
  }
  system.velocity(tangent, w);
  return system.energy(z.q, z.p) + h * errors.a * s.force.dot(s.v) +
         h * h *
             (errors.b * (s.force_rate.dot(s.v) + lambda.dot(s.curvature)) +
              errors.c * tangent.dot(w) + errors.cubes * s.curvature.dot(bend) / 24);
}

SystemDescription homogeneous(const CanonicalSystem& system) {
  if (!system.hamiltonian) throw ModelError("there is no closed form of H(q, p)");
  const int n = system.dimension();
  SystemDescription wider = system.source;
  wider.name += ", homogeneous";
  wider.form = SystemDescription::Form::hamiltonian;
  wider.coordinates.push_back("alpha");
  Graph& graph = *wider.graph;
  const Expression alpha = graph.input(n);
  std::vector<Expression> all{system.hamiltonian};
  all.insert(all.end(), system.constraints.begin(), system.constraints.end());
  // Inputs: q, alpha, p, beta.
  all = graph.substitute(
      all, [&](int k) { return graph.divide(graph.input(k < n ? k : k + 1), alpha); });
  const Expression square = graph.multiply(alpha, alpha);
  for (Expression& e : all) e = graph.multiply(square, e);
  wider.hamiltonian = all.front();
  wider.constraints.assign(all.begin() + 1, all.end());
  wider.mass.clear();
  wider.potential = wider.lagrangian = {};
  return wider;
}

namespace {

double spread(const std::vector<double>& values) {
  double worst = 0;
  for (const double value : values) worst = std::max(worst, std::abs(value - values.front()));
  return worst;
}

/// w_1, ..., w_r: f' = sum w_j (f_j - f_-j) / h + O(h^2r).
std::vector<double> central_differences(int reach) {
  std::vector<double> w;
  double ratio = 1;  // r!^2 / ((r-j)! (r+j)!)
  for (int j = 1; j <= reach; ++j) {
    ratio *= static_cast<double>(reach - j + 1) / (reach + j);
    w.push_back((j % 2 == 1 ? 1 : -1) * ratio / j);
  }
  return w;
}

}  // namespace

double ModifiedEnergy::energy_error() const { return spread(energies); }
double ModifiedEnergy::modified_error() const { return spread(modified); }

ModifiedEnergy estimate_modified_energy(const CanonicalSystem& system, const Method& method,
                                        const State<double>& start, double step, long steps,
                                        int reach, const SolveOptions& solve) {
  if (method.info().symplectic_on == SymplecticOn::nothing)
    throw InputError("method", method.info().name + " is not symplectic, and keeps no energy");
  const AnySystem wide = expression_system(homogeneous(system));
  const int n = system.dimension();
  auto stepper = method.stepper<double>(wide, solve);
  State<double> z{Vector<double, dynamic>(n + 1), Vector<double, dynamic>(n + 1)};
  z.q << start.q, 1;
  z.p << start.p, 0;

  ModifiedEnergy result;
  std::vector<State<double>> shown;
  for (long k = 0; k <= steps && result.status; ++k) {
    State<double> look = z;
    result.status = stepper->present(wide, look);
    if (result.status) shown.push_back(std::move(look));
    if (result.status && k < steps) result.status = stepper->step(wide, z, step);
  }
  // On g = 0 alone there is a set of states that the method keeps to, and the start is not in it.
  if (method.info().symplectic_on == SymplecticOn::primary_manifold && !shown.empty())
    shown.erase(shown.begin());
  const auto weights = central_differences(reach);
  for (long k = reach; k + reach < static_cast<long>(shown.size()); ++k) {
    State<double> rate{Vector<double, dynamic>::Zero(n + 1), Vector<double, dynamic>::Zero(n + 1)};
    for (int j = 1; j <= reach; ++j) {
      rate.q += weights[j - 1] / step * (shown[k + j].q - shown[k - j].q);
      rate.p += weights[j - 1] / step * (shown[k + j].p - shown[k - j].p);
    }
    const State<double>& at = shown[k];  // alpha = 1: q.p' has beta' in it
    result.times.push_back(step * static_cast<double>(k));
    result.energies.push_back(wide.energy(at.q, at.p));
    result.modified.push_back((at.p.dot(rate.q) - at.q.dot(rate.p)) / 2);
  }
  return result;
}

}  // namespace rattleback
