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
  MultiplierPredictor& operator=(const MultiplierPredictor& o) {
    for (int k = 0; k < 3; ++k) copy(o.rate_[k], rate_[k]);
    known_ = o.known_;
    return *this;
  }
  void reset() {
    for (auto& r : rate_) r.setConstant(S(0));
    known_ = 0;
  }
  void predict(const Real<S>& h, Multiplier& lambda) const {
    // Coefficients of constant, linear and quadratic extrapolation.
    const double a = known_ >= 3 ? 3 : known_ == 2 ? 2 : 1;
    const double b = known_ >= 3 ? -3 : known_ == 2 ? -1 : 0;
    const double c = known_ >= 3 ? 1 : 0;
    for (Eigen::Index i = 0; i < lambda.size(); ++i)
      lambda[i] = (rate_[0][i] * a + rate_[1][i] * b + rate_[2][i] * c) * h;
  }
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
