// The planar pendulum of [Seiler 8] again: projections, errors and their growth, spectra, orbital
// stability, impetuses. H = |p|^2/2 + y, g = (x^2 + y^2 - 1)/2, from (1, 0, 0, -2), the classical
// Runge-Kutta method with h = 0.025 up to t = 1023.
#pragma once

#include <span>

#include "rattleback/integrators/method_info.hpp"
#include "rattleback/problem/any_system.hpp"
#include "rattleback/study/paper_experiment.hpp"

namespace rattleback::seiler {

struct Setting {
  std::string method;  ///< "formulation=classical,project=momentum,threshold=1e-6"
  State<double> start;
  double step = 0.025, time = 1023;
  bool modified = false;  ///< H = (x^2 + y^2)|p|^2/2 + y  [Seiler (52)]
};
/// q = (1, 0), p = (0, -2); and as perturbed there, (1.1, 0.1, 0.1, -1.9).
State<double> exact_start();
State<double> perturbed_start();

/// Residuals and errors after every step, states at whole times.
struct Record {
  std::vector<double> time, error, energy_error, g, rho, impetus;
  std::vector<State<double>> states;  ///< as shown, at t = 0, 1, 2, ...
  Projections projections;
  double seconds = 0;
};
/// error is the 2-norm of all components against the quadrature; none for starts off the manifold.
/// impetus is |p| as it is carried.
Record run(const Setting& setting);

PaperExperiment projections();    ///< seiler-projections
PaperExperiment errors();         ///< seiler-errors
PaperExperiment spectra();        ///< seiler-periodogram
PaperExperiment stability();      ///< seiler-stability
PaperExperiment impetus();        ///< seiler-impetus
PaperExperiment energy_change();  ///< seiler-energy-change

struct Entry {
  const char* id;
  const char* title;
  PaperExperiment (*run)();
};
std::span<const Entry> experiments();

}  // namespace rattleback::seiler
