#include "rattleback/study/observables.hpp"

#include <algorithm>
#include <utility>

#include "rattleback/integrators/phase_space_motion.hpp"
#include "rattleback/problem/error.hpp"

namespace rattleback::study {

void ObservedFigures::add(double value) {
  if (states == 0) initial = min = max = value;
  final = value;
  min = value < min ? value : min;
  max = value > max ? value : max;
  ++states;
  mean += (value - mean) / static_cast<double>(states);
}

Observables::Observables(const Problem& problem, const Plan& plan)
    : system_(problem.system), step_(plan.step), count_(problem.file.observables.size()) {
  constexpr int most = 300;  // full matrices, for every stored state
  const int n = system_.dimension(), modified = 3 * n + 2;
  const Graph& graph = *problem.file.system.graph;
  std::vector<Program::Output> outputs;
  for (const auto& [name, value] : problem.file.observables) {
    outputs.push_back({0, static_cast<int>(outputs.size()), value});
    for (const int input : graph.inputs_of(value)) {
      uses_velocities_ = uses_velocities_ || (input >= 2 * n && input < 3 * n);
      if (input != modified || modified_) continue;
      modified_ = splitting_errors(*plan.method);
      if (!modified_)
        throw InputError("energy.modified", "is not known of " + plan.method->info().name +
                                                "; it is of splitting, and of rattle over verlet, "
                                                "verlet-b, euler-a and euler-b, also composed");
      if (system_.constraint_count() > most)
        throw InputError("energy.modified", "is for up to " + std::to_string(most) +
                                                " constraints, and there are " +
                                                std::to_string(system_.constraint_count()));
    }
  }
  inputs_.resize(modified + 1);
  program_ = Program(graph, modified + 1, outputs);
}

std::optional<Field> Observables::field(const ModelFile& file) {
  if (file.observables.empty()) return std::nullopt;
  Field field{"observables", {}};
  for (const auto& observable : file.observables) field.labels.push_back(observable.name);
  return field;
}

void Observables::evaluate(const Sample& sample, std::vector<double>& values) {
  const auto n = static_cast<std::size_t>(system_.dimension());
  std::copy_n(sample.values.begin(), 2 * n, inputs_.begin());
  const State<double> z = phase_point(sample.values.first(2 * n));
  if (uses_velocities_) {
    Vector<double, dynamic> h_q(z.q.size()), h_p(z.q.size());
    system_.energy_gradient(z.q, z.p, h_q, h_p);
    std::copy(h_p.begin(), h_p.end(), inputs_.begin() + 2 * n);
  }
  inputs_[3 * n] = sample.t;
  inputs_[3 * n + 1] = sample.energy;
  if (modified_) inputs_[3 * n + 2] = modified_energy(system_, z, step_, *modified_);
  values.resize(count_);
  program_.run(inputs_.data(), inputs_.data(), values.data(), values.data());
}

ObservingSink::ObservingSink(const Problem& problem, const Plan& plan, RunSink& sink, Record also,
                             std::vector<ObservedFigures> before)
    : observables_(problem, plan),
      sink_(sink),
      also_(std::move(also)),
      figures_(std::move(before)) {
  if (!figures_.empty()) return;
  for (const auto& observable : problem.file.observables)
    figures_.push_back({.name = observable.name});
}

void ObservingSink::add(const Sample& sample) {
  observables_.evaluate(sample, values_);
  for (std::size_t i = 0; i < values_.size(); ++i) figures_[i].add(values_[i]);
  row_.assign(sample.values.begin(), sample.values.end());
  row_.insert(row_.end(), values_.begin(), values_.end());
  Sample whole = sample;
  whole.values = row_;
  sink_.add(whole);
  if (also_) also_(whole);
}

}  // namespace rattleback::study
