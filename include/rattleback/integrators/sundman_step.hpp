// The bodies of SundmanStepper: the iteration, its first guess, and what is chosen at the start.
#pragma once

#include "rattleback/integrators/sundman.hpp"

namespace rattleback {

/// By the iteration that took fewer of late, now and then by the other one, and by that one where
/// it does not converge.
template <class Field, class S>
template <class Sys>
Status SundmanStepper<Field, S>::solve_stages(const Sys& system, const S& eps, bool physical) {
  bool ahead = false;
  if (may_go_ahead()) {
    constexpr int interval = 16;
    const auto& mean = way_.mean;
    ahead = mean[1] < mean[0] || mean[1] == 0;
    if (mean[0] == 0) ahead = false;
    if (steps_ % interval == interval - 1) ahead = !ahead;
  }
  Status status = attempt(system, eps, physical, ahead);
  const auto note = [&](bool way, double iterations) {
    double& mean = way_.mean[way];
    mean = mean == 0 ? iterations : 0.75 * mean + 0.25 * iterations;
  };
  if (!physical) note(ahead, status ? status.iterations : most_iterations);
  if (status || !may_go_ahead()) return status;
  const int lost = status.iterations;
  if (steps_ > 0) steps_ = 0;  // the stages of the last step are overwritten
  status = attempt(system, eps, physical, !ahead);
  status.iterations += lost;
  return status;
}

template <class Field, class S>
template <class Sys>
Status SundmanStepper<Field, S>::attempt(const Sys& system, const S& eps, bool physical,
                                         bool ahead) {
  for (int i = 0; i < n_; ++i) hat_q_[i] = q0_[i], hat_p_[i] = p0_[i];
  if (projects()) {
    field_.normal(system, q0_.data(), p0_.data(), here_);
    there_ = here_;
    for (int k = 0; k < m_; ++k) mu_[k] = nu_[k] = S(0);
  }
  first_stages(system, physical);
  double size_q = largest(q0_), size_p = largest(p0_), before = 0;
  const double h = magnitude(eps);
  bool projecting = false;
  for (int k = 1; k <= most_iterations; ++k) {
    for (int i = 0; i < n_; ++i) {
      const Lanes y = add_scaled_stages<S>(hat_p_[i], eps, gauss_->a(b_[i]));
      if constexpr (std::is_same_v<S, double>)
        if (ahead && k > 1) a_[i] += a_[n_] * (Lanes(field_.inverse_mass()[i]) * (y - y_[i]));
      y_[i] = y;
      x_[i] = add_scaled_stages<S>(hat_q_[i], eps, gauss_->a(a_[i]));
    }
    std::swap(a_, last_a_), std::swap(b_, last_b_);
    evaluate(system, physical);
    if (k == 1) {  // at turning points a momentum is as large as what it becomes
      size_q = std::max({size_q, h * largest_stage(a_), threshold::zero_pivot});
      size_p = std::max({size_p, h * largest_stage(b_), threshold::zero_pivot});
    }
    LargestChange<S> largest_change;
    for (int i = 0; i < n_; ++i) {
      largest_change.add(a_[i], last_a_[i], h / size_q);
      largest_change.add(b_[i], last_b_[i], h / size_p);
    }
    double change = largest_change.value();
    if (!(change < threshold::overflow)) return {Outcome::not_finite, k, change};
    const bool begins = projects() && !projecting && change < projected_from;
    projecting = projecting || begins;
    if (projecting) project(system, eps, size_q, size_p, change);
    if (!(change < threshold::overflow)) return {Outcome::rank_loss, k, change};
    const bool converged = change * change <= epsilon<S> / 2 * before;
    const bool at_floor =
        k > 1 && change < threshold::round_off_band * epsilon<S> && change > 0.7 * before;
    if ((converged || at_floor) && projecting == projects()) return finish(eps, k);
    if (k > 8 && change > 4 * before && !begins) return {Outcome::no_convergence, k, change};
    before = change;
  }
  return {Outcome::no_convergence, most_iterations, before};
}

template <class Field, class S>
Status SundmanStepper<Field, S>::finish(const S& eps, int iterations) {
  set_ends(eps);
  if (projects()) {
    for (const auto* at : {&here_, &there_}) {
      add_rows(at->raised(), mu_, q1_);
      add_rows(at->rows(), nu_, p1_);
    }
  }
  const double size = larger(largest(q1_), largest(p1_));
  if (!(size < threshold::overflow)) return {Outcome::not_finite, iterations, size};
  judge_degree();
  return {Outcome::ok, iterations};
}

template <class Field, class S>
template <class Sys>
void SundmanStepper<Field, S>::first_stages(const Sys& system, bool physical) {
  if (steps_ > 0 && !physical) return predict();
  // As if the field were the same at all stages.
  for (auto& t : tried_) t.degree = -1;
  for (int i = 0; i < n_; ++i) {
    x_[i] = each_stage<S>([&](int) { return q0_[i]; });
    y_[i] = each_stage<S>([&](int) { return p0_[i]; });
  }
  x_[n_] = each_stage<S>([&](int) { return S(R(floor_)); });
  evaluate(system, physical);
}

template <class Field, class S>
void SundmanStepper<Field, S>::predict() {
  const auto ahead = [&](int degree, auto& a, auto& b) {
    const StageMap<S>& map = gauss_->ahead[degree];
    for (int i = 0; i < n_; ++i) a[i] = map(a_[i]), b[i] = map(b_[i]);
  };
  for (int k = 0; k < 3; ++k) {
    Tried& t = tried_[k];
    t.degree = degree_ + k - 1;
    if (steps_ % trial_interval != 0 || t.degree < 0 || t.degree >= gauss_->stages) t.degree = -1;
    if (t.degree >= 0) ahead(t.degree, t.a, t.b);
  }
  ahead(degree_, last_a_, last_b_);
  std::swap(a_, last_a_), std::swap(b_, last_b_);
}

/// The degree that would have come closest.
template <class Field, class S>
void SundmanStepper<Field, S>::judge_degree() {
  double least = std::numeric_limits<double>::infinity();
  for (const Tried& t : tried_) {
    if (t.degree < 0) continue;
    LargestChange<S> error_of;
    for (int i = 0; i < n_; ++i) error_of.add(a_[i], t.a[i], 1), error_of.add(b_[i], t.b[i], 1);
    const double error = error_of.value();
    if (error < least) least = error, degree_ = t.degree;
  }
}

template <class Field, class S>
template <class Sys>
void SundmanStepper<Field, S>::project(const Sys& system, const S& eps, double size_q,
                                       double size_p, double& change) {
  set_ends(eps);
  for (int i = 0; i < n_; ++i) end_q_[i] = hat_q_[i] + q1_[i], end_p_[i] = hat_p_[i] + p1_[i];
  add_rows(there_.raised(), mu_, end_q_);
  add_rows(there_.rows(), nu_, end_p_);
  field_.normal(system, end_q_.data(), end_p_.data(), there_);
  const auto gram = [&](int i, int j) { return S(here_.gram(i, j) + there_.gram(i, j)); };
  const auto correct = [&](const auto& residual, const auto& rows, auto& multiplier, auto& point,
                           double size) {
    for (int k = 0; k < m_; ++k) change_[k] = -residual[k];
    solve(gram);
    for (int k = 0; k < m_; ++k) multiplier[k] += change_[k];
    for (int i = 0; i < n_; ++i) {
      S moved(R(0));
      for (int k = 0; k < m_; ++k) moved += rows[k * n_ + i] * change_[k];
      point[i] += moved;
      change = larger(change, magnitude(moved) / size);
    }
  };
  correct(there_.g(), here_.raised(), mu_, hat_q_, size_q);
  correct(there_.rate(), here_.rows(), nu_, hat_p_, size_p);
}

/// Quadratic constraints are kept but for rounding: once towards g = 0 and G M^-1 p = 0.
template <class Field, class S>
template <class Sys, class State>
void SundmanStepper<Field, S>::project_rounding(const Sys& system, State& z) {
  if (m_ == 0 || !field_.quadratic()) return;
  field_.normal(system, z.q.data(), z.p.data(), there_);
  const auto correct = [&](const auto& residual, const auto& rows, auto& sums, auto& point) {
    for (int k = 0; k < m_; ++k) change_[k] = -residual[k];
    solve([&](int i, int j) { return there_.gram(i, j); });
    for (int i = 0; i < n_; ++i) {
      S moved = rows[i] * change_[0];
      for (int k = 1; k < m_; ++k) moved += rows[k * n_ + i] * change_[k];
      sums[i].add(moved, point[i]);
    }
  };
  correct(there_.g(), there_.raised(), sum_q_, z.q);
  correct(there_.rate(), there_.rows(), sum_p_, z.p);
}

/// In double, so that other scalars run the same method.
template <class Field, class S>
template <class Sys, class State>
Status SundmanStepper<Field, S>::choose(const Sys& system, const State& z, const R& h) {
  if constexpr (!std::is_same_v<S, double>) {
    rattleback::State<double> start{Vector<double, dynamic>(n_), Vector<double, dynamic>(n_)};
    for (int i = 0; i < n_; ++i) {
      start.q[i] = static_cast<double>(base(z.q[i]));
      start.p[i] = static_cast<double>(base(z.p[i]));
    }
    pilot_->reset();
    *pilot_->clock() = {.end = clock_.end};
    const Status status = pilot_->step(system, start, static_cast<double>(h));
    std::vector<double> chosen;
    pilot_->save(chosen);
    chosen[2] = 0;
    if (status) restore(chosen);
    return status;
  } else {
    const ForceChoice chosen = choose_force_scale(field_, system, z, h, 0.25);
    floor_ = chosen.floor, speed_ = chosen.slowness;
    if (!std::isfinite(speed_)) return speed_ = 0, Status{Outcome::not_finite, 0, floor_};
    if (accuracy_ > 0) choose_speed(system, z, h);
    return {};
  }
}

template <class Field, class S>
template <class Sys, class State>
void SundmanStepper<Field, S>::choose_speed(const Sys& system, const State& z, double h) {
  const double whole = std::isfinite(clock_.end) ? std::abs(clock_.end) : 100 * std::abs(h);
  const auto run = [&](double speed, double end, int most, State& w) {
    SundmanStepper trial = *this;
    trial.accuracy_ = 0;
    trial.speed_ = speed;
    trial.reset();
    trial.clock_ = {.end = end};
    w = z;
    for (int k = 0; k < most && !trial.clock_.at_end() && std::abs(trial.clock_.time) <= whole; ++k)
      if (!trial.step(system, w, h)) return 0.0;
    return trial.clock_.time;
  };
  speed_ = factor_for_accuracy(speed_, 2 * gauss_->stages, accuracy_, whole, z, run);
}

}  // namespace rattleback
