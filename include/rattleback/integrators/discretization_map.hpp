// Discretization maps of one's own  [Barbero24 Sec. 3].
//
// R_d takes (q, v) to two points near q, with R_d(q, 0) = (q, q) and d/dt (R1 - R0)(q, t v) = v at
// t = 0. It is written once, for all scalars:
//
//   struct Map {
//     template <class V>
//     void operator()(const V& q, const V& v, V& first, V& second) const;
//   };
//
// Here are its adjoint, its inverse, its cotangent lift and what it is checked for; the method that
// it makes is in discretization_method.hpp.
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>

#include "rattleback/problem/error.hpp"
#include "rattleback/solve/implicit.hpp"

namespace rattleback {

/// R_d*(q, v) = (R1, R0)(q, -v).
template <class Map>
struct AdjointMap {
  Map map;
  template <class V>
  void operator()(const V& q, const V& v, V& first, V& second) const {
    const V back = -v;
    map(q, back, second, first);
  }
};
template <class Map>
AdjointMap<Map> adjoint(Map map) {
  return {std::move(map)};
}

namespace detail {

/// Column k of R_d' at (q, v), k < 2n: how both points move with q_k, or with v_(k-n).
template <class Map, class V>
class MapSlopes {
 public:
  using R = typename V::Scalar;
  using D = Dual<R, 1>;
  using DV = Vector<D, V::RowsAtCompileTime>;

  explicit MapSlopes(Eigen::Index n) : q_(n), v_(n), first_(n), second_(n) {}

  void column(const Map& map, const V& q, const V& v, Eigen::Index k) {
    for (Eigen::Index i = 0; i < q.size(); ++i) q_[i] = D(q[i]), v_[i] = D(v[i]);
    (k < q.size() ? q_[k] : v_[k - q.size()]).partials[0] = R(1);
    map(q_, v_, first_, second_);
  }
  const R& first(Eigen::Index i) const { return first_[i].partials[0]; }
  const R& second(Eigen::Index i) const { return second_[i].partials[0]; }

 private:
  DV q_, v_, first_, second_;
};

}  // namespace detail

/// How far a map is from a discretization map at a point, and from its own adjoint.
struct MapDefects {
  double at_rest = 0;    ///< |R_d(q, 0) - (q, q)|
  double slope = 0;      ///< |d(R1 - R0)/dv - 1| at v = 0
  double asymmetry = 0;  ///< |R_d - R_d*| at (q, v)
};
template <class Map, int N>
MapDefects check_map(const Map& map, const Vector<double, N>& q, const Vector<double, N>& v) {
  using V = Vector<double, N>;
  const Eigen::Index n = q.size();
  V first(n), second(n), other_first(n), other_second(n), none = V::Zero(n);
  MapDefects defects;
  map(q, none, first, second);
  defects.at_rest = std::max((first - q).cwiseAbs().maxCoeff(), (second - q).cwiseAbs().maxCoeff());
  detail::MapSlopes<Map, V> slopes(n);
  for (Eigen::Index k = 0; k < n; ++k) {
    slopes.column(map, q, none, n + k);
    for (Eigen::Index i = 0; i < n; ++i)
      defects.slope = std::max(defects.slope,
                               std::abs(slopes.second(i) - slopes.first(i) - (i == k ? 1.0 : 0.0)));
  }
  map(q, v, first, second);
  adjoint(map)(q, v, other_first, other_second);
  defects.asymmetry = std::max((first - other_first).cwiseAbs().maxCoeff(),
                               (second - other_second).cwiseAbs().maxCoeff());
  return defects;
}

/// (q, v) with R_d(q, v) = (q0, q1), by Newton from the middle.
template <class Map, int N>
Status invert(const Map& map, const Vector<double, N>& q0, const Vector<double, N>& q1,
              Vector<double, N>& q, Vector<double, N>& v) {
  const auto n = static_cast<int>(q0.size());
  Implicit<double, dynamic> solver(2 * n);
  Vector<double, dynamic> x(2 * n);
  x << (q0 + q1) / 2, q1 - q0;
  const double size = std::max({1e-300, q0.cwiseAbs().maxCoeff(), q1.cwiseAbs().maxCoeff()});
  const Status status =
      solver.solve(x, 2 * epsilon<double> * size, [&](auto on, const auto& y, auto& r) -> Status {
        using R = std::decay_t<decltype(y[0])>;
        using W = Vector<R, N>;
        const W at = y.head(n), along = y.tail(n);
        W first(n), second(n);
        map(at, along, first, second);
        for (int i = 0; i < n; ++i) r[i] = first[i] - on(q0[i]), r[n + i] = second[i] - on(q1[i]);
        return {};
      });
  q = x.head(n), v = x.tail(n);
  return status;
}

/// (q0, p0), (q1, p1) from (q, v) and the covector (p_q, p_v) there: A^T (-p0, p1) = (p_q, p_v).
template <class Map, int N>
std::pair<State<double, N>, State<double, N>> cotangent_lift(const Map& map,
                                                             const Vector<double, N>& q,
                                                             const Vector<double, N>& v,
                                                             const Vector<double, N>& p_q,
                                                             const Vector<double, N>& p_v) {
  const Eigen::Index n = q.size();
  Matrix<double, dynamic> transposed(2 * n, 2 * n);
  Vector<double, dynamic> covector(2 * n);
  detail::MapSlopes<Map, Vector<double, N>> slopes(n);
  for (Eigen::Index k = 0; k < 2 * n; ++k) {
    slopes.column(map, q, v, k);
    for (Eigen::Index i = 0; i < n; ++i)
      transposed(k, i) = slopes.first(i), transposed(k, n + i) = slopes.second(i);
  }
  covector << p_q, p_v;
  DenseLu<double> lu(static_cast<int>(2 * n));
  if (!lu.factor([&](int i, int j) { return transposed(i, j); }).ok)
    throw ModelError("the discretization map is singular there");
  lu.solve(covector);
  std::pair<State<double, N>, State<double, N>> ends;
  ends.first.q.resize(n), ends.second.q.resize(n);
  map(q, v, ends.first.q, ends.second.q);
  ends.first.p = -covector.head(n), ends.second.p = covector.tail(n);
  return ends;
}

}  // namespace rattleback
