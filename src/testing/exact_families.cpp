// The registered families in the scalars of laws and references; see families/scalars.hpp.
#include "../integrators/families/scalars.hpp"
#include "rattleback/problem/error.hpp"

namespace rattleback {

#define FAMILY(name) Family name##_family(FamilyScalars);
#include "../integrators/families.inc"
#undef FAMILY

const Factories& exact_factories(const Family& family) {
  static const std::vector<Family> all{
#define FAMILY(name) name##_family({}),
#include "../integrators/families.inc"
#undef FAMILY
  };
  for (const Family& exact : all)
    if (exact.name == family.name) return exact.make;
  throw InputError("method", "'" + family.name + "' has steppers in doubles and packs only");
}

}  // namespace rattleback
