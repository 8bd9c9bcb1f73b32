#include "rattleback/integrators/multistep_coefficients.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "rattleback/integrators/composition.hpp"
#include "rattleback/problem/quad.hpp"

namespace rattleback {

namespace {

using Polynomial = std::vector<Quad>;  // coefficients from the constant one on

/// In sixteenths.
std::vector<int> angles(int order) {
  switch (order) {
    case 4:
      return {4};
    case 6:
      return {-5, 11};
    default:
      return {-12, -7, 13};
  }
}

Polynomial product(const Polynomial& a, const Polynomial& b) {
  Polynomial c(a.size() + b.size() - 1, Quad(0));
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < b.size(); ++j) c[i + j] += a[i] * b[j];
  return c;
}

/// p(x + by)
Polynomial shifted(const Polynomial& p, int by) {
  Polynomial sum{Quad(0)};
  for (std::size_t i = p.size(); i-- > 0;) {
    sum = product(sum, {Quad(by), Quad(1)});
    sum[0] += p[i];
    while (sum.size() > p.size()) sum.pop_back();
  }
  return sum;
}

/// The first terms of 1/p, for p(0) = 1.
Polynomial inverse(const Polynomial& p, std::size_t terms) {
  Polynomial r(terms, Quad(0));
  r[0] = 1;
  for (std::size_t k = 1; k < terms; ++k)
    for (std::size_t j = 1; j <= k && j < p.size(); ++j) r[k] -= p[j] * r[k - j];
  return r;
}

/// In x = z - 1: rho/log^2 = gamma(1 + x)/(log(1 + x)/x)^2, up to x^(k-1); then in z.
Polynomial sigma(const Polynomial& gamma, int order) {
  const auto terms = static_cast<std::size_t>(order);
  Polynomial log;
  for (int i = 0; i < order; ++i) log.push_back(Quad(i % 2 == 0 ? 1 : -1) / (i + 1));
  Polynomial s = product(shifted(gamma, 1), inverse(product(log, log), terms));
  s.resize(terms);
  return shifted(s, -1);
}

using Exact = MultistepCoefficients<Quad>;

/// weight[j] = (sigma/z - drive[0] gamma) / prod_{i != j} (z + turn[i] + 1/z) where z + 1/z =
/// -turn[j], all of them divided by the power of z that makes them symmetric.
void resolve(const Polynomial& gamma, const Polynomial& sigma, Exact& c) {
  const int modes = c.order / 2 - 1;
  for (int j = 0; j < modes; ++j) {
    const Quad sum = -c.turn[j];  // z + 1/z
    const auto rest = [&](int k) { return sigma[k + 1] - c.drive[0] * gamma[k]; };
    Quad value = rest(modes), power = sum, last = 2;  // z^k + z^-k
    for (int k = 1; k <= modes; ++k) {
      value += rest(modes + k) * power;
      last = std::exchange(power, sum * power - last);
    }
    for (int i = 0; i < modes; ++i)
      if (i != j) value /= c.turn[i] - c.turn[j];
    c.weight[j] = value;
  }
}

/// Linear equations: rows of coefficients, then of right sides, which become the solution.
void eliminate(std::vector<Polynomial>& rows) {
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const auto largest =
        std::max_element(rows.begin() + k, rows.end(),
                         [k](const auto& a, const auto& b) { return abs(a[k]) < abs(b[k]); });
    std::swap(rows[k], *largest);
    const Quad pivot = rows[k][k];
    for (Quad& x : rows[k]) x /= pivot;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (i == k) continue;
      const Quad factor = rows[i][k];
      for (std::size_t j = k; j < rows[i].size(); ++j) rows[i][j] -= factor * rows[k][j];
    }
  }
}

/// y^j_n and y^j_{n-1}: the ones whose u_{n-l} = drive[0] w_{n-l} + sum_j weight[j] y^j_{n-l} are
/// those of the past, with y^j_{n-l} by the recurrence backwards.
void recall(Exact& c) {
  const int modes = c.order / 2 - 1, unknowns = 2 * modes, u = unknowns, w = unknowns + unknowns;
  std::vector<Polynomial> rows(unknowns, Polynomial(w + unknowns, Quad(0)));
  for (int j = 0; j < modes; ++j) {
    // y^j_{n-l+1} and y^j_{n-l} in y^j_n, y^j_{n-1} and w_{n-1}, w_{n-2}, ...
    Polynomial after(w + unknowns, Quad(0)), here = after;
    after[2 * j] = 1, here[2 * j + 1] = 1;
    for (int l = 1; l <= unknowns; ++l) {
      // What stands left of the equation is in y, right of it in w.
      for (int k = 0; k < w + unknowns; ++k)
        rows[l - 1][k] += c.weight[j] * (k < unknowns ? here[k] : -here[k]);
      Polynomial earlier(w + unknowns, Quad(0));
      for (int k = 0; k < w + unknowns; ++k) earlier[k] = -c.turn[j] * here[k] - after[k];
      earlier[w + l - 1] += 1;
      after = std::exchange(here, earlier);
    }
  }
  for (int l = 1; l <= unknowns; ++l)
    rows[l - 1][u + l - 1] += 1, rows[l - 1][w + l - 1] -= c.drive[0];
  eliminate(rows);
  for (int j = 0; j < modes; ++j)
    for (int l = 0; l < unknowns; ++l) {
      c.now[j].u[l] = rows[2 * j][u + l], c.now[j].w[l] = rows[2 * j][w + l];
      c.before[j].u[l] = rows[2 * j + 1][u + l], c.before[j].w[l] = rows[2 * j + 1][w + l];
    }
}

Exact computed(int order) {
  Exact c{order, {}, {}, {}, {}, {}, {}, {}, {}, {}};
  Polynomial gamma{Quad(1)};
  int mode = 0;
  for (const int a : angles(order)) {
    c.turn[mode++] = Quad(a) / 8;
    gamma = product(gamma, {Quad(1), Quad(a) / 8, Quad(1)});
  }
  const Polynomial beta = sigma(gamma, order);
  for (int i = 0; i < order - 2; ++i) c.inertia[i] = gamma[order - 3 - i];
  for (int i = 0; i < order - 1; ++i) c.drive[i] = beta[order - 1 - i];
  resolve(gamma, beta, c);
  recall(c);
  const int m = order / 2;
  Quad ratio = 1;  // (m!)^2 / ((m - j)! (m + j)!)
  for (int j = 1; j <= m; ++j) {
    ratio *= Quad(m - j + 1) / Quad(m + j);
    c.derivative[j - 1] = ratio * (j % 2 == 1 ? 1 : -1) / j;
    for (int i = 0; i < j; ++i) c.slope[i] += c.derivative[j - 1];
  }
  Quad binomial = 1;
  for (int i = 0; i < order - 1; ++i) {
    binomial *= Quad(order - 1 - i) / Quad(i + 1);
    c.ahead[i] = i % 2 == 0 ? binomial : -binomial;
  }
  return c;
}

/// The integral from 0 of p.
Polynomial integral(const Polynomial& p) {
  Polynomial sum{Quad(0)};
  for (std::size_t i = 0; i < p.size(); ++i) sum.push_back(p[i] / Quad(i + 1));
  return sum;
}
Quad value(const Polynomial& p, int x) {
  Quad sum = 0;
  for (std::size_t i = p.size(); i-- > 0;) sum = sum * x + p[i];
  return sum;
}
template <class R>
StartWeights<R> weights(int half) {
  StartWeights<R> w{half, {}, {}};
  for (int i = -half; i <= half; ++i) {
    Polynomial lagrange{Quad(1)};  // 1 at node i, 0 at the others
    for (int j = -half; j <= half; ++j)
      if (j != i) lagrange = product(lagrange, {Quad(-j) / Quad(i - j), Quad(1) / Quad(i - j)});
    const Polynomial once = integral(lagrange), twice = integral(once);
    for (int j = -half; j <= half; ++j) {
      w.once[j + half][i + half] = static_cast<R>(value(once, j));
      w.twice[j + half][i + half] = static_cast<R>(value(twice, j));
    }
  }
  return w;
}

template <class R, std::size_t N>
std::array<R, N> cast(const std::array<Quad, N>& from) {
  std::array<R, N> to;
  for (std::size_t i = 0; i < N; ++i) to[i] = static_cast<R>(from[i]);
  return to;
}

template <class R>
auto from_past(const std::array<Exact::FromPast, Exact::modes>& from) {
  std::array<typename MultistepCoefficients<R>::FromPast, Exact::modes> to;
  for (int j = 0; j < Exact::modes; ++j) to[j] = {cast<R>(from[j].u), cast<R>(from[j].w)};
  return to;
}

}  // namespace

template <class R>
std::vector<R> starting_substeps(int order) {
  // Kept: to read their digits takes as long as fifty steps of a pendulum.
  static const std::array<std::vector<R>, 3> all{coefficients<R>(Composition::suzuki4),
                                                 coefficients<R>(Composition::kahan_li6),
                                                 coefficients<R>(Composition::kahan_li8)};
  return all.at(static_cast<std::size_t>(order / 2 - 2));
}
template std::vector<double> starting_substeps(int);
template std::vector<Quad> starting_substeps(int);

template <class R>
const StartWeights<R>& start_weights(int order) {
  static const std::array<StartWeights<R>, 3> all{weights<R>(2), weights<R>(3), weights<R>(4)};
  return all.at(static_cast<std::size_t>(order / 2 - 2));
}
template const StartWeights<double>& start_weights(int);
template const StartWeights<Quad>& start_weights(int);

template <class R>
const MultistepCoefficients<R>& multistep_coefficients(int order) {
  static const auto all = [] {
    std::array<MultistepCoefficients<R>, 3> list;
    for (const int k : {4, 6, 8}) {
      const auto c = computed(k);
      list[k / 2 - 2] = {k,
                         cast<R>(c.inertia),
                         cast<R>(c.drive),
                         cast<R>(c.slope),
                         cast<R>(c.derivative),
                         cast<R>(c.ahead),
                         cast<R>(c.turn),
                         cast<R>(c.weight),
                         from_past<R>(c.now),
                         from_past<R>(c.before)};
    }
    return list;
  }();
  return all.at(static_cast<std::size_t>(order / 2 - 2));
}
template const MultistepCoefficients<double>& multistep_coefficients(int);
template const MultistepCoefficients<Quad>& multistep_coefficients(int);

}  // namespace rattleback
