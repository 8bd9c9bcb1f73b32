// Steps that vary and can be reversed, for any symmetric method Phi  [Hairer05]: a density rho of
// steps in time follows what it should be, 1/sigma up to a factor (force_scale.hpp),
//
//   rho_{n+1/2} = rho_n + eps/2 Q(z_n),   z_{n+1} = Phi_{eps/rho_{n+1/2}}(z_n),
//   rho_{n+1} = rho_{n+1/2} + eps/2 Q(z_{n+1}),   Q = d log(1/sigma)/dt
//
// With -eps this undoes itself. It is no symplectic map of z, also where Phi is one: the step
// depends on z. Q is odd in p, so that what is reversible in that sense stays so, and energies
// stay as near as those of a symmetric method do.
//
// rho_0 = 1, so that eps is about the first step. Q is taken where the state is looked at: on
// fibres Phi is known up to a slide. With an end to the time (Clock) the last step is what is left,
// which is no part of the reversible run. A step in which rho changes by more than a factor of 4 on
// either side is refused: it is too large for sigma to be followed.
#pragma once

#include <cmath>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "rattleback/integrators/any_stepper.hpp"
#include "rattleback/integrators/compensated_sum.hpp"
#include "rattleback/integrators/force_scale.hpp"
#include "rattleback/problem/quad.hpp"
#include "rattleback/problem/vector_ops.hpp"
#include "rattleback/solve/thresholds.hpp"

namespace rattleback {

/// The field of a system, behind what density asks of it. S is double or Quad.
template <class S>
struct ForceRate {
  /// Q at a point, for steps of sigma eps.
  std::function<S(const AnySystem&, const State<S>&, double floor, const S& eps)> rate;
  /// In double only.
  std::function<ForceChoice(const AnySystem&, const State<double>&, double h)> choose{};
};
template <class S>
ForceRate<S> force_rate(const AnySystem& system);

/// In duals a step has derivatives by its length, too. Those and the derivatives of Q are
/// differences in quad precision, as in Differenced.
template <class S>
class DensityDerivatives {
 public:
  DensityDerivatives(int n, AnyStepperPointer<Quad> phi, ForceRate<Quad> q)
      : phi_(std::move(phi)),
        q_(std::move(q)),
        plus_{Vector<Quad, dynamic>(n), Vector<Quad, dynamic>(n)},
        minus_(plus_) {}

  /// Q, of which `value` is known.
  S rate(const AnySystem& system, const State<S>& z, double value, double floor, double eps) {
    S q(value);
    for (int k = 0; k < partials; ++k) {
      const Quad d(1e-11);
      for (Eigen::Index i = 0; i < z.q.size(); ++i) {
        plus_.q[i] = Quad(z.q[i].value) + d * z.q[i].partials[k];
        plus_.p[i] = Quad(z.p[i].value) + d * z.p[i].partials[k];
        minus_.q[i] = Quad(z.q[i].value) - d * z.q[i].partials[k];
        minus_.p[i] = Quad(z.p[i].value) - d * z.p[i].partials[k];
      }
      const Quad change = q_.rate(system, plus_, floor, eps) - q_.rate(system, minus_, floor, eps);
      q.partials[k] = static_cast<double>(Quad(change / (2 * d)));
    }
    return q;
  }
  /// Adds to `after`, a step of length.value from `before`, what it owes to the partials of length.
  Status add_length(const AnySystem& system, const State<S>& before, const S& length,
                    State<S>& after) {
    const Quad h(length.value), d = h * Quad(1e-11);
    for (auto [z, step] : {std::pair(&plus_, Quad(h + d)), std::pair(&minus_, Quad(h - d))}) {
      for (Eigen::Index i = 0; i < before.q.size(); ++i)
        z->q[i] = before.q[i].value, z->p[i] = before.p[i].value;
      phi_->reset();
      if (Status s = phi_->step(system, *z, step); !s) return s;
    }
    for (Eigen::Index i = 0; i < before.q.size(); ++i) {
      const Quad q = (plus_.q[i] - minus_.q[i]) / (2 * d), p = (plus_.p[i] - minus_.p[i]) / (2 * d);
      for (int k = 0; k < partials; ++k) {
        after.q[i].partials[k] += static_cast<double>(q) * length.partials[k];
        after.p[i].partials[k] += static_cast<double>(p) * length.partials[k];
      }
    }
    return {};
  }

 private:
  static constexpr int partials = []<class T, int K>(std::type_identity<Dual<T, K>>) {
    return K;
  }(std::type_identity<S>{});
  AnyStepperPointer<Quad> phi_;
  ForceRate<Quad> q_;
  State<Quad> plus_, minus_;
};

/// S is double, Dual<double, 4> or Quad. A step that fails leaves the state as it was.
template <class S>
class DensityStepper {
 public:
  using R = Real<S>;
  using Point = State<S>;
  struct None {};
  using Derivatives = std::conditional_t<is_dual<S>, DensityDerivatives<S>, None>;

  /// `order` of Phi, for `accuracy`, a wanted error at the end by which eps is chosen; 0: as given.
  /// `pilot`: the same in double, whose choices are taken over; none for double itself.
  DensityStepper(const AnySystem& system, AnyStepperPointer<S> phi, int order, double accuracy,
                 AnyStepperPointer<double> pilot, Derivatives derivatives)
      : phi_{std::move(phi)},
        rate_(force_rate<Base<S>>(system)),
        derivatives_(std::move(derivatives)),
        pilot_(std::move(pilot)),
        order_(order),
        accuracy_(accuracy),
        before_{Vector<S, dynamic>(system.dimension()), Vector<S, dynamic>(system.dimension())},
        shown_(before_),
        plain_{Vector<Base<S>, dynamic>(system.dimension()),
               Vector<Base<S>, dynamic>(system.dimension())} {}

  /// What was chosen at the start stays, and so does rho.
  void reset() {
    phi_.reset();
    known_ = false;
    sum_t_.reset();
  }
  Clock* clock() { return &clock_; }
  void save(std::vector<double>& to) const {
    to.insert(to.end(), {scale_, choice_.floor, choice_.slowness, static_cast<double>(base(rho_)),
                         clock_.time});
  }
  void restore(std::span<const double> saved) {
    scale_ = saved[0], choice_ = {saved[1], saved[2]};
    begin(saved[3], saved[4]);
  }
  Status present(const AnySystem& system, Point& z) { return phi_.present(system, z); }
  MultiplierView<S> lambda() const { return phi_.lambda(); }
  Projections projections(long steps, long looks) { return phi_.projections(steps, looks); }
  std::string structure(const AnySystem& system) const { return phi_.structure(system); }

  Status step(const AnySystem& system, Point& z, const R& h) {
    if (!(choice_.slowness > 0))
      if (Status s = choose(system, z, h); !s) return s;
    const R eps = h * R(scale_);
    if (!known_)
      if (Status s = look(system, z, eps); !s) return s;
    const S half = rho_ + q_ * (eps / R(2));
    if (!follows(rho_, half)) return lost();
    S length = S(eps) / half;
    bool last = false;
    if (std::isfinite(clock_.end)) {
      const S rest = S(R(clock_.end)) - time_;
      // A step that ends just before the end is the last one as well.
      last = magnitude(length) * (1 + 1e-9) >= magnitude(rest) || (base(rest) > 0) != (h > 0);
      if (last) length = rest;
    }
    copy(z.q, before_.q), copy(z.p, before_.p);
    Status status = move(system, z, length);
    if (status && !last)
      if (Status s = look(system, z, eps); !s) status = s;
    const S rho = half + q_ * (eps / R(2));
    if (status && !last && !follows(half, rho)) status = lost();
    if (!status) {
      copy(before_.q, z.q), copy(before_.p, z.p);
      reset();
      return status;
    }
    if (last)
      known_ = false;  // rho stays: the next one, if there is one, begins a run of its own
    else
      rho_ = rho;
    sum_t_.add(length, time_);
    clock_.time = last ? clock_.end : static_cast<double>(base(time_));
    return status;
  }

 private:
  /// A density that falls to nothing in half a step, or rises steeply, follows no motion.
  static bool follows(const S& before, const S& after) {
    constexpr int most = 4;
    return base(after) * most > base(before) && base(after) < base(before) * most;
  }
  static Status lost() { return {Outcome::no_convergence, 0, 1}; }
  void begin(double rho, double time) {
    rho_ = S(R(rho)), time_ = S(R(time)), clock_.time = time;
    reset();
  }

  Status move(const AnySystem& system, Point& z, const S& length) {
    const Status status = phi_.step(system, z, R(base(length)));
    if constexpr (is_dual<S>)
      if (status) {
        phi_.reset();  // it remembers the end of the step without what is added here
        if (Status s = derivatives_.add_length(system, before_, length, z); !s) return s;
      }
    return status;
  }
  /// Q at z.
  Status look(const AnySystem& system, const Point& z, const R& eps) {
    copy(z.q, shown_.q), copy(z.p, shown_.p);
    if (Status s = phi_.present(system, shown_); !s) return s;
    const R size = eps * R(choice_.slowness);
    for (Eigen::Index i = 0; i < shown_.q.size(); ++i)
      plain_.q[i] = base(shown_.q[i]), plain_.p[i] = base(shown_.p[i]);
    const auto value = rate_.rate(system, plain_, choice_.floor, size);
    if (!(magnitude(value) < threshold::overflow)) return {Outcome::not_finite, 0, 0};
    if constexpr (is_dual<S>)
      q_ = derivatives_.rate(system, shown_, value, choice_.floor, size);
    else
      q_ = value;
    known_ = true;
    return {};
  }

  Status choose(const AnySystem& system, const Point& z, const R& h) {
    if constexpr (!std::is_same_v<S, double>) {
      State<double> start{Vector<double, dynamic>(z.q.size()), Vector<double, dynamic>(z.q.size())};
      for (Eigen::Index i = 0; i < z.q.size(); ++i) {
        start.q[i] = static_cast<double>(base(z.q[i]));
        start.p[i] = static_cast<double>(base(z.p[i]));
      }
      *pilot_->clock() = {.end = clock_.end};
      const Status status = pilot_->step(system, start, static_cast<double>(h));
      std::vector<double> chosen;
      pilot_->save(chosen);
      if (!status) return status;
      scale_ = chosen[0], choice_ = {chosen[1], chosen[2]};
      return {};
    } else {
      choice_ = rate_.choose(system, z, h);
      if (!std::isfinite(choice_.slowness))
        return choice_.slowness = 0, Status{Outcome::not_finite, 0, choice_.floor};
      if (accuracy_ > 0) choose_scale(system, z, h);
      return {};
    }
  }
  void choose_scale(const AnySystem& system, const State<double>& z, double h) {
    const Clock wanted = clock_;
    const double whole = std::isfinite(wanted.end) ? std::abs(wanted.end) : 100 * std::abs(h);
    const auto run = [&](double scale, double end, int most, State<double>& w) {
      scale_ = scale, clock_.end = end, w = z;
      begin(1, 0);
      for (int k = 0; k < most && !clock_.at_end() && std::abs(clock_.time) <= whole; ++k)
        if (!step(system, w, h)) return 0.0;
      return present(system, w) ? clock_.time : 0.0;
    };
    scale_ = factor_for_accuracy(1, order_, accuracy_, whole, z, run);
    clock_.end = wanted.end;
    begin(1, wanted.time);
  }

  OwnedStepper<S> phi_;
  ForceRate<Base<S>> rate_;
  [[no_unique_address]] Derivatives derivatives_;
  AnyStepperPointer<double> pilot_;
  int order_;
  double accuracy_;
  double scale_ = 1;  // eps/h
  ForceChoice choice_{};
  S rho_ = S(1), q_ = S(0), time_ = S(0);
  bool known_ = false;  // Q of the state as it is
  CompensatedSum<S> sum_t_;
  Point before_, shown_;
  State<Base<S>> plain_;
  Clock clock_{};
};

}  // namespace rattleback
