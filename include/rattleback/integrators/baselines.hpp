// What not to use, kept honest: the usual ways to run a constrained system without its structure.
//
//   velocity-verlet  explicit velocity Verlet on q'' = a(q,v), multipliers eliminated
//                    q1 = q + h v + h^2/2 a(q,v)
//                    v1 = v + h/2 (a(q,v) + a(q1, v + h a(q,v)))
//   rk4              the classical tableau on z' = X_H + sum lambda_i X_gi, lambda from
//                    d/dt {g,H} = 0
//   projection       an unconstrained verlet step, then the nearest point of g = 0 and the nearest
//                    momentum, in the metric of M:
//                    q1 = q~ - M^-1 G(q1)^T nu,  g(q1) = 0;  p1 = p~ - G(q1)^T mu,  G M^-1 p1 = 0
//
// The first two drift off the constraint; the third keeps it but projects across the fibres of the
// old point, loses order (1, not 2), the symplectic form and the energy (errata S1, S4, pitfall 8).
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "rattleback/integrators/differenced_stepper.hpp"
#include "rattleback/integrators/eliminated_field.hpp"
#include "rattleback/integrators/method_info.hpp"
#include "rattleback/integrators/naive_projection.hpp"
#include "rattleback/solve/structure.hpp"

namespace rattleback {

enum class Baseline { velocity_verlet, rk4, projection };

struct BaselineInfo {
  Baseline kind;
  std::string_view name;
  int order;
  bool keeps_constraints;
  Applies applies;
};
inline constexpr std::array<BaselineInfo, 3> baselines{
    {{Baseline::velocity_verlet,
      "velocity-verlet",
      2,
      false,
      {.lagrangian = true, .holonomic = true}},
     {Baseline::rk4, "rk4", 4, false, {}},
     {Baseline::projection, "projection", 1, true, {.natural = true, .holonomic = true}}}};

constexpr const BaselineInfo& info(Baseline kind) {
  return baselines[static_cast<std::size_t>(kind)];
}

inline MethodInfo baseline_info(Baseline kind) {
  const BaselineInfo& b = info(kind);
  return {.name = "baseline:kind=" + std::string(b.name),
          .order = b.order,
          .symmetric = false,
          .symplectic_on = SymplecticOn::nothing,
          .preserves_primary = b.keeps_constraints,
          .preserves_hidden = b.keeps_constraints,
          .applies = b.applies,
          .cite = "[Chapter], what not to use"};
}

/// The explicit methods on the eliminated equations.
template <class Sys, class S>
class EliminatedStepper {
 public:
  using State = StateOf<Sys, S>;
  using Position = PositionOf<Sys, S>;

  EliminatedStepper(const Sys& system, Baseline kind, SolveOptions = {})
      : kind_(kind), n_(system.dimension()), field_(system), work_(sized()), sum_(sized()) {
    if (kind == Baseline::velocity_verlet && !system.traits().lagrangian)
      throw ModelError("baseline velocity-verlet: needs the momentum of a velocity, a Lagrangian");
    for (auto* v : {&dq_, &dp_, &v_, &a_, &a1_, &v1_, &unused_}) v->resize(n_);
  }
  void reset() {}
  Status present(const Sys&, State&) { return {}; }
  static std::string structure(const Sys& system) {
    return "by elimination, " + in_words(SolverKind::dense, system.constraint_count());
  }

  Status step(const Sys& system, State& z, const Real<S>& h) {
    Status status;
    if constexpr (LagrangianForm<Sys>)
      status = kind_ == Baseline::rk4 ? rk4(system, z, h) : velocity_verlet(system, z, h);
    else
      status = rk4(system, z, h);
    if (!status) return status;
    const double size = larger(largest_magnitude(sum_.q), largest_magnitude(sum_.p));
    if (!(size < 1e150)) return {Outcome::not_finite, 0, size};
    copy(sum_.q, z.q);
    copy(sum_.p, z.p);
    return status;
  }

 private:
  State sized() const { return {Position(n_), Position(n_)}; }

  // k1 = f(z), k2 = f(z + h/2 k1), k3 = f(z + h/2 k2), k4 = f(z + h k3)
  // z1 = z + h/6 (k1 + 2 k2 + 2 k3 + k4)
  Status rk4(const Sys& system, const State& z, const Real<S>& h) {
    const Real<S> stage[] = {h / 2, h / 2, h}, weight[] = {h / 6, h / 3, h / 3, h / 6};
    copy(z.q, work_.q), copy(z.p, work_.p);
    copy(z.q, sum_.q), copy(z.p, sum_.p);
    for (int i = 0; i < 4; ++i) {
      if (Status s = field_.evaluate(system, work_, dq_, dp_); !s) return s;
      add_scaled(weight[i], dq_, sum_.q);
      add_scaled(weight[i], dp_, sum_.p);
      if (i == 3) break;
      copy(z.q, work_.q), copy(z.p, work_.p);
      add_scaled(stage[i], dq_, work_.q);
      add_scaled(stage[i], dp_, work_.p);
    }
    return {};
  }

  Status velocity_verlet(const Sys& system, const State& z, const Real<S>& h) {
    if (Status s = field_.evaluate(system, z, v_, dp_); !s) return s;
    field_.acceleration(system, z, v_, dp_, a_);
    copy(z.q, sum_.q);
    add_scaled(h, v_, sum_.q);
    add_scaled(Real<S>(h * h / 2), a_, sum_.q);
    copy(v_, v1_);
    add_scaled(h, a_, v1_);
    copy(sum_.q, work_.q);
    system.lagrangian_gradient(work_.q, v1_, unused_, work_.p);  // p = L_v(q1, v + h a)
    if (Status s = field_.evaluate(system, work_, dq_, dp_); !s) return s;
    field_.acceleration(system, work_, dq_, dp_, a1_);
    for (int i = 0; i < n_; ++i) v1_[i] = v_[i] + (a_[i] + a1_[i]) * Real<S>(h / 2);
    system.lagrangian_gradient(sum_.q, v1_, unused_, sum_.p);
    return {};
  }

  Baseline kind_;
  int n_;
  EliminatedField<Sys, S> field_;
  State work_, sum_;
  Position dq_, dp_, v_, a_, a1_, v1_, unused_;
};

/// Its field takes second derivatives already, so that its own come from differences.
template <class Sys, class S>
using DifferencedStepper = Differenced<EliminatedStepper, Sys, S>;

/// One of the baselines as a method.
template <Baseline kind = Baseline::rk4>
struct NaiveMethod {
  SolveOptions solve{};
  MethodInfo info() const { return baseline_info(kind); }
  template <class S, class Sys>
  auto stepper(const Sys& system) const {
    if constexpr (kind == Baseline::projection)
      return NaiveProjectionStepper<Sys, S>(system, solve);
    else if constexpr (is_dual<S>)
      return DifferencedStepper<Sys, S>(system, kind, solve);
    else
      return EliminatedStepper<Sys, S>(system, kind, solve);
  }
};

}  // namespace rattleback
