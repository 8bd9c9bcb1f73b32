#include <cmath>

#include "contest.hpp"
#include "rattleback/multibody/mechanism_motion.hpp"
#include "rattleback/study/job.hpp"

namespace rattleback::study {

namespace {

class MechanismContest final : public Contest {
 public:
  explicit MechanismContest(const ModelFile& file) : file_(file), mechanism_(starting(file)) {}

  std::string model() const override { return mechanism_->name; }
  Method choose(const std::string& specification, std::vector<std::string>& notes) const override {
    const Plan plan = mechanism_plan(file_, {.method = specification});
    notes.insert(notes.end(), plan.notes.begin(), plan.notes.end());
    return *plan.method;
  }
  Plan plan(const Method& method) const override {
    return mechanism_plan(file_, {.method = method.info().name});
  }
  AnyMotionPointer motion(const Method& method) const override {
    return mechanism_motion(*mechanism_, method, {.tolerance = file_.run.tolerance.value_or(0)});
  }
  /// The standard method, composed to the highest order.
  Method reference() const override {
    const Family& plain = mechanism_families().front();
    Method best = find_mechanism_method(plain.name);
    for (const OptionValue& scheme : plain.find("compose")->samples) {
      const Method composed(plain, plain.values({{"compose", scheme}}));
      if (composed.info().order > best.info().order) best = composed;
    }
    return best;
  }
  /// The equations of the joints once in every iteration, and at the end of every substep for the
  /// next one; forces there only.
  Evaluations evaluations(const Method& method, double, long steps,
                          const FinishedRun& run) const override {
    const double parts = substep_count(method), count = static_cast<double>(steps);
    return {std::lround(count * parts) + 1, 0, std::lround(count * (run.newton_mean + parts)) + 1};
  }

 private:
  const ModelFile& file_;
  std::shared_ptr<const Mechanism> mechanism_;
};

}  // namespace

Comparison compare_mechanism(const ModelFile& file, const ComparisonWishes& wishes,
                             const ComparisonWatch& watch) {
  return compare(MechanismContest(file), wishes, watch);
}

}  // namespace rattleback::study
