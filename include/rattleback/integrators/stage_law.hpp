// A base map with a tableau on a natural system, as its stages and its kicks see it.
#pragma once

#include <vector>

#include "rattleback/integrators/base_map.hpp"

namespace rattleback {

/// What a base map does to positions and momenta of a natural system.
template <class R>
struct StageLaw {
  std::vector<R> c, drift, kick;  ///< c_i, B_j, b_j
  Matrix<R, dynamic> bend;        ///< D_ij
  bool direct = true;             ///< one stage, A = 0: it follows from lambda, whatever its force

  explicit StageLaw(int stages) : c(stages), drift(stages), kick(stages), bend(stages, stages) {}
  explicit StageLaw(const Tableau<R>& t) : StageLaw(t.stages()) {
    const int s = t.stages();
    direct = s == 1;
    for (int i = 0; i < s; ++i) {
      kick[i] = t.b[i];
      c[i] = drift[i] = R(0);
      for (int j = 0; j < s; ++j) c[i] += t.a(i, j), drift[i] += t.b[j] * t.a_hat(j, i);
    }
    for (int i = 0; i < s; ++i)
      for (int j = 0; j < s; ++j) {
        R a_ij(0);
        for (int k = 0; k < s; ++k) a_ij += t.a(i, k) * t.a_hat(k, j);
        bend(i, j) = c[i] * drift[j] - a_ij;
        direct = direct && a_ij == R(0);
      }
  }
  int stages() const { return static_cast<int>(c.size()); }
};

/// Whether a base map has such a law.
constexpr bool has_stages(BaseMap base) {
  return base == BaseMap::verlet_b || base == BaseMap::midpoint || base == BaseMap::gauss2 ||
         base == BaseMap::gauss3 || base == BaseMap::theta;
}
template <class R>
StageLaw<R> stage_law(const BaseMapChoice& base) {
  if (base.map != BaseMap::verlet_b) return StageLaw<R>(*detail::stages_of<R>(base));
  StageLaw<R> law(1);  // drift, kick, drift: A = 0
  law.c[0] = law.drift[0] = R(1) / 2;
  law.bend(0, 0) = R(1) / 4;
  law.kick[0] = R(1);
  return law;
}

}  // namespace rattleback
