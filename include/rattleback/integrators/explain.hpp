// Why a step failed, in words: time, residual, condition and likely cause.
#pragma once

#include "rattleback/geometry/point_report.hpp"
#include "rattleback/integrators/failure.hpp"

namespace rattleback {

/// Of a failed step, from the figures at the last good state. Where H turned out to be undefined,
/// that is why, whatever a solver made of it: it gives what is not a number.
Failure explain_failure(const Status& status, const PointReport& at, const std::string& undefined,
                        double step, double time);

/// Why there is no H at z, or where the motion goes from there; empty where there is. Substeps of a
/// composition and iterates of Newton may reach beyond the step.
template <class Sys>
std::string undefined_ahead(const Sys& system, const StateOf<Sys, double>& z, double step) {
  if constexpr (requires { system.undefined_at(z.q, z.p); }) {
    StateOf<Sys, double> at = z, rate = z;
    std::string reason = system.undefined_at(z.q, z.p);
    if (!reason.empty()) return reason;
    system.energy_gradient(z.q, z.p, rate.p, rate.q);
    for (const double part : {0.5, 1.0, 2.0}) {
      at.q = z.q + part * step * rate.q;
      at.p = z.p - part * step * rate.p;
      reason = system.undefined_at(at.q, at.p);
      if (!reason.empty()) return reason;
    }
  }
  return {};
}

template <class Sys, class Point>
Failure explain(const Sys& system, const Status& status, const Point& z, double step, double time) {
  StateOf<Sys, double> point{
      z.q.unaryExpr([](const auto& x) { return static_cast<double>(base(x)); }),
      z.p.unaryExpr([](const auto& x) { return static_cast<double>(base(x)); })};
  return explain_failure(status, report_point(system, point), undefined_ahead(system, point, step),
                         step, time);
}

}  // namespace rattleback
