// The discrete Lagrangian of a quadrature, and its slopes (variational.hpp).
#pragma once

#include <array>
#include <string_view>

#include "rattleback/problem/system.hpp"

namespace rattleback {

enum class Quadrature { trapezoid, midpoint, left, right };

struct QuadratureInfo {
  Quadrature quadrature;
  std::string_view name;
  int nodes;
  std::array<double, 2> node, weight;
  int order;
  bool symmetric;
};
inline constexpr std::array<QuadratureInfo, 4> quadratures{
    {{Quadrature::trapezoid, "trapezoid", 2, {0, 1}, {0.5, 0.5}, 2, true},
     {Quadrature::midpoint, "midpoint", 1, {0.5}, {1}, 2, true},
     {Quadrature::left, "left", 1, {0}, {1}, 1, false},
     {Quadrature::right, "right", 1, {1}, {1}, 1, false}}};

constexpr const QuadratureInfo& info(Quadrature quadrature) {
  return quadratures[static_cast<std::size_t>(quadrature)];
}

namespace detail {

/// Both slopes of L_d, as functions of (q0, v).
template <class Sys, class S>
class DiscreteLagrangian {
 public:
  using Position = PositionOf<Sys, S>;

  DiscreteLagrangian(const Sys& system, Quadrature quadrature)
      : rule_(info(quadrature)),
        x_(system.dimension()),
        l_q_(system.dimension()),
        l_v_(system.dimension()) {}

  // -D1 L_d = sum_k w_k (L_v - (1 - c_k) h L_q)  at (q0 + c_k h v, v)
  //  D2 L_d = sum_k w_k (L_v + c_k h L_q)
  void slopes(const Sys& system, const Position& q0, const Position& v, const Real<S>& h,
              Position& minus_d1, Position& d2) {
    for (int k = 0; k < rule_.nodes; ++k) {
      const Real<S> w(rule_.weight[k]), c(rule_.node[k]), ch = c * h;
      const Real<S> before = w * h * (Real<S>(1) - c), after = w * h * c;
      for (Eigen::Index i = 0; i < x_.size(); ++i) x_[i] = q0[i] + v[i] * ch;
      system.lagrangian_gradient(x_, v, l_q_, l_v_);
      for (Eigen::Index i = 0; i < x_.size(); ++i) {
        const S momentum = l_v_[i] * w;
        const S first = momentum - l_q_[i] * before, second = momentum + l_q_[i] * after;
        minus_d1[i] = k == 0 ? first : S(minus_d1[i] + first);
        d2[i] = k == 0 ? second : S(d2[i] + second);
      }
    }
  }

 private:
  QuadratureInfo rule_;
  Position x_, l_q_, l_v_;
};

}  // namespace detail

}  // namespace rattleback
