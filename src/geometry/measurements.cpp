#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis_parts.hpp"
#include "ranks.hpp"
#include "rattleback/problem/error.hpp"

namespace rattleback::detail {

namespace {

/// Variables count as zero relative to the largest at the point.
std::vector<double> scales_at(const std::vector<State<double>>& points, int n) {
  double q = 0, p = 0;
  for (const auto& z : points) {
    q = std::max(q, largest_magnitude(z.q));
    p = std::max(p, largest_magnitude(z.p));
  }
  std::vector<double> scale(2 * n, q > 0 ? q : 1);
  std::fill(scale.begin() + n, scale.end(), p > 0 ? p : scale[0]);
  return scale;
}

/// x of unit length with |A x| or |A^-1 x| extreme, by the power method; the factor is returned.
template <class Apply>
double power_method(int m, std::vector<double>& x, Apply&& apply) {
  x.assign(m, 0);
  for (int i = 0; i < m; ++i) x[i] = 1 + 0.3 * std::sin(1.7 * i);  // no symmetry of its own
  double growth = 0;
  for (int k = 0; k < 60; ++k) {
    double length = 0;
    for (const double v : x) length += v * v;
    length = std::sqrt(length);
    if (!(length > 0) || !std::isfinite(length)) return length;
    for (double& v : x) v /= length;
    const double before = growth;
    apply(x);
    growth = 0;
    for (const double v : x) growth += v * v;
    growth = std::sqrt(growth);
    if (std::abs(growth - before) <= 1e-3 * growth) break;
  }
  return growth;
}

struct Spectrum {
  double smallest = 0, largest = 0;
  int positive = 0, negative = 0, zero = 0;
};

/// Of a small symmetric matrix: all singular values and eigenvalues.
Spectrum dense_spectrum(const std::vector<SizedRow>& rows, double tolerance) {
  const int m = static_cast<int>(rows.size());
  Spectrum s;
  const auto sigma = singular_values(rows, m);
  s.largest = sigma.front();
  s.smallest = sigma.back();
  std::vector<double> full(std::size_t(m) * m);
  for (int i = 0; i < m; ++i)
    for (const auto& [j, x] : rows[i]) full[std::size_t(i) * m + j] = x.value;
  for (const double e : symmetric_eigenvalues(full, m))
    ++(std::abs(e) <= tolerance * s.largest ? s.zero : e > 0 ? s.positive : s.negative);
  return s;
}

std::vector<int> diagonal(int m) {
  std::vector<int> own(m);
  for (int i = 0; i < m; ++i) own[i] = i;
  return own;
}

/// By inverse iteration: symmetric matrices, so that the inverse need not be transposed.
double smallest_of(const Elimination& factor, int m) {
  if (factor.rank() < m) return 0;
  std::vector<double> x;
  const double growth = power_method(m, x, [&](std::vector<double>& v) { factor.solve(v); });
  return growth > 0 ? 1 / growth : 0;
}
double smallest_value(const std::vector<SizedRow>& rows, int m, double tolerance) {
  Elimination factor(m, tolerance);
  factor.run(rows, diagonal(m));
  return smallest_of(factor, m);
}

/// Of a large sparse one: inertia by LDL^T, extreme values by the power method and its inverse.
Spectrum sparse_spectrum(const std::vector<SizedRow>& rows, const Elimination& factor) {
  const int m = static_cast<int>(rows.size());
  Spectrum s;
  std::vector<double> x;
  s.largest = power_method(m, x, [&](std::vector<double>& v) {
    std::vector<double> y(m);
    for (int i = 0; i < m; ++i)
      for (const auto& [j, a] : rows[i]) y[i] += a.value * v[j];
    v = std::move(y);
  });
  s.smallest = smallest_of(factor, m);
  s.zero = m - factor.rank();
  if (s.zero > 0) return s;
  CouplingPattern pattern(m);
  for (int i = 0; i < m; ++i)
    for (const auto& [j, a] : rows[i])
      if (i != j) pattern[i].push_back(j);
  SparseLdlt<double> ldlt(normalised(pattern));
  const FactorReport report = ldlt.factor([&](int i, int j) {
    const auto at = rows[i].find(j);
    return at == rows[i].end() ? 0.0 : at->second.value;
  });
  s.negative = report.ok ? report.negative : 0;
  s.positive = report.ok ? m - report.negative : 0;
  return s;
}

/// The constraint with most weight in the smallest singular vector.
int weakest(int m, const Elimination& factor) {
  if (!factor.dependent().empty()) return factor.dependent().front().row;
  std::vector<double> x;
  power_method(m, x, [&](std::vector<double>& v) { factor.solve(v); });
  const auto lighter = [](double a, double b) { return std::abs(a) < std::abs(b); };
  return static_cast<int>(std::max_element(x.begin(), x.end(), lighter) - x.begin());
}

}  // namespace

void measure_coisotropy(Analysis& a, double tolerance) {
  const std::vector<Expression> g = kept_primaries(a);
  const int n = a.form.system.dimension();
  Brackets brackets(*a.form.system.graph, n);
  Functions functions(brackets, scales_at(a.chain.primary_points, n));
  functions.append(g);
  for (const auto& z : a.chain.primary_points) {
    const Linearisation l = functions.at(point_of(z));
    const std::vector<SizedRow> c = detail::brackets(l.slope, l.slope, n);
    for (std::size_t i = 0; i < c.size(); ++i)
      for (const auto& [j, x] : c[i]) {
        if (j <= static_cast<int>(i)) continue;
        a.coisotropy.relative = std::max(a.coisotropy.relative, x.ratio());
        if (std::abs(x.value) > a.coisotropy.largest) {
          a.coisotropy.largest = std::abs(x.value);
          a.coisotropy.pair = {a.chain.kept[i], a.chain.kept[j]};
        }
      }
  }
  a.coisotropic = a.coisotropy.relative <= tolerance;
}

void measure_nondegeneracy(Analysis& a, double tolerance) {
  const std::vector<Expression> g = kept_primaries(a);
  const auto& points = a.chain.points.empty() ? a.chain.primary_points : a.chain.points;
  if (g.empty() || points.empty()) return;
  const SystemDescription& system = a.form.system;
  const int n = system.dimension(), m = static_cast<int>(g.size());
  Brackets brackets(*system.graph, n);
  Functions primary(brackets, scales_at(points, n)), hidden = primary;
  primary.append(g);
  hidden.append(brackets.vector(g, system.hamiltonian));
  Nondegeneracy& result = a.nondegeneracy;
  result.relative = -1;
  result.least = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < points.size(); ++k) {
    const Point z = point_of(points[k]);
    const auto rows = detail::brackets(hidden.at(z).slope, primary.at(z).slope, n);
    const auto scaled = equilibrated(rows, m, tolerance, true);
    Elimination factor(m, tolerance);
    factor.run(scaled, diagonal(m));
    const bool small = m <= RankFinder::most_dense;
    const Spectrum s = small ? dense_spectrum(scaled, tolerance) : sparse_spectrum(scaled, factor);
    const double relative = s.largest > 0 ? s.smallest / s.largest : 0;
    result.least = std::min(result.least, relative);
    if (relative <= result.relative || (k > 0 && a.chain.start_is_first)) continue;
    result.relative = relative;
    result.positive = s.positive, result.negative = s.negative, result.zero = s.zero;
    result.weakest = a.chain.kept[weakest(m, factor)];
    result.smallest = small ? singular_values(rows, m).back() : smallest_value(rows, m, tolerance);
  }
}

void check_start(Analysis& a, const State<double>& start, double tolerance) {
  const SystemDescription& system = a.form.system;
  const int n = system.dimension();
  Brackets brackets(*system.graph, n);
  Functions functions(brackets, scales_at({start}, n));
  std::vector<Expression> chi = system.constraints;  // redundant ones too
  const bool complete = a.chain.outcome == DiracChain::Outcome::complete;
  for (std::size_t i = a.chain.primaries; complete && i < a.chain.constraints.size(); ++i)
    chi.push_back(a.chain.constraints[i].expression);
  functions.append(chi);
  const Linearisation l = functions.at(point_of(start));
  int worst = -1;
  for (std::size_t i = 0; i < chi.size(); ++i)
    if (const double value = std::abs(l.value[i].value); !(value <= a.start_residual)) {
      a.start_residual = value;
      worst = static_cast<int>(i);
    }
  a.consistent_start = a.start_residual <= tolerance;
  if (a.consistent_start) return;
  const int given = a.constraints;
  const auto hidden = [&] {
    const ChainConstraint& c = a.chain.constraints[a.chain.primaries + worst - given];
    int root = c.parent;
    while (a.chain.constraints[root].parent >= 0) root = a.chain.constraints[root].parent;
    return "the hidden constraint " + c.text + " = 0 of " + a.name(a.chain.kept[root]);
  };
  a.messages.push_back("the start is inconsistent: " + (worst < given ? a.name(worst) : hidden()) +
                       " has the value " + quote(l.value[worst].value) + " there");
}

}  // namespace rattleback::detail
