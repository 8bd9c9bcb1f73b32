// What a model file asks to be told of every stored state, [observe]: evaluated as rows go by,
// stored with them, and summed up.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "rattleback/expression/program.hpp"
#include "rattleback/integrators/modified_energy.hpp"
#include "rattleback/report/run_sink.hpp"
#include "rattleback/study/plan.hpp"

namespace rattleback::study {

/// Over the stored states.
struct ObservedFigures {
  std::string name;
  double initial = 0, final = 0, min = 0, max = 0, mean = 0;
  long states = 0;

  void add(double value);
};

class Observables {
 public:
  /// Throws InputError where energy.modified is asked for and not known of the method, ModelError
  /// where it is not known of the system.
  Observables(const Problem& problem, const Plan& plan);

  /// The field that follows those of the motion; nothing where nothing is observed.
  static std::optional<Field> field(const ModelFile& file);
  void evaluate(const Sample& sample, std::vector<double>& values);

 private:
  AnySystem system_;
  double step_;
  Program program_;
  std::size_t count_;
  bool uses_velocities_ = false;
  std::optional<SplittingErrors> modified_;
  std::vector<double> inputs_;  // q, p, v, t, H, H~
};

/// Passes rows on with the observables behind the state. `also` gets them too.
class ObservingSink final : public RunSink {
 public:
  using Record = std::function<void(const Sample&)>;
  /// `before`: figures of rows that are stored already, or none.
  ObservingSink(const Problem& problem, const Plan& plan, RunSink& sink, Record also,
                std::vector<ObservedFigures> before);

  void add(const Sample& sample) override;
  void checkpoint(const Checkpoint& checkpoint) override { sink_.checkpoint(checkpoint); }
  void finish(const RunFigures& figures) override { sink_.finish(figures); }
  const std::vector<ObservedFigures>& figures() const { return figures_; }

 private:
  Observables observables_;
  RunSink& sink_;
  Record also_;
  std::vector<ObservedFigures> figures_;
  std::vector<double> values_, row_;
};

}  // namespace rattleback::study
