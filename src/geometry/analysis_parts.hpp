// The measurements and hints that an analysis is made of.
#pragma once

#include "constraint_set.hpp"
#include "rattleback/geometry/analysis.hpp"

namespace rattleback::detail {

void measure_coisotropy(Analysis& a, double tolerance);
void measure_nondegeneracy(Analysis& a, double tolerance);
void check_start(Analysis& a, const State<double>& start, double tolerance);
void give_hints(Analysis& a, const State<double>* start, const DiracOptions& options);

inline Point point_of(const State<double>& z) {
  Point x(z.q.size() + z.p.size());
  for (Eigen::Index i = 0; i < z.q.size(); ++i) x[i] = z.q[i], x[z.q.size() + i] = z.p[i];
  return x;
}
/// The kept primaries' expressions.
inline std::vector<Expression> kept_primaries(const Analysis& a) {
  std::vector<Expression> g;
  g.reserve(a.chain.kept.size());
  for (const int i : a.chain.kept) g.push_back(a.form.system.constraints[i]);
  return g;
}

}  // namespace rattleback::detail
