// What a comparison asks of the problem that methods compete on: a system in phase space, or a
// mechanism.
#pragma once

#include "rattleback/study/compare.hpp"
#include "rattleback/study/plan.hpp"

namespace rattleback::study {

class Contest {
 public:
  virtual ~Contest() = default;
  virtual std::string model() const = 0;
  virtual std::vector<std::string> notes() const { return {}; }
  /// Throws InputError for an unknown method and ModelError for one that does not apply.
  virtual Method choose(const std::string& specification,
                        std::vector<std::string>& notes) const = 0;
  virtual Plan plan(const Method& method) const = 0;
  virtual AnyMotionPointer motion(const Method& method) const = 0;
  /// Of the highest order.
  virtual Method reference() const = 0;
  /// What such a run cost, in steps of this size.
  virtual Evaluations evaluations(const Method& method, double step, long steps,
                                  const FinishedRun& run) const = 0;
  /// What the method claims of the end of a run.
  virtual AnyMotion::Point claimed(const Method&, const FinishedRun& run) const {
    return run.final;
  }
  /// What users should know of how it is compared.
  virtual std::string note_on(const Method&) const { return {}; }
};

Comparison compare(const Contest& contest, const ComparisonWishes& wishes,
                   const ComparisonWatch& watch);

}  // namespace rattleback::study
