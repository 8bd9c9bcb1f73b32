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
// integrate() at round-off.
//
// Where a lane fails, its pack stops, and the copies of that pack start again one by one in double
// precision scalars: those that can finish do, and the others say why they cannot. Also this
// does not depend on the threads.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
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

/// What became of one copy.
struct CopyFigures {
  long steps = 0;  ///< done
  double initial_energy = 0, final_energy = 0;
  double energy_error = 0;  ///< max |H - H(0)| over the states looked at
  double constraint = 0;    ///< max |g|
  double hidden = 0;        ///< max |{g,H}|
  Status status{};          ///< of its last step, or of its pack's
  bool alone = false;       ///< run by itself after its pack failed
  bool stopped = false;     ///< by the progress callback or from outside
  std::string failure;      ///< empty, or what went wrong, when and why
  bool ok() const { return failure.empty(); }
};

template <int N>
struct Copy : CopyFigures {
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
                             const std::vector<const CopyFigures*>& copies);

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

/// Vectors of up to `lanes` copies from `first` on as one vector of S; the last is repeated.
template <class S, int N, class Get>
Vector<S, N> gather(Eigen::Index size, long count, Get&& get) {
  Vector<S, N> v(size);
  for (int l = 0; l < ScalarTraits<S>::lanes; ++l) {
    const auto& x = get(std::min<long>(l, count - 1));
    for (Eigen::Index i = 0; i < size; ++i) set_lane(v[i], l, x[i]);
  }
  return v;
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

  /// systems(S, first, count) is the system of those copies in scalar S.
  template <class S, class M, class Systems>
  Ensemble<N> run(const M& method, const Systems& systems) {
    const long copies = static_cast<long>(starts_.size());
    constexpr int lanes = ScalarTraits<S>::lanes;
    for (long i = 0; i < copies; ++i) require_start(systems.template in<double>(i, 1), i);
    run_batches((copies + lanes - 1) / lanes, options_.threads, [&](long batch) {
      const long first = batch * lanes, count = std::min<long>(lanes, copies - first);
      if (advance<S>(systems.template in<S>(first, count), method, first, count)) return;
      if constexpr (lanes > 1)
        for (long i = first; i < first + count; ++i) {
          ensemble_.copies[i].alone = true;
          (void)advance<double>(systems.template in<double>(i, 1), method, i,
                                1);  // told in the copy
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

  /// Runs copies first .. first + count - 1 in the lanes of S. False: one of them failed.
  template <class S, class Sys, class M>
  bool advance(const Sys& system, const M& method, long first, long count) {
    const auto start = [&](auto member) {
      return gather<S, N>(system.dimension(), count, [&](long l) -> const Vector<double, N>& {
        return starts_[first + l].*member;
      });
    };
    State<S, N> z{start(&Point::q), start(&Point::p)};
    auto stepper = method.template stepper<S>(system);
    stepper.reset();
    for (long i = first; i < first + count; ++i) {
      auto& copy = ensemble_.copies[i];
      copy.states.clear();
      static_cast<CopyFigures&>(copy) = CopyFigures{.alone = copy.alone};
    }
    Status status = look<S>(system, stepper, z, 0, first, count);
    const Real<S> h(options_.step);
    long step = 0;
    while (status && step < ensemble_.wanted && !halted()) {
      const long sample =
          std::min(ensemble_.wanted, (step / ensemble_.every + 1) * ensemble_.every);
      const long until = std::min(sample, step + 10'000), from = step;
      for (; step < until; ++step) {
        status = stepper.step(system, z, h);
        if (!status) break;
      }
      if (status && step == sample) status = look<S>(system, stepper, z, step, first, count);
      report((step - from) * count);
    }
    for (long i = first; i < first + count; ++i) {
      auto& copy = ensemble_.copies[i];
      copy.steps = step;
      copy.status = status;
      copy.stopped = status && step < ensemble_.wanted;
    }
    if (status && step < ensemble_.wanted)
      status = look<S>(system, stepper, z, step, first, count);  // interrupted: the state so far
    if constexpr (ScalarTraits<S>::lanes == 1)
      if (!status) fail(system, stepper, z, ensemble_.copies[first]);
    return static_cast<bool>(status);
  }

  template <class Sys, class Stepper>
  void fail(const Sys& system, Stepper& stepper, State<double, N> z, Copy<N>& copy) {
    State<double, N> shown = z;
    if (stepper.present(system, shown) && shown.q.allFinite() && shown.p.allFinite())
      copy.final = shown;
    copy.failure = explain(system, copy.status, copy.final, ensemble_.step,
                           ensemble_.step * static_cast<double>(copy.steps));
  }

  /// Takes the figures of every lane; not_finite where one is not a number.
  template <class S, class Sys, class Stepper>
  Status look(const Sys& system, Stepper& stepper, const State<S, N>& z, long step, long first,
              long count) {
    State<S, N> shown = z;
    if (Status s = stepper.present(system, shown); !s) return s;
    const int n = system.dimension(), m = system.constraint_count();
    const S energy = system.energy(shown.q, shown.p);
    if (!std::isfinite(magnitude(energy))) return {Outcome::not_finite, 0, magnitude(energy)};
    Residuals<Sys, S> residuals(system);
    residuals.evaluate(system, shown);
    for (int l = 0; l < count; ++l) {
      Copy<N>& copy = ensemble_.copies[first + l];
      copy.final.q.resize(n), copy.final.p.resize(n);
      for (int i = 0; i < n; ++i)
        copy.final.q[i] = lane(shown.q[i], l), copy.final.p[i] = lane(shown.p[i], l);
      copy.final_energy = lane(energy, l);
      if (step == 0) copy.initial_energy = copy.final_energy;
      copy.energy_error =
          larger(copy.energy_error, std::abs(copy.final_energy - copy.initial_energy));
      for (int i = 0; i < m; ++i) {
        copy.constraint = larger(copy.constraint, std::abs(lane(residuals.primary(i), l)));
        copy.hidden = larger(copy.hidden, std::abs(lane(residuals.hidden(i), l)));
      }
      if (options_.store) copy.states.push_back(copy.final);
      observe(first + l, step, copy.final);
    }
    return {};
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
  const Sys& in(long, long) const {
    return system;
  }
};
/// One system a copy, from its parameters.
template <class Make, int P>
struct SystemOfParameters {
  const Make& make;
  const std::vector<Vector<double, P>>& parameters;
  template <class S>
  auto in(long first, long count) const {
    return make(
        gather<S, P>(parameters[first].size(), count,
                     [&](long l) -> const Vector<double, P>& { return parameters[first + l]; }));
  }
};

}  // namespace detail

template <int N>
std::string Ensemble<N>::summary() const {
  std::vector<const CopyFigures*> figures;
  for (const auto& c : copies) figures.push_back(&c);
  return detail::ensemble_summary(*this, figures);
}

/// Copies of the same system with different starts. Run-time systems run in threads without packs.
template <ConstrainedSystem Sys, class M>
auto integrate_ensemble(const Sys& system, const M& method,
                        const std::vector<StateOf<Sys, double>>& starts,
                        const EnsembleOptions<StateOf<Sys, double>>& options) {
  using S = std::conditional_t<detail::knows_all_scalars<Sys>, Pack, double>;
  detail::EnsembleRunner<Sys::dimension_at_compile_time> runner(starts, options,
                                                                method.info().name);
  return runner.template run<S>(method, detail::SameSystem<Sys>{system});
}

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
  return runner.template run<Pack>(method, detail::SystemOfParameters<Make, P>{make, parameters});
}

}  // namespace rattleback
