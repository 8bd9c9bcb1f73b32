// sundman against Odeint's adaptive 7(8) with projection, at equal error: both sides run with a
// step, or tolerance, that keeps below the error wanted with the next smaller ones, too. Of these
// Odeint takes the largest, and sundman the one with the fewest iterations: close to where they no
// longer converge, steps take more than they save. Its stages are solved to eleven digits below
// that error, as by `accuracy`, or to round-off.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "adaptive_problems.hpp"
#include "baseline/odeint_adaptive.hpp"
#include "figures.hpp"
#include "rattleback/geometry/consistent.hpp"
#include "text_run.hpp"

namespace {

namespace rb = rattleback;

double difference(const rb::State<double>& a, const rb::State<double>& b) {
  return std::max((a.q - b.q).cwiseAbs().maxCoeff(), (a.p - b.p).cwiseAbs().maxCoeff());
}

/// Both sides of a problem up to a time, and the solution there.
template <class P>
class Contest {
 public:
  explicit Contest(double time)
      : time_(time), run_(P::text(), "sundman"), start_(rb::consistent(run_.system, run_.z)) {}

  rb::State<double> ours(double h, double stages = 0) const {
    const auto stepper = method_.stepper<double>(run_.system, {.tolerance = stages});
    stepper->clock()->end = time_;
    rb::State<double> z = start_;
    const rb::Advance done = stepper->advance(run_.system, z, h, 1L << 40);
    if (!done.status) z.q.setConstant(std::nan(""));
    iterations_ = done.newton, steps_ = done.steps;
    return z;
  }
  rb::State<double> peer(double tolerance) const {
    typename bench::OdeintAdaptive<P>::State y;
    std::copy(start_.q.begin(), start_.q.end(), y.begin());
    std::copy(start_.p.begin(), start_.p.end(), y.begin() + P::N);
    bench::OdeintAdaptive<P>(tolerance).run(y, time_);
    using Half = Eigen::Map<const rb::Vector<double, rb::dynamic>>;
    return {Half(y.data(), P::N), Half(y.data() + P::N, P::N)};
  }
  struct Sides {
    double accuracy, step, stages, tolerance;
  };
  /// Of all accuracies at once, each begun where the one before was found, from the loosest on;
  /// when first asked for, so that a run of one figure does not pay for the other problems.
  const Sides& sides(double accuracy) {
    if (found_.empty()) {
      find_truth();
      double step = P::step, tolerance = 0.1;
      for (const double a : accuracies(time_)) {
        step = largest(step, 1.06, a, [&](double x) { return ours(x); });
        tolerance = largest(tolerance, 1.5, a, [&](double x) { return peer(x); });
        found_.push_back(with_fewest_iterations(step, a));
        found_.back().tolerance = tolerance;
      }
    }
    return *std::find_if(found_.begin(), found_.end(),
                         [&](const Sides& s) { return s.accuracy == accuracy; });
  }
  /// So many steps there and back.
  double reversal_defect(double h, double stages, long steps) const {
    const auto stepper = method_.stepper<double>(run_.system, {.tolerance = stages});
    rb::State<double> z = start_;
    bool ok = static_cast<bool>(stepper->advance(run_.system, z, h, steps).status);
    ok = ok && stepper->advance(run_.system, z, -h, steps).status;
    return ok ? difference(z, start_) : std::nan("");
  }
  /// The whole run.
  double reversal_defect(double h, double stages) const {
    (void)ours(h, stages);
    return reversal_defect(h, stages, steps_);
  }
  double time() const { return time_; }
  static std::vector<double> accuracies(double time) {
    return time > 1000 ? std::vector{1e-3, 1e-6} : std::vector{1e-3, 1e-6, 1e-8, 1e-10};
  }

 private:
  /// To a tenth of the tightest accuracy, or as far as round-off lets it.
  void find_truth() {
    const double enough = accuracies(time_).back() / 10;
    double h = P::step / 4;
    rb::State<double> finer = ours(h);
    do {
      truth_ = finer;
      h /= 1.5;
      finer = ours(h);
    } while (!(difference(truth_, finer) < enough) && h > P::step / 60);
    truth_ = finer;
  }
  /// The largest x for which this and the next two smaller ones stay below the error; where
  /// round-off comes first, the one with most of them.
  template <class Run>
  double largest(double x, double factor, double accuracy, Run&& run) {
    double first = std::nan(""), found = first;
    for (int good = 0, most = 0; most < 3 && x > 1e-16; x /= factor) {
      good = difference(run(x), truth_) <= accuracy ? good + 1 : 0;
      if (good == 1) first = x;
      if (good > most) most = good, found = first;
    }
    return found;
  }
  /// By the loosest tolerance of the stages, from eight digits below the error on, that keeps the
  /// run reversible. Long runs go down to round-off.
  Sides with_fewest_iterations(double h, double accuracy) const {
    for (double stages = 1e-8 * accuracy; time_ < 1000 && stages > 1e-16; stages /= 10) {
      const double best = with_fewest_iterations(h, accuracy, stages);
      if (reversal_defect(best, stages) < 1e-10) return {accuracy, best, stages, 0};
    }
    return {accuracy, with_fewest_iterations(h, accuracy, 0.0), 0, 0};
  }
  double with_fewest_iterations(double h, double accuracy, double stages) const {
    double best = h;
    long fewest = std::numeric_limits<long>::max();
    for (int k = 0; k < 6; ++k, h /= 1.06)
      if (difference(ours(h, stages), truth_) <= accuracy && iterations_ < fewest)
        best = h, fewest = iterations_;
    return best;
  }

  double time_;
  bench::TextRun run_;
  rb::Method method_ = rb::find_method("sundman");
  rb::State<double> start_, truth_;
  std::vector<Sides> found_;
  mutable long iterations_ = 0, steps_ = 0;  // of our last run
};

template <class P>
std::shared_ptr<Contest<P>> add_contest(bench::Figures& figures, double time, bool later) {
  const auto contest = std::make_shared<Contest<P>>(time);
  for (const double accuracy : Contest<P>::accuracies(time)) {
    char name[96];
    std::snprintf(name, sizeof name, "adaptive-%s-T%g-%g", P::name, time, accuracy);
    const auto timed = [=](auto&& work) { return bench::seconds(work) / time; };
    figures.add({.name = name,
                 .ours =
                     [=] {
                       const auto& sides = contest->sides(accuracy);
                       return timed([&] { (void)contest->ours(sides.step, sides.stages); });
                     },
                 .against =
                     [=] {
                       const double tolerance = contest->sides(accuracy).tolerance;
                       return timed([&] { (void)contest->peer(tolerance); });
                     },
                 .goal = later || accuracy < 1e-7 ? 2.0 : 1.0,
                 .faster = true,
                 .repetitions = later ? 3 : 9,
                 .unit = 1e6,
                 .unit_name = "us per time"});
  }
  return contest;
}

template <class P>
void add_problem(bench::Figures& figures, bool for_long) {
  const auto contest = add_contest<P>(figures, 100, false);
  if (for_long) add_contest<P>(figures, 1e4, true);
  const auto add_reversal = [&](const char* which, bench::Measure defect) {
    figures.add({.name = std::string("adaptive-reversal-") + P::name + which,
                 .ours = std::move(defect),
                 .against = [] { return 1e-10; },
                 .goal = 1,
                 .repetitions = 1,
                 .unit = 1,
                 .unit_name = "defect"});
  };
  add_reversal("", [=] { return contest->reversal_defect(P::step / 10, 0, 200); });
  add_reversal("-T100-0.001", [=] {
    const auto& sides = contest->sides(1e-3);
    return contest->reversal_defect(sides.step, sides.stages);
  });
}

}  // namespace

int main(int argc, char** argv) {
  bench::Figures figures;
  add_problem<bench::Ellipsoid>(figures, true);
  add_problem<bench::KeplerOnSphere>(figures, true);
  add_problem<bench::BeadOnEllipse>(figures, true);
  add_problem<bench::QuarticSurface>(figures, true);
  add_problem<bench::HangingRods<2>>(figures, false);
  add_problem<bench::HangingRods<3>>(figures, false);
  return figures.run(argc, argv);
}
