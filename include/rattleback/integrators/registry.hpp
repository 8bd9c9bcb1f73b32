// The one list of methods. It drives the command line, the method tables of the docs, the
// benchmarks and the law suite. A new family is one header, one source that describes it, and one
// line in src/integrators/families.inc.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rattleback/integrators/family.hpp"
#include "rattleback/integrators/integrate.hpp"
#include "rattleback/integrators/natural_steps.hpp"

namespace rattleback {

const std::vector<Family>& families();

/// Nothing where there is none of this name.
const Family* find_family(std::string_view name);

/// "rattle", "rattle:base=midpoint,project=output", "splitting:c=[0.5;0.5]": options left out take
/// their standard values. Throws InputError that names the choices; `also` are names that the
/// caller knows besides the families, to be suggested.
Method find_method(std::string_view specification, const std::vector<std::string>& also = {});
/// The same of a list of one's own, which must outlive the method.
Method find_method_among(const std::vector<Family>& families, std::string_view specification,
                         const std::vector<std::string>& also = {});

/// Of every family: each sample of each option once, with the others at their standard, and what
/// the family names to be run together. These the laws hold to every claim.
const std::vector<Method>& law_methods();

/// integrate() for what is known at run time only.
Run<double, dynamic> integrate(const AnySystem& system, const Method& method,
                               const State<double>& start, const RunOptions<State<double>>& options,
                               const SolveOptions& solve = {});

/// The same as a motion, for whoever reads layouts. Throws ModelError where the method does not
/// apply; the start is taken as it is.
AnyMotionPointer phase_space_motion(const AnySystem& system, const Method& method,
                                    const State<double>& start,
                                    const std::vector<std::string>& coordinates,
                                    const SolveOptions& solve = {});
/// The same by a stepper of one's own, which the method named has no part in.
AnyMotionPointer phase_space_motion(const AnySystem& system, const std::string& method,
                                    AnyStepperPointer<double> stepper, const State<double>& start,
                                    const std::vector<std::string>& coordinates);

}  // namespace rattleback
