// Rattleback: structure-preserving simulation of constrained Hamiltonian systems.
#pragma once

#include "rattleback/geometry/consistent.hpp"
#include "rattleback/integrators/composition.hpp"
#include "rattleback/integrators/integrate.hpp"
#include "rattleback/integrators/shake_rattle.hpp"
#include "rattleback/problem/hamiltonian_system.hpp"
#include "rattleback/problem/natural_system.hpp"
