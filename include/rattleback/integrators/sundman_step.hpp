// The bodies of SundmanStepper: the iteration, its first guess, and what is chosen at the start.
#pragma once

#include "rattleback/integrators/sundman.hpp"

namespace rattleback {

/// By the iteration that took fewer of late, now and then by the other one, and by that one where
/// it does not converge.
template <class Field, class S>
template <class Sys>
Status SundmanStepper<Field, S>::solve_stages(const Sys& system, const S& eps, bool physical) {
  const bool better = may_go_ahead() && way_.ahead();
  const bool ahead = may_go_ahead() && !physical ? way_.next() : better;
  Status status = attempt(system, eps, physical, ahead);
  if (!physical) way_.note(ahead, status ? status.iterations : most_iterations);
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
  constexpr double floor = threshold::round_off_band * epsilon<S>;
  const double h = magnitude(eps);
  double before = 0;
  start(system);
  first_stages(system, physical);
  place_stages(eps, false);
  for (int k = 1; k <= most_iterations; ++k) {
    std::swap(a_, last_a_), std::swap(b_, last_b_);
    evaluate(system, physical, k > 1 && before < nearly_from);
    if (k == 1) set_sizes(h);
    const bool due =
        projects() && ++unprojected_ >= projected_every && k > 1 && before < projected_from_;
    // Placed at once where they may be: the field waits for that, and nothing for the change.
    const StageChange<S> changes = due ? change_of_stages() : place_stages(eps, ahead);
    double change = LargestChange<S>::largest(changes.q, h / size_q_, changes.p, h / size_p_);
    if (!(change < threshold::overflow)) return {Outcome::not_finite, k, change};
    bool settled = change * change <= tolerance_ * before ||
                   (k > 1 && change < floor && change > 0.7 * before);
    const bool projected = projects() && (settled || due);
    if (projected) {
      const double last = moved_;
      project(system, eps, settled);
      if (last == never && !physical) projected_from_ = std::clamp(1e4 * moved_, 1e-10, 1e-2);
      settled = settled && (moved_ <= 8 * tolerance_ || (moved_ < floor && moved_ > 0.7 * last));
      change = larger(change, moved_);
    }
    if (!(change < threshold::overflow)) return {Outcome::rank_loss, k, change};
    if (settled) return finish(eps, k);
    if (projected) place_stages(eps, ahead);
    if (k > 8 && change > 4 * before && !projected) return {Outcome::no_convergence, k, change};
    before = change;
  }
  return {Outcome::no_convergence, most_iterations, before};
}

/// From y^ = y0.
template <class Field, class S>
template <class Sys>
void SundmanStepper<Field, S>::start(const Sys& system) {
  for (int i = 0; i < n_; ++i) hat_q_[i] = q0_[i], hat_p_[i] = p0_[i];
  if (!projects()) return;
  field_.normal(system, q0_.data(), p0_.data(), here_);
  there_ = here_;
  for (int i = 0; i < m_; ++i)
    for (int j = 0; j <= i; ++j) gram_here_(i, j) = here_.gram(i, j);
  for (int k = 0; k < m_; ++k) mu_[k] = nu_[k] = S(0);
  moved_ = never, unprojected_ = projected_every;
}

/// At turning points a momentum is as large as what it becomes.
template <class Field, class S>
void SundmanStepper<Field, S>::set_sizes(double h) {
  size_q_ = std::max({largest(q0_), h * largest_stage(a_), threshold::zero_pivot});
  size_p_ = std::max({largest(p0_), h * largest_stage(b_), threshold::zero_pivot});
}

/// y^ + eps A K, and how much K is not the one of the stages before. Where it goes ahead, q' first
/// follows the momenta.
template <class Field, class S>
StageChange<S> SundmanStepper<Field, S>::place_stages(const S& eps, bool ahead) {
  StageChange<S> change;
  if constexpr (std::is_same_v<S, double>) {
    const StageMap<S> map = gauss_->a.times(eps);
    const double* __restrict inverse_mass = field_.inverse_mass().data();
    const double *q = hat_q_.data(), *p = hat_p_.data();
    Lanes *a = a_.data(), *x = x_.data(), *y = y_.data();
    const Lanes *b = b_.data(), *last_a = last_a_.data(), *last_b = last_b_.data();
    const Lanes sigma = a[n_];
    for (int i = 0; i < n_; ++i) {
      const Lanes now = map.plus(p[i], b[i]);
      change.p.add(b[i], last_b[i]);
      change.q.add(a[i], last_a[i]);
      if (ahead) a[i] += sigma * (Lanes(inverse_mass[i]) * (now - y[i]));
      y[i] = now;
      x[i] = map.plus(q[i], a[i]);
    }
    return change;
  } else {
    for (int i = 0; i < n_; ++i) {
      y_[i] = add_scaled_stages<S>(hat_p_[i], eps, gauss_->a(b_[i]));
      x_[i] = add_scaled_stages<S>(hat_q_[i], eps, gauss_->a(a_[i]));
    }
    return change_of_stages();
  }
}

template <class Field, class S>
StageChange<S> SundmanStepper<Field, S>::change_of_stages() const {
  StageChange<S> change;
  for (int i = 0; i < n_; ++i) {
    change.q.add(a_[i], last_a_[i]);
    change.p.add(b_[i], last_b_[i]);
  }
  return change;
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
  return {Outcome::ok, iterations};
}

template <class Field, class S>
template <class Sys>
void SundmanStepper<Field, S>::first_stages(const Sys& system, bool physical) {
  if (steps_ > 0 && !physical) {  // the polynomial through those of the last step
    for (int i = 0; i < n_; ++i) a_[i] = gauss_->ahead(a_[i]), b_[i] = gauss_->ahead(b_[i]);
    return;
  }
  // As if the field were the same at all stages.
  for (int i = 0; i < n_; ++i) {
    x_[i] = each_stage<S>([&](int) { return q0_[i]; });
    y_[i] = each_stage<S>([&](int) { return p0_[i]; });
  }
  x_[n_] = each_stage<S>([&](int) { return S(R(floor_)); });
  evaluate(system, physical);
}

/// Along the polynomial of the last stages g and G M^-1 p change by what its slopes there do not
/// yet agree with the field, and by the error of the quadrature. The first vanishes as the stages
/// converge, and the second is known long before.
template <class Field, class S>
template <class Sys>
void SundmanStepper<Field, S>::leave_out_change(const Sys& system, const S& eps) {
  for (int i = 0; i < n_; ++i) {
    along_x_[i] = x_[i], along_x_[n_ + i] = subtract_stages<S>(last_a_[i], a_[i]);
    along_y_[i] = y_[i], along_y_[n_ + i] = subtract_stages<S>(last_b_[i], b_[i]);
  }
  field_.rates(system, along_x_.data(), along_y_.data(), rate_g_.data(), rate_p_.data());
  for (int k = 0; k < m_; ++k) {
    there_.values[k] -= eps * gauss_->weigh(rate_g_[k]);
    there_.values[m_ + k] -= eps * gauss_->weigh(rate_p_[k]);
  }
}

template <class Field, class S>
template <class Sys>
void SundmanStepper<Field, S>::project(const Sys& system, const S& eps, bool settled) {
  const auto &a = settled ? a_ : last_a_, &b = settled ? b_ : last_b_;
  for (int i = 0; i < n_; ++i) {
    end_q_[i] = hat_q_[i] + eps * gauss_->weigh(a[i]);
    end_p_[i] = hat_p_[i] + eps * gauss_->weigh(b[i]);
  }
  add_rows(there_.raised(), mu_, end_q_);
  add_rows(there_.rows(), nu_, end_p_);
  field_.normal(system, end_q_.data(), end_p_.data(), there_);
  if (!settled) leave_out_change(system, eps);
  factor([&](int i, int j) { return S(gram_here_(i, j) + there_.gram(i, j)); });
  const auto correct = [&](const auto& residual, const auto& rows, auto& multiplier, auto& point,
                           double size) {
    for (int k = 0; k < m_; ++k) change_[k] = -residual[k];
    ldlt_solve_factored(work_, change_);
    for (int k = 0; k < m_; ++k) multiplier[k] += change_[k];
    double farthest = 0;
    for (int i = 0; i < n_; ++i) {
      S moved(R(0));
      for (int k = 0; k < m_; ++k) moved += rows[k * n_ + i] * change_[k];
      point[i] += moved;
      farthest += magnitude(moved);
    }
    return farthest / size;
  };
  const double moved_q = correct(there_.g(), here_.raised(), mu_, hat_q_, size_q_);
  moved_ = larger(moved_q, correct(there_.rate(), here_.rows(), nu_, hat_p_, size_p_));
  unprojected_ = 0;
}

/// What stages of a step leave of g and G M^-1 p: rounding alone of quadratic constraints, and what
/// a tolerance lets them.
template <class Field, class S>
template <class Sys, class State>
void SundmanStepper<Field, S>::project_rest(const Sys& system, State& z) {
  if (!has_rest()) return;
  const auto look = [&] {
    field_.normal(system, z.q.data(), z.p.data(), there_);
    factor([&](int i, int j) { return there_.gram(i, j); });
  };
  const auto correct = [&](const auto& residual, const auto& rows, auto& sums, auto& point) {
    for (int k = 0; k < m_; ++k) change_[k] = -residual[k];
    ldlt_solve_factored(work_, change_);
    double most = 0;
    for (int i = 0; i < n_; ++i) {
      S moved = rows[i] * change_[0];
      for (int k = 1; k < m_; ++k) moved += rows[k * n_ + i] * change_[k];
      sums[i].add(moved, point[i]);
      most = larger(most, magnitude(moved));
    }
    return most / size_q_;
  };
  // Newton's method, which squares what is left.
  constexpr double nearly = 1e-9;
  double moved = 1;
  for (int k = 0; k < 4 && moved > nearly; ++k) {
    look();
    moved = correct(there_.g(), there_.raised(), sum_q_, z.q);
  }
  if (moved > 8 * epsilon<S>) look();
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
    // A quarter takes up to a tenth more iterations at equal error on the quartic surface, a half
    // as many more on Kepler's problem on a sphere.
    const ForceChoice chosen = choose_force_scale(field_, system, z, h, 0.4);
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
