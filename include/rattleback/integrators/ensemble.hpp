// Ensembles: independent copies of one system with different starts and different parameters, in
// SIMD packs and threads.
//
//   integrate_ensemble(system, Rattle{}, starts, {.step = 0.01, .steps = 1000})
//   integrate_ensemble([](const auto& x) { return natural_system(...); }, Rattle{}, parameters,
//                      starts, options)
//
// The second form makes the system from parameters x in any scalar: x[0] is a double or a pack of
// them, one a copy. Copies 0..7 are the first pack, 8..15 the second, and so on, whatever the
// number of threads: the results do not depend on it, to the last bit. The last pack is filled up
// with repetitions of the last copy. Newton iterates until all lanes of a pack have converged, so
// that a copy may get an iteration more than it would alone: results differ from those of
// integrate() at round-off. Run-time systems, one a copy, form packs where they differ in
// their constants only.
//
// Where a lane fails, its pack stops, and the copies of that pack start again one by one in double
// precision scalars: those that can finish do, and the others say why they cannot. Also this
// does not depend on the threads.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "rattleback/geometry/residuals.hpp"
#include "rattleback/integrators/integrate.hpp"
#include "rattleback/problem/pack.hpp"

namespace rattleback {

struct EnsembleProgress {
  long steps, wanted;  ///< of all copies together
  double seconds;
};

template <class State>
struct EnsembleOptions {
  double step = 0;
  long steps = 0;      ///< or
  double time = 0;     ///< a length that is rounded to whole steps
  long every = 0;      ///< figures are taken at every k-th state; 0: about a hundred times in all
  bool store = false;  ///< keep these states: copies x samples x 2n numbers of memory
  int threads = 0;     ///< 0: as many as the machine has
  bool allow_inconsistent = false;
  double consistency = 1e-9;  ///< largest |g| and |{g,H}| of a start that is taken as it is
  /// Called at every k-th state of every copy: in order for one copy, in any order between copies,
  /// and by one thread at a time.
  std::function<void(long copy, long step, double t, const State&)> observe{};
  /// Called about ten times a second; false ends the run.
  std::function<bool(const EnsembleProgress&)> progress{};
  /// Ends the run from outside.
  std::stop_token interrupt{};
};

/// What became of one copy. Newton iterations and seconds are its share of those of its pack.
template <int N>
struct Copy : RunFigures {
  bool alone = false;                    ///< run by itself: its pack failed, or there was none
  State<double, N> final;                ///< the last good state, as looked at
  std::vector<State<double, N>> states;  ///< where stored
};

struct EnsembleFigures {
  std::string method;
  double step = 0;
  long wanted = 0, every = 0;
  double seconds = 0;
};

template <int N>
struct Ensemble : EnsembleFigures {
  std::vector<Copy<N>> copies;
  long failed() const {
    long count = 0;
    for (const auto& c : copies) count += !c.ok();
    return count;
  }
  /// A few lines for a person.
  std::string summary() const;
};

namespace detail {

/// body(0), ..., body(count - 1), on so many threads (0: all).
void run_batches(long count, int threads, const std::function<void(long)>& body);
std::string ensemble_summary(const EnsembleFigures& figures,
                             const std::vector<const RunFigures*>& copies, long alone);

inline double lane(double x, int) { return x; }
template <int W>
double lane(const BasicPack<W>& x, int i) {
  return x[i];
}
inline void set_lane(double& x, int, double value) { x = value; }
template <int W>
void set_lane(BasicPack<W>& x, int i, double value) {
  x.set(i, value);
}

/// The copies that run together.
using Batch = std::vector<long>;

/// Vectors get(copy) of a batch as one vector of S; the last is repeated.
template <class S, int N, class Get>
Vector<S, N> gather(Eigen::Index size, const Batch& batch, Get&& get) {
  Vector<S, N> v(size);
  for (std::size_t l = 0; l < ScalarTraits<S>::lanes; ++l) {
    const auto& x = get(batch[std::min(l, batch.size() - 1)]);
    for (Eigen::Index i = 0; i < size; ++i) set_lane(v[i], static_cast<int>(l), x[i]);
  }
  return v;
}

/// A stepper, by itself or behind a pointer.
template <class Stepper>
auto& stepper_in(Stepper& stepper) {
  if constexpr (requires { *stepper; })
    return *stepper;
  else
    return stepper;
}

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

/// One system for all copies.
template <class Sys>
struct SameSystem {
  const Sys& system;
  template <class S>
  const Sys* in(const Batch&) const {
    return &system;
  }
};
/// One system a copy, from its parameters.
template <class Make, int P>
struct SystemOfParameters {
  const Make& make;
  const std::vector<Vector<double, P>>& parameters;
  template <class S>
  auto in(const Batch& batch) const {
    return std::optional(
        make(gather<S, P>(parameters[batch[0]].size(), batch,
                          [&](long i) -> const Vector<double, P>& { return parameters[i]; })));
  }
};

}  // namespace detail

template <int N>
std::string Ensemble<N>::summary() const {
  std::vector<const RunFigures*> figures;
  long alone = 0;
  for (const auto& c : copies) figures.push_back(&c), alone += c.alone;
  return detail::ensemble_summary(*this, figures, alone);
}

/// Copies of the same system with different starts. Run-time systems run in threads without packs.
template <ConstrainedSystem Sys, class M>
auto integrate_ensemble(const Sys& system, const M& method,
                        const std::vector<StateOf<Sys, double>>& starts,
                        const EnsembleOptions<StateOf<Sys, double>>& options) {
  using S = std::conditional_t<detail::knows_all_scalars<Sys>, Pack, double>;
  detail::EnsembleRunner<Sys::dimension_at_compile_time> runner(starts, options,
                                                                method.info().name);
  return runner.template run<S>(method, detail::SameSystem<Sys>{system},
                                runner.template batches<S>());
}

class AnySystem;
class Method;
/// Copies with a system each, known at run time only: those of one shape (expression_system.hpp) in
/// packs, in the order of the copies, the others alone.
Ensemble<dynamic> integrate_ensemble(std::span<const AnySystem> systems, const Method& method,
                                     const std::vector<State<double>>& starts,
                                     const EnsembleOptions<State<double>>& options,
                                     const SolveOptions& solve = {});

/// Copies with different parameters: make(x) is the system with parameters x, in any scalar.
template <class Make, class M, int P, int N>
auto integrate_ensemble(const Make& make, const M& method,
                        const std::vector<Vector<double, P>>& parameters,
                        const std::vector<State<double, N>>& starts,
                        const EnsembleOptions<State<double, N>>& options) {
  if (parameters.size() != starts.size())
    throw InputError("parameters", "there are " + std::to_string(starts.size()) + " starts and " +
                                       std::to_string(parameters.size()) + " sets of parameters");
  for (std::size_t i = 1; i < parameters.size(); ++i)
    if (parameters[i].size() != parameters[0].size())
      throw InputError("parameters", "copy " + std::to_string(i) + " has " +
                                         std::to_string(parameters[i].size()) + ", copy 0 has " +
                                         std::to_string(parameters[0].size()));
  detail::EnsembleRunner<N> runner(starts, options, method.info().name);
  return runner.template run<Pack>(method, detail::SystemOfParameters<Make, P>{make, parameters},
                                   runner.template batches<Pack>());
}

}  // namespace rattleback
