#include "rattleback/integrators/prk.hpp"

#include "../common_options.hpp"
#include "../partitioned_stepper.hpp"
#include "rattleback/expression/sparse_derivatives.hpp"

namespace rattleback {

namespace {

/// prk1-adjoint(h/2) after prk1(h/2) by steppers of their own: what each remembers is of its last
/// half step.
template <class S>
class TwoHalves {
 public:
  TwoHalves(const AnySystem& system, OwnedStepper<S> first, OwnedStepper<S> second)
      : first_(std::move(first)),
        second_(std::move(second)),
        work_{Vector<S, dynamic>(system.dimension()), Vector<S, dynamic>(system.dimension())},
        lambda_(system.constraint_count()) {}

  Status step(const AnySystem& system, State<S>& z, const Real<S>& h) {
    const Real<S> half = h / 2;
    copy(z.q, work_.q), copy(z.p, work_.p);
    lambda_.setConstant(S(0));
    int iterations = 0;
    for (OwnedStepper<S>* stepper : {&first_, &second_}) {
      stepper->reset();
      const Status status = stepper->step(system, work_, half);
      if (!status) return status;
      iterations += status.iterations;
      for (Eigen::Index i = 0; i < lambda_.size(); ++i) lambda_[i] += stepper->lambda()[i];
    }
    copy(work_.q, z.q), copy(work_.p, z.p);
    return {Outcome::ok, iterations};
  }
  void reset() {}
  Status present(const AnySystem&, State<S>&) { return {}; }
  const Vector<S, dynamic>& lambda() const { return lambda_; }
  Projections projections(long steps, long) const { return {0, 2 * steps}; }
  std::string structure(const AnySystem& system) const { return first_.structure(system); }

 private:
  OwnedStepper<S> first_, second_;
  State<S> work_;
  Vector<S, dynamic> lambda_;
};

struct MakeReich {
  Reich method;

  template <class S>
  AnyStepperPointer<S> operator()(const Values&, const AnySystem& system,
                                  const SolveOptions& solve) const {
    require_holonomic(reich_info(method).name.c_str(), system);
    // The same maps, by the structure of the constraints and of H.
    if (sparse_derivatives(system)) {
      const auto rattle = [&](BaseMap base) {
        return shake_rattle_stepper<S>(system, base, Projection::every, solve);
      };
      if (method == Reich::prk1) return rattle(BaseMap::euler_a);
      if (method == Reich::prk1_adjoint) return rattle(BaseMap::euler_b);
      if (!system.traits().separable)
        return erase<S>(
            TwoHalves<S>(system, {rattle(BaseMap::euler_a)}, {rattle(BaseMap::euler_b)}));
      const Quad half = 0.5;
      return splitting_stepper<S>(system, {{half, half}, {half, 0, half}}, Projection::every,
                                  solve);
    }
    return partitioned_stepper<S>(system, reich_tableau<Real<S>>(method), solve);
  }
};

Family reich_family(Reich method, const char* text) {
  return {.name = reich_info(method).name,
          .text = text,
          .options = {},
          .claims = [method](const Values&) -> Claims { return reich_info(method); },
          .make = steppers(MakeReich{method})};
}

}  // namespace

Family prk1_family(FamilyScalars) {
  return reich_family(
      Reich::prk1, "one-stage partitioned Runge-Kutta method, p~ and lambda solved for together");
}
Family prk1_adjoint_family(FamilyScalars) {
  return reich_family(Reich::prk1_adjoint, "the adjoint of prk1: H is taken at q1");
}
Family prk2_family(FamilyScalars) {
  return with_density(composable(
      reich_family(Reich::prk2, "half a step of prk1, then half a step of its adjoint")));
}

}  // namespace rattleback
