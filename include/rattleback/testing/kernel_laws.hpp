// The laws of integrators/kernel.hpp, measured: every verb of a kernel against full matrices made
// from the system itself.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "rattleback/integrators/natural_constrained.hpp"
#include "rattleback/testing/results.hpp"

namespace rattleback::testing {

/// `own` is what the kernel K knows, `system` the same system for everybody.
template <class K, class S, class Own, class Sys>
class KernelLaws {
 public:
  using Point = State<S, K::N>;
  using Column = Vector<S, dynamic>;
  using Full = Matrix<S, dynamic>;

  KernelLaws(const Own& own, const Sys& system, Point z, const Real<S>& h, Kicks kicks = {})
      : own_(own),
        system_(system),
        z_(std::move(z)),
        h_(h),
        kicks_(kicks),
        n_(system.dimension()),
        m_(system.constraint_count()),
        kernel_(own),
        w_(own),
        g0_(m_),
        j0_(m_, n_),
        w0_(n_, m_) {
    full(z_.q, g0_, j0_);
    for (int k = 0; k < m_; ++k) w0_.col(k) = velocity(Column(j0_.row(k).transpose()));
  }

  KernelResult verbs() {
    products();
    solves();
    whole_step();
    judgements();
    multistep();
    return result_;
  }

 private:
  /// Numbers of size one without a pattern.
  static S probe(int i) { return S(std::sin(1.7 * i + 0.3) + 0.2); }
  static double relative(const Column& a, const Column& b, double scale = 0) {
    return largest_magnitude(Column(a - b)) /
           std::max({largest_magnitude(b), scale, std::numeric_limits<double>::min()});
  }
  static void raise(double& most, double defect) { most = larger(most, defect); }

  Column velocity(const Column& p) const {
    PositionOf<Sys, S> x(n_), v(n_);
    for (int i = 0; i < n_; ++i) x[i] = p[i];
    system_.velocity(x, v);
    return v;
  }
  Column slope(const typename K::Position& q) const {
    PositionOf<Sys, S> x(n_), v(n_);
    for (int i = 0; i < n_; ++i) x[i] = q[i];
    system_.potential_gradient(x, v);
    return v;
  }
  void full(const typename K::Position& q, Column& g, Full& j) const {
    PositionOf<Sys, S> x(n_);
    for (int i = 0; i < n_; ++i) x[i] = q[i];
    MultiplierOf<Sys, S> value(m_);
    JacobianOf<Sys, S> slope(m_, n_), unused(m_, n_);
    system_.linearise(x, x, value, slope, unused);
    g = value, j = slope;
  }
  Column times_gram(const Full& j, const Column& x) const { return j * (w0_ * x); }

  void products() {
    kernel_.linearise(own_, z_.q, w_.g, w_.jacobian);
    raise(result_.linearise, relative(w_.g, g0_, largest_magnitude(j0_) * largest_magnitude(z_.q)));
    for (int k = 0; k < m_; ++k) w_.lambda[k] = probe(k);
    for (int i = 0; i < n_; ++i) w_.p[i] = z_.p[i] + probe(i);
    const Column p = w_.p, lambda = w_.lambda;
    kernel_.hidden(own_, w_.jacobian, w_.p, w_.mu);
    kernel_.kick(w_.jacobian, w_.lambda, w_.p);
    const Column force = p - w_.p;
    raise(result_.kick, relative(force, j0_.transpose() * lambda, largest_magnitude(p)));
    raise(result_.hidden, relative(w_.mu, j0_ * velocity(p)));
    const S left = lambda.dot(Column(w_.mu)), right = velocity(p).dot(force);
    raise(result_.transpose, magnitude(S(left - right)) / (m_ * largest_magnitude(p)));
  }

  void solves() {
    FactorReport report = kernel_.factor(own_, w_.jacobian);
    if (!report.ok) result_.failure = "factor says that G has lost its rank";
    const auto check = [&](auto&& solve) {
      for (int k = 0; k < m_; ++k) w_.g[k] = probe(k);
      const Column b = w_.g;
      solve();
      raise(result_.gram, relative(times_gram(j0_, w_.g), b, largest_magnitude(w_.g)));
    };
    check([&] { kernel_.solve(w_.g); });
    check([&] { (void)kernel_.solve_fresh(own_, w_.jacobian, w_.g, true); });
    for (const bool first : {true, false}) {
      w_.q = z_.q;
      for (int k = 0; k < m_; ++k) w_.g[k] = probe(k), w_.mu[k] = probe(k + 1);
      const Column delta = w_.g, sum = first ? delta : Column(delta + w_.mu);
      kernel_.shift(own_, w_.jacobian, w_.g, first, w_.q, w_.mu);
      raise(result_.shift, relative(z_.q - w_.q, w0_ * delta, largest_magnitude(z_.q)));
      raise(result_.shift, relative(w_.mu, sum));
    }
  }

  /// launch, Newton, correct, arrive.
  void whole_step() {
    const Stride<S, K::N> stride{z_, h_, kicks_, true};
    const Column v0 = slope(z_.q);
    for (int i = 0; i < n_; ++i) w_.v_q[i] = v0[i];
    for (int k = 0; k < m_; ++k) w_.lambda[k] = S(probe(k) * h_);
    auto floor = K::floor(own_);
    kernel_.measure(z_.q, w_.jacobian, 2 * epsilon<S>, floor);
    kernel_.launch(own_, stride, floor, w_);
    const auto moved = [&] {  // where this lambda leads
      const Column ph = z_.p - j0_.transpose() * w_.lambda - v0 * (h_ * kicks_.before);
      return std::pair(ph, Column(z_.q + velocity(ph) * h_));
    };
    raise(result_.launch, relative(w_.q, moved().second));
    newton();
    kernel_.launch(own_, stride, floor, w_);
    for (int k = 0; k < m_; ++k) w_.mu[k] = S(0);
    for (int k = 0; k < 200 && !kernel_.settled(own_, w_.q, w_.g, w_.next, floor); ++k) {
      if (!kernel_.solve_newton(own_, w_.jacobian, w_.next, w_.g)) result_.failure = "rank loss";
      kernel_.shift(own_, w_.jacobian, w_.g, false, w_.q, w_.mu);
    }
    kernel_.correct(h_, w_);
    kernel_.arrive(own_, stride, w_);
    Column g1(m_);
    Full j1(m_, n_);
    full(w_.q, g1, j1);
    double most = 0;
    for (int k = 0; k < m_; ++k) {
      double row = 0;
      for (int i = 0; i < n_; ++i) row += magnitude(j1(k, i));
      most = std::max(most, row);
    }
    raise(result_.land, largest_magnitude(g1) / (epsilon<S> * most * largest_magnitude(w_.q)));
    const auto [ph, q1] = moved();
    const Column v1 = slope(w_.q), p1 = ph - v1 * (h_ * kicks_.after);
    raise(result_.arrive, relative(w_.q, q1));
    raise(result_.arrive, relative(w_.p, p1));
    raise(result_.arrive, relative(w_.v_q, v1, 1));
    raise(result_.arrive, relative(w_.mu, j1 * velocity(p1), largest_magnitude(p1)));
  }
  /// Iterated on a linear equation, solve_newton ends at its solution: where three calls no longer
  /// make the rest smaller. How near the last ones come is left to rounding, so calls count until
  /// the rest is within ten times its end.
  void newton() {
    Column g1(m_), x = Column::Constant(m_, S(0)), b(m_);
    Full j1(m_, n_);
    full(w_.q, g1, j1);
    kernel_.linearise(own_, w_.q, w_.g, w_.next);
    for (int k = 0; k < m_; ++k) b[k] = probe(k);
    std::vector<double> sizes;
    double least = std::numeric_limits<double>::infinity();
    for (int in_vain = 0; in_vain < 3 && sizes.size() < 100;) {
      const Column rest = b - times_gram(j1, x);
      const double size = largest_magnitude(rest) / (1 + largest_magnitude(x));
      sizes.push_back(size);
      in_vain = size < least ? 0 : in_vain + 1;
      least = std::min(least, size);
      for (int k = 0; k < m_; ++k) w_.g[k] = rest[k];
      if (!kernel_.solve_newton(own_, w_.jacobian, w_.next, w_.g)) result_.failure = "rank loss";
      x += w_.g;
    }
    const double end = 10 * std::max(least, epsilon<S>);
    result_.newton = least;
    result_.newton_steps = static_cast<int>(
        std::ranges::find_if(sizes, [&](double size) { return size <= end; }) - sizes.begin());
  }

  void judgements() {
    kernel_.linearise(own_, z_.q, w_.g, w_.jacobian);
    (void)kernel_.factor(own_, w_.jacobian).ok;
    auto floor = K::floor(own_);
    kernel_.measure(z_.q, w_.jacobian, 1e-6, floor);
    double most = 0;
    for (int k = 0; k < m_; ++k) {
      double row = 0, sum = 0;
      for (int i = 0; i < n_; ++i) {
        row += magnitude(base(j0_(k, i))) * magnitude(base(z_.q[i]));
        sum += magnitude(base(j0_(k, i)));
      }
      w_.g[k] = S(0.99e-6 * row);
      most = std::max(most, sum * largest_magnitude(z_.q));
    }
    result_.floor = K::within_floor(w_.g, floor, 1);
    for (int k = 0; k < m_; ++k) {
      w_.mu.setConstant(S(0));
      w_.mu[k] = S(-1.01e-6 * most);
      result_.floor = result_.floor && !K::within_floor(w_.mu, floor, 1);
    }
    // From here to there, through points where gradients have turned.
    for (const double part : {0.0, 0.3, 0.7, 1.0}) {
      w_.q = z_.q * S(1 - 2 * part);
      Column g(m_);
      Full j(m_, n_);
      full(w_.q, g, j);
      bool same = true;
      for (int k = 0; k < m_; ++k) same = same && smallest(base(S(j.row(k) * w0_.col(k)))) > 0;
      kernel_.linearise(own_, w_.q, w_.g, w_.next);
      result_.branch = result_.branch && kernel_.same_branch(own_, w_.jacobian, w_.next) == same;
      result_.turned += same ? 0 : 1;
    }
  }

  /// What kernels that serve multistep methods have more, see kernel_multistep_laws.hpp.
  void multistep();
  void reach();
  /// Goes a little away from z, and factors the matrix between.
  void factor_away(double distance);
  void between();
  void left_over();
  /// The derivative of G v along v.
  void curvature();

  const Own& own_;
  const Sys& system_;
  Point z_;
  Real<S> h_;
  Kicks kicks_;
  int n_, m_;
  K kernel_;
  Work<K> w_;
  Column g0_;
  Full j0_, w0_;  // G and W G^T at z
  KernelResult result_;
};

/// Every verb of a kernel at z, and one step of size h.
template <class K, class S, class Own, class Sys>
KernelResult check_kernel(const Own& own, const Sys& system, const State<S, K::N>& z,
                          const Real<S>& h, Kicks kicks = {}) {
  return KernelLaws<K, S, Own, Sys>(own, system, z, h, kicks).verbs();
}

}  // namespace rattleback::testing

#include "rattleback/testing/kernel_multistep_laws.hpp"
