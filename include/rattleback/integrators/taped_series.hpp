// The Taylor series of a natural system with constraints on positions, with the coefficients of V_q
// and G from expressions (expression/series.hpp) and the linear algebra of its kernel. See
// taylor.hpp for the equations.
#pragma once

#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "rattleback/expression/series.hpp"
#include "rattleback/integrators/compensated_sum.hpp"
#include "rattleback/integrators/natural_constrained.hpp"
#include "rattleback/problem/largest.hpp"

namespace rattleback {

namespace detail {

/// How far a is above b, in each lane.
template <class Size>
Size excess(const Size& a, const Size& b) {
  using std::max;
  return max(Size(a - b), Size(0.0));
}

}  // namespace detail

template <class Sys, class S, class K = typename detail::KernelOf<Sys, S>::type>
class TapedSeries {
 public:
  using Position = typename K::Position;
  using Multiplier = typename K::Multiplier;
  using Jacobian = typename K::Jacobian;
  using Point = State<S, K::N>;
  using R = Real<S>;
  using Size = typename Largest<Base<S>>::Size;

  TapedSeries(const Sys& system, int order, std::shared_ptr<const SeriesField> field,
              const SolveOptions& options)
      : field_(std::move(field)),
        tape_(field_->program, order),
        kernel_(system),
        n_(system.dimension()),
        m_(system.constraint_count()),
        order_(order),
        stride_(order + 2),
        options_(options),
        rates_(static_cast<std::size_t>(n_) * stride_, S(R(0))),
        multipliers_(static_cast<std::size_t>(m_) * stride_, S(R(0))),
        sum_q_(n_),
        sum_p_(n_),
        kept_q_(n_),
        kept_p_(n_),
        q_(n_),
        p_(n_),
        end_q_(n_),
        end_p_(n_),
        force_(n_),
        velocity_(n_),
        bend_(m_),
        right_(m_),
        rest_(m_),
        image_(m_),
        lambda_(m_),
        jacobian_(K::jacobian(system)),
        floor_(K::floor(system)) {
    for (int r = 0; r < m_; ++r) lambda_[r] = S(R(0));
    for (int v = 0; v < static_cast<int>(field_->program.values().size()); ++v)
      if (const auto& value = field_->program.values()[v]; value.rule == SeriesProgram::Rule::input)
        inputs_.emplace_back(value.a, v);
  }

  static std::string structure(const Sys& system) {
    return in_words(K::kind(system), system.constraint_count());
  }
  const Multiplier& lambda() const { return lambda_; }

  void load(const Sys&, const Point& z, const R& h) {
    h_ = h;
    copy(z.q, q_), copy(z.p, p_);
    for (int i = 0; i < n_; ++i) sum_q_[i].reset(), sum_p_[i].reset();
    factored_ = false;
  }
  void show(const Sys&, Point& z) {
    copy(q_, z.q), copy(p_, z.p);
    for (int r = 0; r < m_; ++r) {  // of RATTLE, h/2 times that of the equations, at the end
      S sum(R(0));
      for (int k = order_ - 1; k >= 0; --k) sum += l_of(r)[k];
      lambda_[r] = sum * R(R(0.5) / h_);
    }
  }

  /// A step that fails leaves all as it was, but for lambda.
  Status step(const Sys& system) {
    if (!factored_) {
      kernel_.linearise(system, q_, right_, jacobian_);
      if (const Status regular = factor(system, 0); !regular) return regular;
    }
    begin(system);
    for (int k = 0; k < order_; ++k) {
      collect(k);
      extend(system, k);
    }
    Status status = converges();
    if (status) status = conclude(system);
    if (!status) factored_ = false;
    return status;
  }

 private:
  /// k Q_k of coordinate i, and L_k of constraint r, for all k.
  S* rate_of(int i) { return rates_.data() + static_cast<std::size_t>(i) * stride_; }
  S* l_of(int r) { return multipliers_.data() + static_cast<std::size_t>(r) * stride_; }

  /// Q_0 and Q_1; sums begin with them.
  void begin(const Sys& system) {
    system.velocity(p_, velocity_);
    for (int i = 0; i < n_; ++i) {
      rate_of(i)[1] = velocity_[i] * h_;
      end_q_[i] = rate_of(i)[1], end_p_[i] = S(R(0));
    }
    first_ = largest_rate(1), last_ = Size(0.0);
    for (const auto& [coordinate, value] : inputs_) tape_.of(value)[0] = q_[coordinate];
    tape_.extend(0);
    set_inputs(1);
  }
  /// Coefficient k of all that follows from positions.
  void set_inputs(int k) {
    for (const auto& [coordinate, value] : inputs_)
      tape_.of(value)[k] = rate_of(coordinate)[k] * R(R(1) / R(k));
    tape_.extend(k);
    if (field_->calls) ++*field_->calls;
  }
  /// Known before L_k: -A_k in force_ and sum_{j=1}^{k+1} (k+2-j) G_j Q_{k+2-j} in bend_.
  void collect(int k) {
    const R hh = h_ * h_;
    for (int i = 0; i < n_; ++i) force_[i] = tape_.of(field_->slope[i])[k] * hh;
    for (int r = 0; r < m_; ++r) bend_[r] = S(R(0));
    for (const SeriesField::Entry& e : field_->entries) {
      if (field_->program.is_constant(e.value)) continue;
      const S *g = tape_.of(e.value), *l = l_of(e.row), *rate = rate_of(e.column);
      S pull(R(0)), turn = g[k + 1] * rate[1];
      for (int j = 1; j <= k; ++j) pull += g[j] * l[k - j], turn += g[j] * rate[k + 2 - j];
      force_[e.column] += pull;
      bend_[e.row] += turn;
    }
  }
  /// L_k, and Q_{k+2}; their parts of q and p at the end.
  void extend(const Sys& system, int k) {
    for (int i = 0; i < n_; ++i) force_[i] = -force_[i];
    kernel_.hidden(system, jacobian_, force_, right_);
    add_scaled(R(k + 1), bend_, right_);
    solve(system);
    for (int r = 0; r < m_; ++r) l_of(r)[k] = right_[r];
    kernel_.kick(jacobian_, right_, force_);
    const R share = R(1) / R(k + 1);
    add_scaled(R(share / h_), force_, end_p_);
    system.velocity(force_, velocity_);
    for (int i = 0; i < n_; ++i) {
      rate_of(i)[k + 2] = velocity_[i] * share;
      end_q_[i] += velocity_[i] * R(share / R(k + 2));
    }
    if (k == 0) first_ += largest_rate(2);
    last_ = largest_rate(k + 2);
    if (k + 1 < order_) set_inputs(k + 2);
  }
  Size largest_rate(int k) {
    Largest<Base<S>> most;
    for (int i = 0; i < n_; ++i) most.add(base(rate_of(i)[k]));
    return most.size() * (1.0 / k);
  }
  Status factor(const Sys& system, int iterations) {
    if (const FactorReport f = kernel_.factor(system, jacobian_); !f.ok)
      return {Outcome::rank_loss, iterations, f.smallest_pivot};
    factored_ = true;
    return {};
  }
  /// right_ <- (G M^-1 G^T)^-1 right_. The matrix is made of base values; solved once more, partial
  /// derivatives are exact too.
  void solve(const Sys& system) {
    if constexpr (ScalarTraits<S>::is_dual) {
      copy(right_, rest_);
      kernel_.solve(right_);
      for (int i = 0; i < n_; ++i) velocity_[i] = S(R(0));
      kernel_.kick(jacobian_, right_, velocity_);
      kernel_.hidden(system, jacobian_, velocity_, image_);
      add_scaled(R(1), image_, rest_);
      kernel_.solve(rest_);
      add_scaled(R(1), rest_, right_);
    } else {
      kernel_.solve(right_);
    }
  }
  /// Without partial derivatives: they have the rounding of their own sizes.
  const Multiplier& values(const Multiplier& g) {
    if constexpr (!ScalarTraits<S>::is_dual) return g;
    for (int r = 0; r < m_; ++r) rest_[r] = S(base(g[r]));
    return rest_;
  }
  /// Whether coefficients become small, in all lanes.
  Status converges() const {
    const double last = magnitude(last_);
    if (!(last < threshold::overflow)) return {Outcome::not_finite, 0, last};
    if (order_ > 1 && !ScalarTraits<Size>::within(
                          detail::excess(last_, Size(threshold::diverging_series) * first_), 0))
      return {Outcome::divergence, order_ + 1, last};
    return {};
  }
  /// The end of the step, on g = 0 and G M^-1 p = 0. What was there before stays where it fails.
  Status conclude(const Sys& system);
  Status project(const Sys& system);

  std::shared_ptr<const SeriesField> field_;
  SeriesTape<S> tape_;
  K kernel_;
  int n_, m_, order_, stride_;
  SolveOptions options_;
  std::vector<std::pair<int, int>> inputs_;  // coordinates, and their values on the tape
  std::vector<S> rates_, multipliers_;
  std::vector<CompensatedSum<S>> sum_q_, sum_p_, kept_q_, kept_p_;
  Position q_, p_, end_q_, end_p_, force_, velocity_;
  Multiplier bend_, right_, rest_, image_, lambda_;
  Jacobian jacobian_;
  typename K::Floor floor_;
  R h_{0};
  Size first_{0.0}, last_{0.0};  // of Q_1 and Q_2, and of the last coefficient
  bool factored_ = false;
};

template <class Sys, class S, class K>
Status TapedSeries<Sys, S, K>::conclude(const Sys& system) {
  kept_q_ = sum_q_, kept_p_ = sum_p_;
  for (int i = 0; i < n_; ++i) {
    const S q = q_[i], p = p_[i];
    sum_q_[i].add(end_q_[i], q_[i]), sum_p_[i].add(end_p_[i], p_[i]);
    end_q_[i] = q, end_p_[i] = p;
  }
  const Status status = project(system);
  if (!status) {
    copy(end_q_, q_), copy(end_p_, p_);
    sum_q_ = kept_q_, sum_p_ = kept_p_;
  }
  return status;
}

/// Newton with the matrix at the end of the series: what that left out is small, and its square
/// smaller.
template <class Sys, class S, class K>
Status TapedSeries<Sys, S, K>::project(const Sys& system) {
  if (m_ == 0) return {};
  kernel_.linearise(system, q_, right_, jacobian_);
  kernel_.measure(q_, jacobian_, std::max(2 * epsilon<S>, options_.tolerance), floor_);
  Contraction contraction;
  const auto correct = [&] {
    kernel_.solve(right_);
    kernel_.shift(system, jacobian_, right_, true, q_, image_);
    kernel_.linearise(system, q_, right_, jacobian_);
  };
  int k = 0;
  for (; k < options_.max_iterations; ++k) {
    const Multiplier& g = values(right_);
    if (k > 0 && K::within_floor(g, floor_, 1)) break;
    const auto verdict = contraction.judge(K::size(g));
    if (verdict == Contraction::Verdict::not_finite)
      return {Outcome::not_finite, k, contraction.last()};
    if (verdict == Contraction::Verdict::poor) {
      if (K::within_floor(g, floor_, threshold::constraint_band)) break;
      return {Outcome::no_convergence, k, contraction.last()};
    }
    if (k == 0)
      if (const Status regular = factor(system, k); !regular) return regular;
    correct();
  }
  if constexpr (ScalarTraits<S>::is_dual) correct();  // partial derivatives follow their values
  // The next step has the exact matrix: that of a point beside would make the multipliers depend on
  // how far the projection went.
  if (const Status regular = factor(system, k); !regular) return regular;
  kernel_.hidden(system, jacobian_, p_, right_);
  solve(system);
  kernel_.kick(jacobian_, right_, p_);
  return {Outcome::ok, k};
}

}  // namespace rattleback
