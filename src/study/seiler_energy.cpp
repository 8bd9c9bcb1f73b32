// The energy change of one momentum projection  [Seiler 7]: exactly -{g,H}^T (G M^-1 G^T)^-1
// {g,H}/2, and so O(h^(2r+2)) after one step of a method of order r.
#include <cmath>

#include "../integrators/underlying_stepper.hpp"
#include "rattleback/expression/expression_system.hpp"
#include "rattleback/integrators/momentum_projection.hpp"
#include "rattleback/problem/error.hpp"
#include "rattleback/report/series.hpp"
#include "rattleback/text/model.hpp"
#include "seiler_runs.hpp"

namespace rattleback::seiler {

namespace {

constexpr const char* pendulum_model = R"([model]
name = "planar pendulum"
coordinates = ["x", "y"]
mass = [1, 1]
potential = "y"
constraints = ["(x^2 + y^2 - 1)/2"]
)";

/// In quad precision: the change is below 1e-30 at the smallest steps.
struct Change {
  double measured, predicted;
};
Change change_after_a_step(const AnySystem& system, OdeMethod ode, double h) {
  const auto stepper = underlying_stepper<Quad>(
      system, {.formulation = UnderlyingFormulation::classical, .ode = ode}, {});
  State<Quad> z{Vector<Quad, dynamic>(2), Vector<Quad, dynamic>(2)};
  z.q << Quad(6) / 10, Quad(-8) / 10;
  z.p << Quad(16) / 10, Quad(12) / 10;
  if (const Status status = stepper->step(system, z, Quad(h)); !status)
    throw ModelError(std::string(info(ode).name) + " failed");
  const Quad before = system.energy(z.q, z.p);
  const Quad rho = z.q.dot(z.p), r = z.q.dot(z.q);
  MomentumProjection<AnySystem, Quad> projection(system);
  if (const Status status = projection.project(system, z); !status)
    throw ModelError("the momentum could not be projected");
  return {static_cast<double>(Quad(system.energy(z.q, z.p) - before)),
          static_cast<double>(Quad(-rho * rho / r / 2))};
}

}  // namespace

PaperExperiment energy_change() {
  PaperExperiment e{"seiler-energy-change",
                    "energy change of a momentum projection after one step"};
  const AnySystem system = expression_system(parse_model(pendulum_model, "seiler").system);
  e.columns = {"h"};
  std::vector<double> steps;
  double h = 0.04;
  while (h > 0.001) {
    steps.push_back(h), e.rows.push_back({h});
    h /= 1.25;
  }
  double worst = 0;
  for (const OdeMethod method : {OdeMethod::rk4, OdeMethod::dopri5}) {
    const std::string ode(info(method).name);
    const int order = info(method).order;
    std::vector<double> x, y;
    for (std::size_t k = 0; k < steps.size(); ++k) {
      const Change change = change_after_a_step(system, method, steps[k]);
      // Below 1e-22 the difference of two energies has lost its digits, the formula has not.
      if (std::abs(change.measured) > 1e-22)
        worst = std::max(worst, std::abs(change.measured / change.predicted - 1));
      if (steps[k] < 0.006) {
        x.push_back(std::log(steps[k]));
        y.push_back(std::log(std::abs(change.predicted)));
      }
      e.rows[k].push_back(change.predicted);
    }
    const LineFit fit = fit_line(x, y);
    const double wanted = 2 * order + 2;
    e.columns.emplace_back("change, " + ode);
    e.figures.push_back(
        {"order of the change, " + ode + text(", r = %d", order), text("2r + 2 = %.0f", wanted),
         text("%.2f +- %.2f", fit.slope, fit.uncertainty), std::abs(fit.slope - wanted) < 0.3});
  }
  e.figures.push_back({"change over -rho^T R^-1 rho/2, off 1 by", "twice that, of first order",
                       text("%.1e", worst), worst < 1e-9, "the paper's sign and factor are slips"});
  return e;
}

}  // namespace rattleback::seiler
