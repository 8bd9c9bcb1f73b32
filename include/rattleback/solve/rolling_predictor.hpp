// First guess of the multipliers: quadratic extrapolation of lambda/h over the last three steps, in
// place. The history is the last values themselves: while h stays the same nothing is scaled, and a
// step reads and writes every value once.
#pragma once

#include "rattleback/problem/vector_ops.hpp"

namespace rattleback {

template <class Multiplier>
class RollingPredictor {
 public:
  using S = typename Multiplier::Scalar;

  explicit RollingPredictor(Eigen::Index count) : last_(count), before_(count) {}
  RollingPredictor(const RollingPredictor&) = default;
  RollingPredictor(RollingPredictor&&) noexcept = default;
  RATTLEBACK_INLINE RollingPredictor& operator=(const RollingPredictor& o) {
    copy(o.last_, last_), copy(o.before_, before_);
    h_ = o.h_, known_ = o.known_;
    return *this;
  }
  RollingPredictor& operator=(RollingPredictor&&) noexcept = default;
  void reset() { known_ = 0; }

  /// lambda, of the last step recorded, becomes the guess for the next.
  RATTLEBACK_INLINE void predict(const Real<S>& h, Multiplier& lambda, const Multiplier&, bool) {
    if (h != h_) [[unlikely]]
      rescale(h, lambda);
    if (known_ >= 3) [[likely]]
      extrapolate(Real<S>(3), Real<S>(-3), Real<S>(1), lambda);
    else if (known_ == 2)
      extrapolate(Real<S>(2), Real<S>(-1), Real<S>(0), lambda);
    else if (known_ == 1)
      extrapolate(Real<S>(1), Real<S>(0), Real<S>(0), lambda);
    else
      for (Eigen::Index i = 0; i < lambda.size(); ++i) lambda[i] = last_[i] = before_[i] = S(0);
  }
  RATTLEBACK_INLINE void record(const Real<S>&, const Multiplier&) {
    if (known_ < 3) ++known_;
  }

 private:
  /// The newest value enters last: the step waits for it.
  RATTLEBACK_INLINE void extrapolate(const Real<S>& a, const Real<S>& b, const Real<S>& c,
                                     Multiplier& lambda) {
    const Eigen::Index n = lambda.size();
    if constexpr (Multiplier::SizeAtCompileTime == dynamic) {
      const S* __restrict newest = lambda.data();
      const S* __restrict last = last_.data();
      S* __restrict guess = before_.data();
      for (Eigen::Index i = 0; i < n; ++i) guess[i] = (last[i] * b + guess[i] * c) + newest[i] * a;
      last_.swap(before_);
      lambda.swap(last_);
    } else {
      for (Eigen::Index i = 0; i < n; ++i) {
        const S guess = (last_[i] * b + before_[i] * c) + lambda[i] * a;
        before_[i] = last_[i], last_[i] = lambda[i], lambda[i] = guess;
      }
    }
  }
  /// lambda is proportional to h: all that is known becomes what it would be for this h.
  RATTLEBACK_INLINE void rescale(const Real<S>& h, Multiplier& lambda) {
    if (known_ > 0) {
      const Real<S> ratio = h / h_;
      scale(ratio, lambda), scale(ratio, last_), scale(ratio, before_);
    }
    h_ = h;
  }

  Multiplier last_, before_;
  Real<S> h_{0};
  int known_ = 0;
};

/// For many multipliers in steps that end with a projection: its mu tells the multipliers at the
/// present time, so that only the offset of lambda from the mu before it is extrapolated, linearly.
/// On a chain of 10 to 10^5 links this needs fewer iterations than quadratic extrapolation of
/// lambda (2.36 / 1.30 / 0.48 / 0.03 against 2.45 / 1.40 / 0.75 / 0.62 for N = 10 / 10^3 / 10^4 /
/// 10^5), because it amplifies round-off less. Without projections it is RollingPredictor.
template <class Multiplier>
class ProjectedPredictor {
 public:
  using S = typename Multiplier::Scalar;

  explicit ProjectedPredictor(Eigen::Index count) : rolling_(count), base_(count), offset_(count) {}
  void reset() {
    rolling_.reset();
    known_ = 0;
  }
  /// lambda and mu, of the last step recorded, become the guess and room for something else.
  void predict(const Real<S>& h, Multiplier& lambda, Multiplier& mu, bool projected) {
    if (!projected || known_ == 0) {
      rolling_.predict(h, lambda, mu, projected);
      return;
    }
    const Real<S> a = h / h_, b = known_ > 2 ? Real<S>(h / h_last_) : Real<S>(0);
    const Real<S> twice = known_ > 2 ? 2 * a : known_ == 2 ? a : Real<S>(0);
    const S* __restrict m = mu.data();
    const S* __restrict m0 = base_.data();
    S* __restrict d = offset_.data();
    S* __restrict l = lambda.data();
    const Eigen::Index n = lambda.size();
    if (n > many) {
      const Real<S> once = known_ > 1 ? a : Real<S>(0);
      for (Eigen::Index i = 0; i < n; ++i) l[i] = m[i] * a + (l[i] - m0[i]) * once;
      base_.swap(mu);
      return;
    }
    for (Eigen::Index i = 0; i < n; ++i) {
      const S offset = l[i] - m0[i];
      l[i] = m[i] * a + offset * twice - d[i] * b;
      d[i] = offset;
    }
    base_.swap(mu);
  }
  void record(const Real<S>& h, const Multiplier& lambda) {
    rolling_.record(h, lambda);
    h_last_ = h_, h_ = h;
    if (known_ == 0) base_.setConstant(S(0)), offset_.setConstant(S(0));
    if (known_ < 3) ++known_;
  }

 private:
  static constexpr Eigen::Index many = 5000;  // the offset is then kept as it is
  RollingPredictor<Multiplier> rolling_;
  Multiplier base_, offset_;
  Real<S> h_{1}, h_last_{1};
  int known_ = 0;
};

}  // namespace rattleback
