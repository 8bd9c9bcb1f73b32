// First guess of the multipliers: quadratic extrapolation of lambda/h over the last three steps.
#pragma once

#include <utility>

#include "rattleback/problem/vector_ops.hpp"

namespace rattleback {

template <class Multiplier>
class MultiplierPredictor {
 public:
  using S = typename Multiplier::Scalar;

  explicit MultiplierPredictor(Eigen::Index count)
      : rate_{Multiplier(count), Multiplier(count), Multiplier(count)} {
    reset();
  }
  MultiplierPredictor(const MultiplierPredictor&) = default;
  MultiplierPredictor(MultiplierPredictor&&) noexcept = default;
  MultiplierPredictor& operator=(const MultiplierPredictor& o) {
    for (int k = 0; k < 3; ++k) copy(o.rate_[k], rate_[k]);
    known_ = o.known_;
    return *this;
  }
  MultiplierPredictor& operator=(MultiplierPredictor&&) noexcept = default;
  void reset() {
    for (auto& r : rate_) r.setConstant(S(0));
    known_ = 0;
  }
  /// Order 3 uses all that is known; 1 repeats the last step; 0 starts from nothing.
  void predict(const Real<S>& h, Multiplier& lambda, int order = 3) const {
    // Coefficients of constant, linear and quadratic extrapolation.
    const int known = known_ < order ? known_ : order;
    const double a = known >= 3 ? 3 : known;
    const double b = known >= 3 ? -3 : known == 2 ? -1 : 0;
    const double c = known >= 3 ? 1 : 0;
    for (Eigen::Index i = 0; i < lambda.size(); ++i)
      lambda[i] = (rate_[0][i] * a + rate_[1][i] * b + rate_[2][i] * c) * h;
  }
  int known() const { return known_; }
  void record(const Real<S>& h, const Multiplier& lambda) {
    if constexpr (Multiplier::SizeAtCompileTime == dynamic) {
      rate_[2].swap(rate_[1]);
      rate_[1].swap(rate_[0]);
    } else {
      for (Eigen::Index i = 0; i < lambda.size(); ++i) {
        rate_[2][i] = rate_[1][i];
        rate_[1][i] = rate_[0][i];
      }
    }
    const Real<S> inverse_h = Real<S>(1) / h;
    for (Eigen::Index i = 0; i < lambda.size(); ++i) rate_[0][i] = lambda[i] * inverse_h;
    if (known_ < 3) ++known_;
  }

 private:
  Multiplier rate_[3];
  int known_ = 0;
};

}  // namespace rattleback
