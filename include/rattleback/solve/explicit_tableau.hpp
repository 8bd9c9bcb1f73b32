// Explicit Runge-Kutta tableaux:  Z_i = z + h sum_{j<i} a_ij f(Z_j),  z1 = z + h sum_i b_i f(Z_i).
//   rk4     the classical one                                                           order 4
//   dopri5  Dormand and Prince 5(4)                                                     order 5
//   dop853  Dormand and Prince 8(5,3), [Hairer93 II.5, II.10]                           order 8
// The pairs estimate their error: h sum_i e_i f(Z_i) with the slope at z1 as one stage more. Their
// continuous extensions have order 4 and 7.
#pragma once

#include <cstdlib>
#include <string_view>
#include <type_traits>
#include <vector>

namespace rattleback {

template <class R>
struct ExplicitTableau {
  using Row = std::vector<R>;
  int order = 0;
  std::vector<Row> a;      ///< row i has i entries, and those of b are the last
  Row error, rough_error;  ///< e; of dop853 a second one, of order 3
  /// Of the continuous extension: stages after that of z1, and its weights.
  std::vector<Row> dense_a, dense;

  int stages() const { return static_cast<int>(a.size()) - 1; }
  const Row& b() const { return a.back(); }
};

template <class R>
ExplicitTableau<R> rk4_tableau() {
  const R half = R(1) / 2, third = R(1) / 3, sixth = R(1) / 6;
  return {.order = 4, .a = {{}, {half}, {0, half}, {0, 0, 1}, {sixth, third, third, sixth}}};
}

template <class R>
ExplicitTableau<R> dopri5_tableau() {
  const auto r = [](long a, long b) { return R(R(a) / R(b)); };
  return {.order = 5,
          .a = {{},
                {r(1, 5)},
                {r(3, 40), r(9, 40)},
                {r(44, 45), r(-56, 15), r(32, 9)},
                {r(19372, 6561), r(-25360, 2187), r(64448, 6561), r(-212, 729)},
                {r(9017, 3168), r(-355, 33), r(46732, 5247), r(49, 176), r(-5103, 18656)},
                {r(35, 384), 0, r(500, 1113), r(125, 192), r(-2187, 6784), r(11, 84)}},
          .error = {r(71, 57600), 0, r(-71, 16695), r(71, 1920), r(-17253, 339200), r(22, 525),
                    r(-1, 40)},
          .dense = {{r(-12715105075, 11282082432), 0, r(87487479700, 32700410799),
                     r(-10690763975, 1880347072), r(701980252875, 199316789632),
                     r(-1453857185, 822651844), r(69997945, 29380423)}}};
}

/// In the 30 digits that were published.
template <class R>
ExplicitTableau<R> dop853_tableau();

}  // namespace rattleback
