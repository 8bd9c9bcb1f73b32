#include "rattleback/integrators/dmap.hpp"

#include "../common_options.hpp"

namespace rattleback {

namespace {

double theta_of(const Values& values) {
  const std::string& map = values.word("map");
  return map == "euler-a"   ? 0
         : map == "euler-b" ? 1
         : map == "theta"   ? values.number("theta")
                            : 0.5;
}

BaseMapChoice base_map_of(double theta) {
  if (theta == 0) return BaseMap::euler_a;
  if (theta == 1) return BaseMap::euler_b;
  if (theta == 0.5) return BaseMap::midpoint;
  return {BaseMap::theta, theta};
}

/// Half a step, and the adjoint for the other half. A step that fails leaves the state as it was.
template <class S>
class ComposedMaps {
 public:
  ComposedMaps(const AnySystem& system, AnyStepperPointer<S> first, AnyStepperPointer<S> second,
               bool in_the_middle, Projection project)
      : first_{std::move(first)},
        second_{std::move(second)},
        in_the_middle_(in_the_middle),
        project_(project),
        work_{Vector<S, dynamic>(system.dimension()), Vector<S, dynamic>(system.dimension())} {}

  Status step(const AnySystem& system, State<S>& z, const Real<S>& h) {
    copy(z.q, work_.q), copy(z.p, work_.p);
    const Real<S> half = h / Real<S>(2);
    reset();  // each finds a state that the other has moved
    Status status = first_.step(system, work_, half);
    int iterations = status.iterations;
    if (status && in_the_middle_) status = first_.present(system, work_);
    if (status) status = second_.step(system, work_, half);
    iterations += status.iterations;
    if (status && project_ == Projection::every) status = second_.present(system, work_);
    if (!status) {
      reset();
      return status;
    }
    copy(work_.q, z.q), copy(work_.p, z.p);
    return {Outcome::ok, iterations};
  }
  void reset() { first_.reset(), second_.reset(); }
  Status present(const AnySystem& system, State<S>& z) {
    return project_ == Projection::output ? second_.present(system, z) : Status{};
  }
  Projections projections(long steps, long looks) {
    const Projections ends = detail::projections(project_, steps, looks);
    return {ends.position, ends.momentum + (in_the_middle_ ? steps : 0)};
  }
  std::string structure(const AnySystem& system) const { return first_.structure(system); }

 private:
  OwnedStepper<S> first_, second_;
  bool in_the_middle_;
  Projection project_;
  State<S> work_;
};

struct MakeDmap {
  template <class S>
  AnyStepperPointer<S> operator()(const Values& values, const AnySystem& system,
                                  const SolveOptions& solve) const {
    const Traits t = system.traits();
    if (!t.holonomic || !t.lagrangian)
      throw ModelError("dmap: " + system.name() + " has " +
                       (t.holonomic ? "no known Lagrangian" : "constraints on momenta"));
    const double theta = theta_of(values);
    const Projection project = projection_of(values);
    const auto one = [&](double at, Projection shown) -> AnyStepperPointer<S> {
      if (values.word("form") == "multipliers")
        return shake_rattle_stepper<S>(system, base_map_of(at), shown, solve);
      return erase<S>(NullSpaceStepper<AnySystem, S>(system, at, shown, solve));
    };
    const std::string& composition = values.word("composition");
    if (composition == "none") return one(theta, project);
    return erase<S>(ComposedMaps<S>(system, one(theta, Projection::output),
                                    one(1 - theta, Projection::output), composition == "intrinsic",
                                    project));
  }
};

Option map_option() {
  Option option =
      word_option("map", "discretization map", {"midpoint", "euler-a", "euler-b", "theta"});
  option.in_name = true;
  return option;
}

Option theta_of_map() {
  Option option = theta_option();
  option.text = "where L is taken between q0 and q1: 0 is euler-a, 0.5 midpoint, 1 euler-b";
  option.only_with = {"map", "theta"};
  return option;
}

}  // namespace

Family dmap_family(FamilyScalars) {
  return composable(
      {.name = "dmap",
       .text = "cotangent lift of a discretization map, constraints at both ends",
       .options = {map_option(), theta_of_map(),
                   word_option("form", "with multipliers, or in the null space of G without them",
                               {"multipliers", "nullspace"}),
                   word_option("composition",
                               "half a step and half a step of the adjoint map; extrinsic and "
                               "intrinsic are the same map",
                               {"none", "extrinsic", "intrinsic"}),
                   project_option()},
       .claims = [](const Values& v) -> Claims {
         return dmap_info(theta_of(v), v.word("composition") != "none");
       },
       .make = steppers(MakeDmap{}),
       .together = {{{"map", "euler-a"}, {"composition", "extrinsic"}},
                    {{"map", "euler-b"}, {"form", "nullspace"}},
                    {{"map", "theta"},
                     {"theta", 0.25},
                     {"form", "nullspace"},
                     {"composition", "intrinsic"}}}});
}

}  // namespace rattleback
