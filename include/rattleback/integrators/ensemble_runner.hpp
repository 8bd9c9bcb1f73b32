// Runs the batches of an ensemble (ensemble.hpp): the states of a batch go on together, in the
// lanes of one stepper; its figures are kept copy by copy.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "rattleback/geometry/residuals.hpp"
#include "rattleback/integrators/ensemble_batch.hpp"
#include "rattleback/integrators/ensemble_run.hpp"
#include "rattleback/integrators/integrate.hpp"

namespace rattleback {

namespace detail {

/// body(0), ..., body(count - 1), on so many threads (0: all).
void run_batches(long count, int threads, const std::function<void(long)>& body);
std::string ensemble_summary(const EnsembleFigures& figures,
                             const std::vector<const RunFigures*>& copies, long alone);

/// What all batches share.
template <int N>
class EnsembleRunner {
 public:
  using Point = State<double, N>;

  EnsembleRunner(const std::vector<Point>& starts, const EnsembleOptions<Point>& options,
                 const std::string& method)
      : starts_(starts), options_(options) {
    ensemble_.method = method;
    ensemble_.step = options.step;
    ensemble_.wanted = step_count(options.step, options.steps, options.time, options.every);
    ensemble_.every = options.every > 0 ? options.every : std::max(1L, ensemble_.wanted / 100);
    if (options.threads < 0)
      throw InputError("threads", "must not be negative, got " + std::to_string(options.threads));
    ensemble_.copies = std::vector<Copy<N>>(starts.size());
  }

  /// Every lane has its copy, in the order of the copies.
  template <class S>
  std::vector<Batch> batches() const {
    std::vector<Batch> all;
    for (std::size_t i = 0; i < starts_.size(); ++i) {
      if (i % ScalarTraits<S>::lanes == 0) all.emplace_back();
      all.back().push_back(static_cast<long>(i));
    }
    return all;
  }

  /// systems.in<S>(batch) points to the system of these copies in S, or to nothing where there is
  /// none.
  template <class S, class M, class Systems>
  Ensemble<N> run(const M& method, const Systems& systems, const std::vector<Batch>& batches) {
    for (long i = 0; i < static_cast<long>(starts_.size()); ++i)
      require_start(*systems.template in<double>(Batch{i}), i);
    run_batches(static_cast<long>(batches.size()), options_.threads, [&](long k) {
      const Batch& batch = batches[k];
      if (batch.size() > 1 || ScalarTraits<S>::lanes == 1)
        if (const auto system = systems.template in<S>(batch))
          if (advance<S>(*system, method, batch)) return;
      if constexpr (ScalarTraits<S>::lanes > 1)
        for (const long i : batch) {
          ensemble_.copies[i].alone = true;
          (void)advance<double>(*systems.template in<double>(Batch{i}), method,
                                Batch{i});  // told in the copy
        }
    });
    ensemble_.seconds = seconds();
    return std::move(ensemble_);
  }

 private:
  using Clock = std::chrono::steady_clock;
  double seconds() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }

  template <class Sys>
  void require_start(const Sys& system, long copy) const {
    const Point& z = starts_[copy];
    if (z.q.size() != system.dimension() || z.p.size() != system.dimension())
      throw InputError("starts", "copy " + std::to_string(copy) + " has " +
                                     std::to_string(z.q.size()) + " positions and " +
                                     std::to_string(z.p.size()) + " momenta, the system " +
                                     std::to_string(system.dimension()));
    if (options_.allow_inconsistent) return;
    try {
      require_consistent(system, z, {options_.consistency});
    } catch (const ModelError& e) {
      throw ModelError("copy " + std::to_string(copy) + ": " + e.what());
    }
  }

  /// A batch on its way.
  template <class S, class Sys, class Stepper>
  struct Running {
    const Sys& system;
    Stepper& stepper;
    const Batch& batch;
    State<S, N> z, shown;  // shown: as looked at
    Residuals<Sys, S> residuals{system};
    std::vector<Slope> drifts{batch.size()};
    Advance done{};
    long looks = 0;
  };

  /// Runs a batch in the lanes of S. False: one of its copies failed, or the method has no steps
  /// in S.
  template <class S, class Sys, class M>
  bool advance(const Sys& system, const M& method, const Batch& batch) {
    const auto start = [&](auto member) {
      return gather<S, N>(system.dimension(), batch,
                          [&](long i) -> const Vector<double, N>& { return starts_[i].*member; });
    };
    auto made = method.template stepper<S>(system);
    if constexpr (requires { made == nullptr; })
      if (made == nullptr) return false;
    auto& stepper = stepper_in(made);
    const State<S, N> z{start(&Point::q), start(&Point::p)};
    Running<S, Sys, std::remove_reference_t<decltype(stepper)>> r{system, stepper, batch, z, z};
    const double began = seconds();
    begin(r);
    Advance& all = r.done;
    Pace pace;
    double last = began;
    while (all.status && all.steps < ensemble_.wanted && !halted()) {
      const long sample =
          std::min(ensemble_.wanted, (all.steps / ensemble_.every + 1) * ensemble_.every);
      const Advance more = rattleback::advance(stepper, system, r.z, Real<S>(options_.step),
                                               std::min(sample - all.steps, pace.length()));
      all.steps += more.steps;
      all.newton += more.newton;
      all.newton_max = std::max(all.newton_max, more.newton_max);
      all.status = more.status;
      if (all.status && all.steps == sample) all.status = look(r);
      report(more.steps * static_cast<long>(batch.size()));
      const double now = seconds();
      pace.took(now - std::exchange(last, now));
    }
    conclude(r, seconds() - began);
    if constexpr (ScalarTraits<S>::lanes == 1)
      if (!all.status) fail(system, stepper, r.z, ensemble_.copies[batch[0]]);
    return static_cast<bool>(all.status);
  }

  template <class R>
  void begin(R& r) {
    r.stepper.reset();
    for (const long i : r.batch) {
      auto& copy = ensemble_.copies[i];
      copy.states.clear();
      static_cast<RunFigures&>(copy) = {
          .method = ensemble_.method, .step = ensemble_.step, .wanted = ensemble_.wanted};
    }
    r.done.status = look(r);
  }
  template <class R>
  void conclude(R& r, double took) {
    Advance& all = r.done;
    const bool stopped = all.status && all.steps < ensemble_.wanted;
    if (stopped) all.status = look(r);  // the state so far
    Projections projections;
    if constexpr (requires { r.stepper.projections(0L, 0L); })
      projections = r.stepper.projections(all.steps, r.looks);
    for (const long i : r.batch) {
      auto& copy = ensemble_.copies[i];
      copy.steps = all.steps;
      copy.newton_mean =
          all.steps > 0 ? static_cast<double>(all.newton) / static_cast<double>(all.steps) : 0;
      copy.newton_max = all.newton_max;
      copy.projections = projections;
      copy.status = all.status;
      copy.stopped = stopped;
      copy.seconds = took / static_cast<double>(r.batch.size());
    }
  }

  template <class Sys, class Stepper>
  void fail(const Sys& system, Stepper& stepper, State<double, N> z, Copy<N>& copy) {
    State<double, N> shown = z;
    if (stepper.present(system, shown) && shown.q.allFinite() && shown.p.allFinite())
      copy.final = shown;
    copy.failure = explain(system, copy.status, copy.final, ensemble_.step, copy.time());
    copy.status.outcome = copy.failure.outcome;
  }

  /// Takes the figures of every lane; not_finite where one is not a number.
  template <class S, class Sys, class Stepper>
  Status look(Running<S, Sys, Stepper>& r) {
    r.shown = r.z;
    ++r.looks;
    if (Status s = r.stepper.present(r.system, r.shown); !s) return s;
    const S energy = r.system.energy(r.shown.q, r.shown.p);
    if (!std::isfinite(magnitude(energy))) return {Outcome::not_finite, 0, magnitude(energy)};
    r.residuals.evaluate(r.system, r.shown);
    for (int l = 0; l < static_cast<int>(r.batch.size()); ++l) {
      Copy<N>& copy = ensemble_.copies[r.batch[l]];
      copy.steps = r.done.steps;
      take_lane(r.shown, l, copy.final);
      copy.final_energy = lane(energy, l);
      if (copy.steps == 0) copy.initial_energy = copy.final_energy;
      const double error = copy.final_energy - copy.initial_energy;
      copy.energy_error = larger(copy.energy_error, std::abs(error));
      r.drifts[l].add(copy.time(), error);
      copy.energy_drift = r.drifts[l].value();
      for (int i = 0; i < r.system.constraint_count(); ++i) {
        copy.constraint = larger(copy.constraint, std::abs(lane(r.residuals.primary(i), l)));
        copy.hidden = larger(copy.hidden, std::abs(lane(r.residuals.hidden(i), l)));
      }
      if (options_.store) copy.states.push_back(copy.final);
      observe(r.batch[l], copy.steps, copy.final);
    }
    return {};
  }
  template <class S>
  static void take_lane(const State<S, N>& z, int l, Point& to) {
    to.q.resize(z.q.size()), to.p.resize(z.p.size());
    for (Eigen::Index i = 0; i < z.q.size(); ++i)
      to.q[i] = lane(z.q[i], l), to.p[i] = lane(z.p[i], l);
  }
  /// A copy that runs again alone is not shown twice.
  void observe(long copy, long step, const Point& z) {
    if (!options_.observe) return;
    std::lock_guard lock(mutex_);
    if (shown_.empty()) shown_.assign(starts_.size(), -1);
    if (step <= shown_[copy]) return;
    shown_[copy] = step;
    options_.observe(copy, step, ensemble_.step * static_cast<double>(step), z);
  }
  bool halted() const { return halted_ || options_.interrupt.stop_requested(); }
  void report(long steps) {
    done_ += steps;
    if (!options_.progress) return;
    std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock) return;
    const double now = seconds();
    const long all = ensemble_.wanted * static_cast<long>(starts_.size());
    if (now - last_report_ < 0.1 && done_ < all) return;
    last_report_ = now;
    if (!options_.progress({std::min(done_.load(), all), all, now})) halted_ = true;
  }

  const std::vector<Point>& starts_;
  const EnsembleOptions<Point>& options_;
  Ensemble<N> ensemble_;
  Clock::time_point begin_ = Clock::now();
  std::mutex mutex_;
  std::vector<long> shown_;
  double last_report_ = 0;
  std::atomic<long> done_{0};
  std::atomic<bool> halted_{false};
};

}  // namespace detail

}  // namespace rattleback
