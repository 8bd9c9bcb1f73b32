// Why a step failed, in words: time, residual, condition and likely cause.
#pragma once

#include "rattleback/geometry/point_report.hpp"
#include "rattleback/integrators/failure.hpp"

namespace rattleback {

/// Of a failed step, from the figures at the last good state.
Failure explain_failure(const Status& status, const PointReport& at, double step, double time);

template <class Sys, class Point>
Failure explain(const Sys& system, const Status& status, const Point& z, double step, double time) {
  StateOf<Sys, double> point{
      z.q.unaryExpr([](const auto& x) { return static_cast<double>(base(x)); }),
      z.p.unaryExpr([](const auto& x) { return static_cast<double>(base(x)); })};
  return explain_failure(status, report_point(system, point), step, time);
}

}  // namespace rattleback
