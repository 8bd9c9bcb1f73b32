// The Taylor series of a chain of rods in a uniform field, by its links (rod_links.hpp): with
// d(t + s h) = sum_k D_k s^k, h^2 lambda = sum_k L_k s^k and pulls F = L D,
//
//   F_k = sum_{j<=k} L_j D_{k-j},     (k+1)(k+2) D_{k+2} = B F_k       (and the field, k = 0)
//
// and that |d|^2 is constant gives L_k, with one matrix:
//
//   S L_k = D_0.B(sum_{j<k} L_j D_{k-j}) + (k+1)(k+2)/2 sum_{0<j<k+2} D_j.D_{k+2-j}
//
// Three products of series, half of one by symmetry. They are made for two k at once, which have
// their operands in common.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "rattleback/integrators/rod_links.hpp"
#include "rattleback/problem/largest.hpp"
#include "rattleback/solve/newton.hpp"
#include "rattleback/solve/status.hpp"
#include "rattleback/solve/structure.hpp"
#include "rattleback/solve/thresholds.hpp"

namespace rattleback {

template <class Sys, class S>
class RodSeries {
 public:
  using Links = RodLinks<Sys, S>;
  using Row = typename Links::Row;
  using Link = typename Links::Link;
  using R = Real<S>;
  static constexpr int D = Links::D;

  /// `field` is -V_q, coordinate by coordinate.
  RodSeries(const Sys& system, int order, std::span<const double> field,
            const SolveOptions& options = {})
      : links_(system, field),
        length_(links_.length()),
        order_(order),
        options_(options),
        floor_(std::max(4 * epsilon<S>, options.tolerance)),
        series_(static_cast<std::size_t>(order + 2) * length_),
        multipliers_(static_cast<std::size_t>(order + 1) * length_),
        lost_(2 * length_),
        kept_(2 * length_),
        pull_(length_),
        next_pull_(length_),
        product_(length_),
        next_product_(length_),
        lambda_(links_.count()) {
    for (int i = 0; i < links_.count(); ++i) lambda_[i] = S(R(0));
  }

  static std::string structure(const Sys& system) {
    return in_words(SolverKind::chain, system.constraint_count());
  }
  const Vector<S, dynamic>& lambda() const { return lambda_; }

  void load(const Sys& system, const State<S>& z, const R& h) {
    h_ = h;
    links_.split(system, z, h, link(0), link(1));
    std::fill(lost_.begin(), lost_.end(), Link{});
    factored_ = false;
  }
  void show(const Sys& system, State<S>& z) {
    links_.join(system, link(0), link(1), h_, z);
    for (int i = 0; i < links_.count(); ++i) {  // h/2 times lambda at the end, as RATTLE has it
      S sum(R(0));
      for (int k = order_ - 1; k >= 0; --k) sum += links_.at(multiplier(k), i);
      lambda_[i] = sum * R(R(0.5) / h_);
    }
  }

  /// A step that fails leaves all as it was, but for lambda.
  Status step(const Sys&) {
    std::copy_n(series_.begin(), 2 * length_, kept_.begin());
    Status status = grow();
    if (status) {
      sum_up();
      status = project();
    }
    if (!status) {
      std::copy_n(kept_.begin(), 2 * length_, series_.begin());
      factored_ = false;
    }
    return status;
  }

 private:
  RATTLEBACK_INLINE static void add_product(const Row& l, const Link& d, Link& sum) {
    for (int c = 0; c < D; ++c) sum[c] += l * d[c];
  }
  RATTLEBACK_INLINE static void add_product(const Link& a, const Link& b, Link& sum) {
    for (int c = 0; c < D; ++c) sum[c] += a[c] * b[c];
  }
  Link* link(int k) { return series_.data() + static_cast<std::size_t>(k) * length_; }
  Row* multiplier(int k) { return multipliers_.data() + static_cast<std::size_t>(k) * length_; }

  RATTLEBACK_PASS FactorReport factor() {
    factored_ = true;
    return links_.factor(link(0));
  }
  /// All coefficients. Refused where they do not become small.
  Status grow();
  /// sum_{j<k} L_j D_{k-j} and 1/2 sum_{0<j<k+2} D_j.D_{k+2-j} for k and, but for what k gives to
  /// them, for k + 1; k is even.
  RATTLEBACK_PASS void multiply(int k);
  RATTLEBACK_PASS void extend_even(int k);
  RATTLEBACK_PASS void extend_odd(int k);
  template <class Pull, class Product>
  RATTLEBACK_INLINE void extend(int k, Pull&& pull, Product&& product);
  double largest(int k);
  /// d and h d' at the end of the step, with what rounding drops.
  RATTLEBACK_PASS void sum_up();
  /// d to |d| = length and d' to d.d' = 0, along M^-1 G^T.
  Status project();
  /// (|d|^2 - length^2)/2 to product_; the largest, relative.
  RATTLEBACK_PASS double measure();
  /// d <- d + B(x d) with S x = product_; the largest |B(x d)|, relative.
  RATTLEBACK_PASS double correct();
  /// h d' along the same, to d.d' = 0; the largest change.
  RATTLEBACK_PASS double turn();
  /// As often as it takes, with links that have moved since the matrix was made.
  Status turn_back(double moved, const Status& done);

  Links links_;
  int length_, order_;
  SolveOptions options_;
  double floor_;  // of |d|^2, relative: what rounding d does to it
  R h_{0};
  bool factored_ = false;          // S, at these links or ones just beside them
  std::vector<Link> series_;       // D_k
  std::vector<Row> multipliers_;   // L_k, and what projects
  std::vector<Link> lost_, kept_;  // of D_0 and D_1
  std::vector<Link> pull_, next_pull_;
  std::vector<Row> product_, next_product_;
  Vector<S, dynamic> lambda_;
};

template <class Sys, class S>
Status RodSeries<Sys, S>::grow() {
  if (!factored_)
    if (const FactorReport f = factor(); !f.ok) return {Outcome::rank_loss, 0, f.smallest_pivot};
  for (int k = 0; k < order_; ++k) {
    if (k % 2 == 0)
      extend_even(k);
    else
      extend_odd(k);
  }
  const double first = largest(1) + largest(2), last = largest(order_ + 1);
  if (!(last < threshold::overflow)) return {Outcome::not_finite, 0, last};
  if (order_ > 1 && last > threshold::diverging_series * first)
    return {Outcome::divergence, order_ + 1, last};
  return {};
}

template <class Sys, class S>
void RodSeries<Sys, S>::multiply(int k) {
  const int n = length_, half = k / 2 + 1;
  const Link* __restrict series = series_.data();
  const Row* __restrict multipliers = multipliers_.data();
  for (int r = 0; r < n; ++r) {
    const Link* __restrict d = series + r;
    const Row* __restrict l = multipliers + r;
    Link pull{}, next_pull{}, product{}, next_product{};
    Link upper = d[(k + 1) * n];
    for (int j = 0; j < k; ++j) {
      const Link lower = d[(k - j) * n];
      add_product(l[j * n], lower, pull);
      add_product(l[j * n], upper, next_pull);
      upper = lower;
    }
    Link lower = d[n];
    for (int j = 1; j < half; ++j) {
      const Link mirror = d[(k + 2 - j) * n], above = d[(j + 1) * n];
      add_product(lower, mirror, product);
      add_product(above, mirror, next_product);
      lower = above;
    }
    Row sum = Links::dot(lower, lower) * Row(R(0.5)), next_sum = next_product[0];
    for (int c = 0; c < D; ++c) sum += product[c];
    for (int c = 1; c < D; ++c) next_sum += next_product[c];
    pull_[r] = pull, next_pull_[r] = next_pull;
    product_[r] = sum, next_product_[r] = next_sum;
  }
}

/// L_k, and D_{k+2}, from what is known of pulls and products, pull(r) and product(r).
template <class Sys, class S>
template <class Pull, class Product>
void RodSeries<Sys, S>::extend(int k, Pull&& pull, Product&& product) {
  const int last = length_ - 1;
  const R degree((k + 1) * (k + 2));
  const Row factor(degree), scale(R(R(1) / degree)), hh(R(k == 0 ? h_ * h_ : R(0)));
  const Link* __restrict d = link(0);
  Link* __restrict next = link(k + 2);
  typename Links::Passing known{.before = Links::from_before(pull(last)), .here = pull(0)};
  const Link wrap = Links::from_after(known.here);
  links_.pull(
      d, multiplier(k),
      [&](int r) RATTLEBACK_INLINE_LAMBDA {
        Link moved = known.next(links_, r, r < last ? pull(r + 1) : wrap);
        add_product(hh, links_.field(r), moved);
        next[r] = moved;
        return product(r) * factor + Links::dot(d[r], moved);
      },
      [&](int r, const Link& moved) RATTLEBACK_INLINE_LAMBDA {
        for (int c = 0; c < D; ++c) next[r][c] = (next[r][c] + moved[c]) * scale;
      });
}
template <class Sys, class S>
void RodSeries<Sys, S>::extend_even(int k) {
  multiply(k);
  const Link* __restrict pulls = pull_.data();
  const Row* __restrict products = product_.data();
  extend(
      k, [=](int r) RATTLEBACK_INLINE_LAMBDA { return pulls[r]; },
      [=](int r) RATTLEBACK_INLINE_LAMBDA { return products[r]; });
}
/// With what was left open.
template <class Sys, class S>
void RodSeries<Sys, S>::extend_odd(int k) {
  const Link* __restrict pulls = next_pull_.data();
  const Row* __restrict products = next_product_.data();
  const Link* __restrict first = link(1);
  const Link* __restrict newest = link(k + 1);
  const Row* __restrict lambda = multiplier(k - 1);
  extend(
      k,
      [=](int r) RATTLEBACK_INLINE_LAMBDA {
        Link pull = pulls[r];
        add_product(lambda[r], first[r], pull);
        return pull;
      },
      [=](int r)
          RATTLEBACK_INLINE_LAMBDA { return products[r] + Links::dot(first[r], newest[r]); });
}

template <class Sys, class S>
double RodSeries<Sys, S>::largest(int k) {
  Largest<Row> most;
  for (int r = 0; r < length_; ++r)
    for (int c = 0; c < D; ++c) most.add(link(k)[r][c]);
  return most.value();
}

template <class Sys, class S>
void RodSeries<Sys, S>::sum_up() {
  const auto add = [](const Row& more, Row& sum, Row& lost) RATTLEBACK_INLINE_LAMBDA {
    const Row rest = more + lost, before = sum;
    sum = before + rest;
    lost = rest - (sum - before);
  };
  const int n = length_;
  Link* __restrict lost = lost_.data();
  for (int r = 0; r < n; ++r) {
    Link* __restrict d = series_.data() + r;
    Link moved = d[(order_ + 1) * n], gained = moved;
    for (int c = 0; c < D; ++c) gained[c] *= Row(R(order_ + 1));
    for (int k = order_; k >= 2; --k) {
      const Row degree{R(k)};
      for (int c = 0; c < D; ++c) {
        const Row term = d[k * n][c];
        moved[c] += term, gained[c] += degree * term;
      }
    }
    for (int c = 0; c < D; ++c) {
      add(moved[c] + d[n][c], d[0][c], lost[r][c]);
      add(gained[c], d[n][c], lost[n + r][c]);
    }
  }
}

}  // namespace rattleback

#include "rattleback/integrators/rod_landing.hpp"
