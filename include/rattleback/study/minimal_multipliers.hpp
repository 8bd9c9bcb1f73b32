// Multipliers where constraints are redundant: of all that give the same force, those of least norm
// (Moore-Penrose), for every constraint that was written.
#pragma once

#include "rattleback/problem/any_system.hpp"
#include "rattleback/report/run_sink.hpp"
#include "rattleback/solve/rank_revealing.hpp"

namespace rattleback::study {

/// Passes everything on; dg^T lambda, of the constraints in use, is spread over all of them.
class MinimalMultipliers final : public RunSink {
 public:
  MinimalMultipliers(AnySystem complete, RunSink& sink);

  void add(const Sample& sample) override;
  void checkpoint(const Checkpoint& checkpoint) override { sink_.checkpoint(checkpoint); }
  void finish(const RunFigures& figures) override { sink_.finish(figures); }

 private:
  AnySystem complete_;
  RunSink& sink_;
  RankRevealing solver_;
};

}  // namespace rattleback::study
