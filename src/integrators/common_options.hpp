// Options that several families have, and the steppers of SHAKE and RATTLE for those built on them.
#pragma once

#include "families/scalars.hpp"
#include "rattleback/integrators/shake_rattle.hpp"

namespace rattleback {

/// base = verlet, ...: the map that the method is built on.
Option base_option();
/// theta = 0 to 1, of base=theta.
Option theta_option();
BaseMapChoice base_of(const Values& values);

/// project = every, output.
Option project_option();
/// Projection::never for a family without that option.
Projection projection_of(const Values& values);

/// The family with the option compose = none, ... besides its own: every method it has that is
/// symmetric may be composed with itself (composition.hpp). Of a family with the option `project`
/// the substeps are not projected.
Family composable(Family family, FamilyScalars = {});

/// The family with the options density and accuracy besides its own: every method it has that is
/// symmetric may vary its steps (density.hpp). The laws run the combinations given.
Family with_density(Family family, std::vector<Values> in_laws = {}, FamilyScalars = {});

/// By the fastest core that fits. Instantiated for the four scalars of Factories: the cores compile
/// long.
template <class S>
AnyStepperPointer<S> shake_rattle_stepper(const AnySystem& system, const BaseMapChoice& base,
                                          Projection project, const SolveOptions& solve);

}  // namespace rattleback
