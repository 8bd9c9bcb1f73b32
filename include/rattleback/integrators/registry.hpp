// The one list of methods. It drives the command line, the method table of the docs, the benchmarks
// and the law suite. A new method is one header, one source with its entries, and one line here.
#pragma once

#include <string_view>
#include <vector>

#include "rattleback/integrators/any_stepper.hpp"
#include "rattleback/integrators/integrate.hpp"
#include "rattleback/integrators/natural_steps.hpp"

namespace rattleback {

std::vector<Method> shake_rattle_methods();  // shake_rattle.hpp
std::vector<Method> variational_methods();   // variational.hpp
std::vector<Method> cotangent_methods();     // cotangent.hpp
std::vector<Method> index1_methods();        // index1.hpp
std::vector<Method> baseline_methods();      // baselines.hpp

/// Every method with every choice of its options.
const std::vector<Method>& registry();

/// "rattle", "rattle:base=midpoint,project=output": options left out take their defaults. Throws
/// InputError that names the choices.
const Method& find_method(std::string_view specification);

/// integrate() for what is known at run time only.
Run<double, dynamic> integrate(const AnySystem& system, const Method& method,
                               const State<double>& start, const RunOptions<State<double>>& options,
                               const SolveOptions& solve = {});

}  // namespace rattleback
