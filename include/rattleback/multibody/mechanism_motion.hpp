// A mechanism on its way, and the methods that move it.
#pragma once

#include <string_view>
#include <vector>

#include "rattleback/integrators/any_motion.hpp"
#include "rattleback/integrators/family.hpp"
#include "rattleback/multibody/mechanism.hpp"

namespace rattleback {

/// rattlie, lie-rattle, lie-composition, lie-euler-a, lie-euler-b, rigid-rattle: methods on the
/// group of the bodies. They make no steppers of phase-space systems.
const std::vector<Family>& mechanism_families();
/// "rattlie:retraction=cayley". Throws InputError that names the choices.
Method find_mechanism_method(std::string_view specification);
/// Of one step: those of a composition, each of two halves where the method has them.
int substep_count(const Method& method);

/// Numbers of a state: position, orientation (w, x, y, z), velocity and angular velocity, each of
/// all bodies. The start is taken as it is. Throws InputError and ModelError where joints do not
/// fit.
AnyMotionPointer mechanism_motion(const Mechanism& mechanism, const Method& method,
                                  const SolveOptions& solve = {});
/// "hinge.force_x", "hinge.torque_z": what each joint does to its second body, at its point there,
/// in space axes. The multipliers of such a motion are these six of each joint, at the state that
/// was looked at last; joints without a name are counted ("joint2").
std::vector<std::string> reaction_names(const Mechanism& mechanism);
/// The bodies of such a state.
std::vector<Body> bodies_of(const Mechanism& mechanism, const AnyMotion::Point& state);

/// What the joints of a mechanism are, as equations at its start.
struct MechanismReport {
  int bodies = 0, equations = 0, rank = 0;
  std::vector<int> redundant{};       ///< equations (from 0) that follow from the others
  std::vector<std::string> labels{};  ///< of those
  bool loops = false;                 ///< whether joints close any

  int freedoms() const { return 6 * bodies - rank; }
};
/// Throws as mechanism_motion() does.
MechanismReport report_on(const Mechanism& mechanism);

/// The velocities that are nearest in kinetic energy among those that the joints allow.
Mechanism with_consistent_velocities(Mechanism mechanism);
/// Throws ModelError where the velocities at the start tear a joint apart.
void require_consistent_velocities(const Mechanism& mechanism);

}  // namespace rattleback
