// The sources of this folder are compiled twice: for the scalars that run, into the library, and
// (RATTLEBACK_EXACT_SCALARS) for those that laws and references need, into rattleback_testing. They
// define nothing but families and steppers, which differ in their types.
#pragma once

#include "rattleback/integrators/family.hpp"

namespace rattleback {

using StepDual = Dual<double, 4>;

#ifdef RATTLEBACK_EXACT_SCALARS
using FamilyScalars = Scalars<StepDual, Quad>;
#define RATTLEBACK_FOR_FAMILY_SCALARS(instantiate) instantiate(StepDual) instantiate(Quad)
#else
using FamilyScalars = Scalars<double, Pack>;
#define RATTLEBACK_FOR_FAMILY_SCALARS(instantiate) instantiate(double) instantiate(Pack)
#endif

/// What makes the steppers of a family here.
template <class Make, class List = FamilyScalars>
Factories steppers(const Make& make) {
  return {make, List{}};
}

}  // namespace rattleback
