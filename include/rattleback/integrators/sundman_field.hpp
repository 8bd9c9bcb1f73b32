// The field of SundmanStepper: of systems made of expressions by compiled code, of others from
// their slopes and dual numbers.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "rattleback/expression/scaled_field.hpp"
#include "rattleback/integrators/stage_lanes.hpp"
#include "rattleback/integrators/sundman.hpp"
#include "rattleback/problem/sweep.hpp"
#include "rattleback/solve/dense.hpp"
#include "rattleback/solve/structure.hpp"

namespace rattleback {

/// The stages of arrays of lanes one by one: f(x, y, a, b) on plain arrays.
template <class S>
class StageByStage {
 public:
  StageByStage(int x, int y, int a, int b) : x_(x), y_(y), a_(a), b_(b) {}
  template <class Lanes, class F>
  void operator()(int stages, const Lanes* x, const Lanes* y, Lanes* a, Lanes* b, F&& f) {
    for (int i = 0; i < stages; ++i) {
      for (std::size_t k = 0; k < x_.size(); ++k) x_[k] = x[k][i];
      for (std::size_t k = 0; k < y_.size(); ++k) y_[k] = y[k][i];
      f(x_.data(), y_.data(), a_.data(), b_.data());
      for (std::size_t k = 0; k < a_.size(); ++k) set(a[k], i, stages, a_[k]);
      for (std::size_t k = 0; k < b_.size(); ++k) set(b[k], i, stages, b_[k]);
    }
  }

 private:
  /// The last one in all lanes that are left.
  template <class Lanes>
  static void set(Lanes& to, int i, int stages, const S& value) {
    for (int lane = i; lane < (i + 1 < stages ? i + 1 : most_stages); ++lane)
      if constexpr (std::is_same_v<S, double>)
        to.set(lane, value);
      else
        to.lane[lane] = value;
  }
  std::vector<S> x_, y_, a_, b_;
};

/// The diagonal of M^-1; empty where M has other entries, or is not the same everywhere.
template <class Sys>
std::vector<double> diagonal_inverse_mass(const Sys& system) {
  const int n = system.dimension();
  std::vector<double> diagonal(n);
  Vector<double, dynamic> p(n), v(n);
  for (int i = 0; i < n; ++i) {
    p.setZero(), p[i] = 1;
    system.velocity(p, v);
    diagonal[i] = v[i];
    for (int k = 0; k < n; ++k)
      if (k != i && v[k] != 0) return {};
  }
  return diagonal;
}

/// In straight-line code.
template <class S>
class CompiledField {
 public:
  CompiledField(std::shared_ptr<const ScaledField> code, int stages,
                std::vector<double> inverse_mass = {})
      : code_(std::move(code)),
        stages_(stages),
        one_by_one_(dimension() + 1, dimension(), dimension() + 1, dimension()),
        along_(2 * dimension(), 2 * dimension(), constraints(), constraints()),
        inverse_mass_(std::move(inverse_mass)) {}
  int dimension() const { return code_->dimension; }
  int constraints() const { return code_->constraints; }
  bool quadratic() const { return code_->quadratic; }
  const std::vector<double>& inverse_mass() const { return inverse_mass_; }
  std::string structure() const { return "by compiled elimination"; }

  template <class Sys>
  void evaluate(const Sys&, const StageLanes<S>* x, const StageLanes<S>* y, StageLanes<S>* a,
                StageLanes<S>* b) {
    if constexpr (std::is_same_v<S, double>)
      code_->field(x, y, a, b);
    else
      one_by_one_(stages_, x, y, a, b, [&](const S* q, const S* p, S* dq, S* dp) {
        code_->field.program.run(q, p, dq, dp);
      });
  }
  /// How many values an evaluation leaves behind q' for the next one, from sigma on: those that
  /// change with every one, and all. 0: none.
  int following() const { return refines() ? code_->following : 0; }
  int held() const { return refines() ? code_->held : 0; }
  void hold(const StageLanes<S>* x, const StageLanes<S>* y, StageLanes<S>* a,
            StageLanes<S>* b) const
    requires std::is_same_v<S, double>
  {
    code_->holding(x, y, a, b);
  }
  /// From the held values, behind c^2: no root and no division to wait for.
  void refine(const StageLanes<S>* x, const StageLanes<S>* y, StageLanes<S>* a,
              StageLanes<S>* b) const
    requires std::is_same_v<S, double>
  {
    code_->refined(x, y, a, b);
  }
  template <class Sys>
  void rates(const Sys&, const StageLanes<S>* x, const StageLanes<S>* y, StageLanes<S>* a,
             StageLanes<S>* b) {
    if constexpr (std::is_same_v<S, double>)
      code_->rates(x, y, a, b);
    else
      along_(stages_, x, y, a, b,
             [&](const S* q, const S* p, S* dq, S* dp) { code_->rates.program.run(q, p, dq, dp); });
  }
  template <class Sys>
  void normal(const Sys&, const S* q, const S* p, NormalSpace<S>& out) {
    code_->normal(q, p, out.values.data(), out.slopes.data());
  }

 private:
  bool refines() const {
    return std::is_same_v<S, double> && static_cast<bool>(code_->refined.native);
  }
  std::shared_ptr<const ScaledField> code_;
  int stages_;
  StageByStage<S> one_by_one_, along_;
  std::vector<double> inverse_mass_;
};

/// Of any natural system. The curvature of g comes from duals of its slopes, so that S is no dual.
template <class Sys, class S>
class EvaluatedField {
 public:
  static constexpr int K = 4;
  static_assert(!is_dual<S>);
  EvaluatedField(const Sys& system, int stages)
      : n_(system.dimension()),
        m_(system.constraint_count()),
        stages_(stages),
        one_by_one_(n_ + 1, n_, n_ + 1, n_),
        along_(2 * n_, 2 * n_, m_, m_),
        normal_(n_, m_),
        q_(n_),
        p_(n_),
        v_(n_),
        w_(n_),
        slope_(n_),
        lifted_q_(n_),
        lifted_p_(n_),
        g_(m_),
        lifted_g_(m_),
        jacobian_(m_, n_),
        unused_(m_, n_),
        lifted_jacobian_(m_, n_),
        lifted_unused_(m_, n_),
        lambda_(std::max(m_, 1)),
        lu_(std::max(m_, 1)),
        inverse_mass_(diagonal_inverse_mass(system)) {}
  int dimension() const { return n_; }
  int constraints() const { return m_; }
  /// Not known: they are projected onto, whatever they are.
  static bool quadratic() { return false; }
  static int held() { return 0; }
  const std::vector<double>& inverse_mass() const { return inverse_mass_; }
  std::string structure() const { return "by elimination, " + in_words(SolverKind::dense, m_); }

  void evaluate(const Sys& system, const StageLanes<S>* x, const StageLanes<S>* y, StageLanes<S>* a,
                StageLanes<S>* b) {
    one_by_one_(stages_, x, y, a, b,
                [&](const S* q, const S* p, S* dq, S* dp) { point(system, q, p, dq, dp); });
  }
  void rates(const Sys& system, const StageLanes<S>* x, const StageLanes<S>* y, StageLanes<S>* a,
             StageLanes<S>* b) {
    along_(stages_, x, y, a, b, [&](const S* q, const S* p, S* dg, S* drate) {
      const S *u = q + n_, *w = p + n_;
      normal(system, q, p, normal_);
      curvature(system, u);
      for (int k = 0; k < m_; ++k) {
        dg[k] = S(Real<S>(0)), drate[k] = lambda_[k];
        for (int i = 0; i < n_; ++i) {
          dg[k] += normal_.rows()[k * n_ + i] * u[i];
          drate[k] += normal_.raised()[k * n_ + i] * w[i];
        }
      }
    });
  }
  void normal(const Sys& system, const S* q, const S* p, NormalSpace<S>& out) {
    for (int i = 0; i < n_; ++i) q_[i] = q[i], p_[i] = p[i];
    system.velocity(p_, v_);
    system.linearise(q_, p_, g_, jacobian_, unused_);
    for (int k = 0; k < m_; ++k) {
      for (int i = 0; i < n_; ++i) p_[i] = jacobian_(k, i);
      system.velocity(p_, w_);
      S rate(Real<S>(0));
      for (int i = 0; i < n_; ++i) {
        out.slopes[k * n_ + i] = jacobian_(k, i);
        out.slopes[(m_ + k) * n_ + i] = w_[i];
        rate += jacobian_(k, i) * v_[i];
      }
      out.values[k] = g_[k];
      out.values[m_ + k] = rate;
    }
  }

 private:
  /// See scaled_field.hpp. x has c^2 behind q; a has t' behind q'.
  void point(const Sys& system, const S* x, const S* p, S* a, S* b) {
    normal(system, x, p, normal_);
    const bool regular =
        lu_.factor([&](int i, int j) { return i < m_ ? normal_.gram(i, j) : S(Real<S>(1)); }).ok ||
        m_ == 0;
    const Real<S> invalid = std::numeric_limits<double>::quiet_NaN();
    for (int k = 0; k < m_; ++k) lambda_[k] = regular ? normal_.rate()[k] : S(invalid);
    if (m_ > 0) lu_.solve(lambda_);
    for (int i = 0; i < n_; ++i) {
      a[i] = v_[i];
      for (int k = 0; k < m_; ++k) a[i] -= normal_.raised()[k * n_ + i] * lambda_[k];
    }
    system.potential_gradient(q_, slope_);
    curvature(system, a);
    for (int k = 0; k < m_; ++k)
      for (int i = 0; i < n_; ++i) lambda_[k] -= normal_.raised()[k * n_ + i] * slope_[i];
    if (m_ > 0) lu_.solve(lambda_);
    for (int i = 0; i < n_; ++i) {
      p_[i] = -slope_[i];
      for (int k = 0; k < m_; ++k) p_[i] -= normal_.rows()[k * n_ + i] * lambda_[k];
    }
    system.velocity(p_, w_);
    S size = x[n_];
    for (int i = 0; i < n_; ++i) size += p_[i] * w_[i];
    using std::sqrt;
    const S sigma = S(Real<S>(1)) / S(sqrt(S(sqrt(size))));
    for (int i = 0; i < n_; ++i) a[i] = a[i] * sigma, b[i] = p_[i] * sigma;
    a[n_] = sigma;
  }
  /// lambda_ = v.g''.M^-1 p
  void curvature(const Sys& system, const S* v) {
    if (m_ == 0) return;
    const Chunk<K> along{0, 1};
    along.seed_along(
        q_, [&](int, int i) { return v[i]; }, lifted_q_);
    along.seed_along(
        q_, [&](int, int) { return S(Real<S>(0)); }, lifted_p_);
    system.linearise(lifted_q_, lifted_p_, lifted_g_, lifted_jacobian_, lifted_unused_);
    for (int k = 0; k < m_; ++k) {
      lambda_[k] = S(Real<S>(0));
      for (int i = 0; i < n_; ++i) lambda_[k] += lifted_jacobian_(k, i).partials[0] * v_[i];
    }
  }

  using Lifted = Dual<S, K>;
  int n_, m_, stages_;
  StageByStage<S> one_by_one_, along_;
  NormalSpace<S> normal_;
  Vector<S, dynamic> q_, p_, v_, w_, slope_;
  Vector<Lifted, dynamic> lifted_q_, lifted_p_;
  Vector<S, dynamic> g_;
  Vector<Lifted, dynamic> lifted_g_;
  Matrix<S, dynamic> jacobian_, unused_;
  Matrix<Lifted, dynamic> lifted_jacobian_, lifted_unused_;
  Vector<S, dynamic> lambda_;
  DenseLu<S, dynamic> lu_;
  std::vector<double> inverse_mass_;
};

}  // namespace rattleback
