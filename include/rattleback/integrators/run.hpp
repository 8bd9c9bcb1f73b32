// What a run gives back.
#pragma once

#include <string>
#include <vector>

#include "rattleback/problem/scalar.hpp"
#include "rattleback/solve/status.hpp"

namespace rattleback {

/// The figures of a run, whatever its scalar and size.
struct RunFigures {
  std::string method;
  double step = 0;
  long steps = 0;  ///< done
  long wanted = 0;
  double initial_energy = 0;
  double final_energy = 0;
  double energy_error = 0;  ///< max |H - H(0)| over stored states
  double energy_drift = 0;  ///< slope of H per unit of time, least squares over stored states
  double constraint = 0;    ///< max |g| over stored states
  double hidden = 0;        ///< max |{g,H}| over stored states
  double newton_mean = 0;
  int newton_max = 0;
  double seconds = 0;
  Status status{};       ///< of the last step
  bool stopped = false;  ///< by a stop condition or the progress callback
  std::string failure;   ///< empty, or what went wrong, when and why

  bool ok() const { return failure.empty(); }
  double time() const { return step * static_cast<double>(steps); }
  /// A few lines for a person.
  std::string summary() const;
};

template <class S, int N>
struct Run : RunFigures {
  std::vector<double> times;
  std::vector<State<S, N>> states;  ///< as looked at, the first and the last included
  std::vector<double> energies;
  State<S, N> final;  ///< the last good state, as looked at
};

namespace detail {

/// How many steps are wanted; throws InputError that names the option and quotes the value.
long step_count(double step, long steps, double time, long every);

/// Least-squares slope, updated one sample at a time.
class Slope {
 public:
  void add(double t, double y) {
    ++n_;
    const double dt = t - mean_t_;
    mean_t_ += dt / static_cast<double>(n_);
    mean_y_ += (y - mean_y_) / static_cast<double>(n_);
    s_tt_ += dt * (t - mean_t_);
    s_ty_ += dt * (y - mean_y_);
  }
  double value() const { return s_tt_ > 0 ? s_ty_ / s_tt_ : 0; }

 private:
  long n_ = 0;
  double mean_t_ = 0, mean_y_ = 0, s_tt_ = 0, s_ty_ = 0;
};

}  // namespace detail

}  // namespace rattleback
