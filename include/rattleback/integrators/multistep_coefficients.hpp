// Coefficients of the explicit symmetric multistep methods (multistep.hpp), computed, not
// tabulated.
//
//   rho(z) = (z - 1)^2 gamma(z),   gamma(z) = prod_j (z^2 + 2 a_j z + 1),   k = 2 + 2 #a
//   sigma(z) = rho(z)/log(z)^2 + O((z - 1)^k),   deg sigma = k - 1:        order k
//
// The a_j are multiples of 1/16, so that gamma is exact in double: rounding neither moves the
// double root at 1 nor the others off the unit circle. How they were chosen:
// docs/notes/multistep.md.
#pragma once

#include <array>
#include <vector>

namespace rattleback {

/// For differences u_j = q_{j+1} - 2 q_j + q_{j-1} and what drives them, w_j = h^2 q''(t_j):
///   u_n = sum_i drive[i] w_{n-i} - sum_i inertia[i] u_{n-1-i}
/// Lower orders are filled up with zeros: all have the same loops.
template <class R>
struct MultistepCoefficients {
  static constexpr int memory = 6;  ///< of order 8: differences that a step goes on from
  static constexpr int modes = memory / 2;
  int order;
  std::array<R, memory> inertia;
  std::array<R, memory + 1> drive;
  /// h q'(t_n) = sum_i slope[i] (d_{n+i} + d_{n-1-i}),  d_j = q_{j+1} - q_j, to the same order.
  std::array<R, 4> slope;
  /// (f(h) - f(-h), f(2h) - f(-2h), ...) to h f'(0), to the same order.
  std::array<R, 4> derivative;
  /// Lambda_n from Lambda_{n-1}, ...: extrapolation over as many as there are at the start.
  std::array<R, memory + 1> ahead;
  /// sigma(z)/(z gamma(z)) = drive[0] + sum_j weight[j]/(z + turn[j] + 1/z): the same recurrence,
  /// each pair of roots by itself,
  ///   u_n = drive[0] w_n + sum_j weight[j] y^j_n,   y^j_{n+1} = w_n - turn[j] y^j_n - y^j_{n-1}
  std::array<R, modes> turn, weight;
  /// y^j_n and y^j_{n-1} from u_{n-1}, u_{n-2}, ..., w_{n-1}, w_{n-2}, ...
  struct FromPast {
    std::array<R, memory> u, w;
  };
  std::array<FromPast, modes> now, before;
};

/// R is double or Quad; order 4, 6 or 8.
template <class R>
const MultistepCoefficients<R>& multistep_coefficients(int order);

/// The polynomial through w at nodes -half..half, summed up from 0 to node j, once and twice:
///   h v_j = h v_0 + sum_i once(j, i) w_i,   q_j = q_0 + j h v_0 + sum_i twice(j, i) w_i
template <class R>
struct StartWeights {
  static constexpr int most = 9;  ///< nodes, of order 8
  int half;
  std::array<std::array<R, most>, most> once, twice;  ///< [j + half][i + half]
};
template <class R>
const StartWeights<R>& start_weights(int order);

/// The composition of RATTLE that the start is made with: of that order at least.
template <class R>
std::vector<R> starting_substeps(int order);

}  // namespace rattleback
