#include "rattleback/integrators/multistep_coefficients.hpp"

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

MultistepCoefficients<Quad> computed(int order) {
  MultistepCoefficients<Quad> c{order, {}, {}, {}, {}, {}};
  Polynomial gamma{Quad(1)};
  for (const int a : angles(order)) gamma = product(gamma, {Quad(1), Quad(a) / 8, Quad(1)});
  const Polynomial beta = sigma(gamma, order);
  for (int i = 0; i < order - 2; ++i) c.inertia[i] = gamma[order - 3 - i];
  for (int i = 0; i < order - 1; ++i) c.drive[i] = beta[order - 1 - i];
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
                         cast<R>(c.ahead)};
    }
    return list;
  }();
  return all.at(static_cast<std::size_t>(order / 2 - 2));
}
template const MultistepCoefficients<double>& multistep_coefficients(int);
template const MultistepCoefficients<Quad>& multistep_coefficients(int);

}  // namespace rattleback
