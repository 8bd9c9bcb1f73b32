#include "rattleback/study/seiler.hpp"

#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <optional>

#include "rattleback/expression/expression_system.hpp"
#include "rattleback/geometry/residuals.hpp"
#include "rattleback/integrators/registry.hpp"
#include "rattleback/problem/error.hpp"
#include "rattleback/report/series.hpp"
#include "rattleback/study/pendulum_reference.hpp"
#include "rattleback/text/model.hpp"
#include "seiler_runs.hpp"

namespace rattleback::seiler {

namespace {

State<double> state(double x, double y, double p_x, double p_y) {
  State<double> z{Vector<double, dynamic>(2), Vector<double, dynamic>(2)};
  z.q << x, y;
  z.p << p_x, p_y;
  return z;
}

AnySystem pendulum(bool modified) {
  const std::string kinetic = modified ? "(x^2 + y^2)*(p_x^2 + p_y^2)/2" : "(p_x^2 + p_y^2)/2";
  const std::string model = R"([model]
name = "planar pendulum"
coordinates = ["x", "y"]
hamiltonian = ")" + kinetic +
                            R"( + y"
constraints = ["(x^2 + y^2 - 1)/2"]
)";
  return expression_system(parse_model(model, "seiler").system);
}

double distance(const State<double>& a, const State<double>& b) {
  return std::sqrt((a.q - b.q).squaredNorm() + (a.p - b.p).squaredNorm());
}

bool on_manifold(const State<double>& z) {
  return std::abs(z.q.squaredNorm() - 1) < 1e-12 && std::abs(z.q.dot(z.p)) < 1e-12;
}

}  // namespace

State<double> exact_start() { return state(1, 0, 0, -2); }
State<double> perturbed_start() { return state(1.1, 0.1, 0.1, -1.9); }

std::string text(const char* format, ...) {
  char buffer[256];
  va_list values;
  va_start(values, format);
  std::vsnprintf(buffer, sizeof buffer, format, values);
  va_end(values);
  return buffer;
}

Record run(const Setting& setting) {
  const AnySystem system = pendulum(setting.modified);
  const auto stepper = find_method("underlying:" + setting.method).stepper<double>(system);
  State<double> z = setting.start, shown = z;
  const long steps = std::lround(setting.time / setting.step);
  const long whole = std::lround(1 / setting.step);
  std::optional<PendulumReference> truth;
  if (on_manifold(z)) truth.emplace(z);
  Residuals<AnySystem, double> residuals(system);
  Record record;
  record.states.push_back(z);
  const double energy = system.energy(z.q, z.p);
  for (long k = 1; k <= steps; ++k) {
    if (const Status status = stepper->step(system, z, setting.step); !status)
      throw ModelError("underlying:" + setting.method + " failed in step " + std::to_string(k));
    shown = z;
    if (const Status status = stepper->present(system, shown); !status)
      throw ModelError("the state after step " + std::to_string(k) + " cannot be shown");
    const double time = static_cast<double>(k) * setting.step;
    residuals.evaluate(system, shown);
    record.time.push_back(time);
    record.g.push_back(std::abs(residuals.primary(0)));
    record.rho.push_back(std::abs(residuals.hidden(0)));
    record.energy_error.push_back(std::abs(system.energy(shown.q, shown.p) - energy));
    record.impetus.push_back(z.p.norm());
    record.error.push_back(truth ? distance(shown, truth->at(time)) : 0);
    if (k % whole == 0) record.states.push_back(shown);
  }
  record.projections = stepper->projections(steps, steps);
  return record;
}

std::span<const Entry> experiments() {
  static const Entry all[] = {
      {"seiler-projections", "projections of positions and of momenta, counted", projections},
      {"seiler-errors", "errors and residuals, and how fast they grow", errors},
      {"seiler-periodogram", "periodogram of the motion", spectra},
      {"seiler-stability", "orbital stability from perturbed data", stability},
      {"seiler-impetus", "growth of the impetus, and its cure", impetus},
      {"seiler-energy-change", "energy change of a momentum projection", energy_change}};
  return all;
}

}  // namespace rattleback::seiler
