// What the experiments of reproduce.hpp share.
#pragma once

#include "rattleback/integrators/registry.hpp"
#include "rattleback/study/reproduce.hpp"

namespace rattleback::study::papers {

struct Part {
  Experiment experiment;
  void (*make)(Reproduction&);
};
std::vector<Part> hopf_experiments();
std::vector<Part> reich_experiments();
std::vector<Part> seiler_experiments();

/// A system from the text of a model file.
AnySystem system_from(const std::string& text);

/// Every state of a run, as looked at. Throws ModelError where a step fails.
struct Trajectory {
  double step;
  std::vector<State<double>> states;
  double time(std::size_t k) const { return step * static_cast<double>(k); }
};
Trajectory trajectory(const AnySystem& system, const std::string& method,
                      const State<double>& start, double step, long steps);

/// The hidden constraint {g,H} of one constraint.
double hidden_constraint(const AnySystem& system, const State<double>& z);
double constraint(const AnySystem& system, const State<double>& z);

/// "1.23e-05"
std::string short_number(double value);

}  // namespace rattleback::study::papers
