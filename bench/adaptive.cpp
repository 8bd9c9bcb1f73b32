// sundman against Odeint's adaptive 7(8) with projection, at equal error: both sides run with a
// step, or tolerance, that keeps below the error wanted with the next smaller ones, too. Of these
// Odeint takes the largest, and sundman the one with the fewest iterations: close to where they no
// longer converge, steps take more than they save.
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

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
      : time_(time), run_(P::text(), "sundman"), start_(rb::consistent(run_.system, run_.z)) {
    double h = P::step / 4;
    rb::State<double> finer = ours(h);
    do {
      truth_ = finer;
      h /= 1.5;
      finer = ours(h);
    } while (!(difference(truth_, finer) < 1e-11) && h > P::step / 60);
    truth_ = finer;
  }

  rb::State<double> ours(double h) const {
    const auto stepper = method_.stepper<double>(run_.system);
    stepper->clock()->end = time_;
    rb::State<double> z = start_;
    const rb::Advance done = stepper->advance(run_.system, z, h, 1L << 40);
    if (!done.status) z.q.setConstant(std::nan(""));
    iterations_ = done.newton;
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
  double our_step(double accuracy) {
    constexpr double factor = 1.06;
    double h = largest(P::step, factor, accuracy, [&](double x) { return ours(x); }), best = h;
    long fewest = std::numeric_limits<long>::max();
    for (int k = 0; k < 6; ++k, h /= factor)
      if (difference(ours(h), truth_) <= accuracy && iterations_ < fewest)
        best = h, fewest = iterations_;
    return best;
  }
  double peer_tolerance(double accuracy) {
    return largest(1e-4, 1.5, accuracy, [&](double tolerance) { return peer(tolerance); });
  }
  /// So many steps there and back.
  double reversal_defect(double h, long steps) const {
    const auto stepper = method_.stepper<double>(run_.system);
    rb::State<double> z = start_;
    bool ok = static_cast<bool>(stepper->advance(run_.system, z, h, steps).status);
    ok = ok && stepper->advance(run_.system, z, -h, steps).status;
    return ok ? difference(z, start_) : std::nan("");
  }
  double time() const { return time_; }

 private:
  /// The largest x for which this and the next two smaller ones stay below the error.
  template <class Run>
  double largest(double x, double factor, double accuracy, Run&& run) {
    double found = x;
    for (int good = 0; good < 3; x /= factor) {
      if (x < 1e-16) return std::nan("");
      if (!(difference(run(x), truth_) <= accuracy))
        good = 0;
      else if (good++ == 0)
        found = x;
    }
    return found;
  }

  double time_;
  bench::TextRun run_;
  rb::Method method_ = rb::find_method("sundman");
  rb::State<double> start_, truth_;
  mutable long iterations_ = 0;  // of our last run
};

template <class P>
void add_contest(bench::Figures& figures, double time, double accuracy, double goal) {
  char name[96];
  std::snprintf(name, sizeof name, "adaptive-%s-T%g-%g", P::name, time, accuracy);
  // Made when first asked for: a run of one figure does not pay for all.
  struct Sides {
    double step, tolerance;
    Contest<P> contest;
  };
  const auto sides = std::make_shared<std::unique_ptr<Sides>>();
  const auto get = [=]() -> Sides& {
    if (!*sides) {
      *sides = std::make_unique<Sides>(Sides{0, 0, Contest<P>(time)});
      (*sides)->step = (*sides)->contest.our_step(accuracy);
      (*sides)->tolerance = (*sides)->contest.peer_tolerance(accuracy);
    }
    return **sides;
  };
  figures.add({.name = name,
               .ours =
                   [=] {
                     Sides& s = get();
                     return bench::seconds([&] { (void)s.contest.ours(s.step); }) / time;
                   },
               .against =
                   [=] {
                     Sides& s = get();
                     return bench::seconds([&] { (void)s.contest.peer(s.tolerance); }) / time;
                   },
               .goal = goal,
               .faster = true,
               .unit = 1e6,
               .unit_name = "us per time"});
}

template <class P>
void add_problem(bench::Figures& figures, bool for_long) {
  for (const double accuracy : {1e-3, 1e-6, 1e-8, 1e-10})
    add_contest<P>(figures, 100, accuracy, accuracy < 1e-7 ? 2 : 1);
  if (for_long)
    for (const double accuracy : {1e-3, 1e-6}) add_contest<P>(figures, 1e4, accuracy, 2);
  figures.add({.name = std::string("adaptive-reversal-") + P::name,
               .ours = [] { return Contest<P>(100).reversal_defect(P::step / 10, 200); },
               .against = [] { return 1e-10; },
               .goal = 1,
               .repetitions = 1,
               .unit = 1,
               .unit_name = "defect"});
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
