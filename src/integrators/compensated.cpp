#include "rattleback/integrators/compensated.hpp"

#include "common_options.hpp"

namespace rattleback {

namespace detail {

void refuse_compensated(const std::string& method) {
  throw InputError("compensated",
                   "'" + method +
                       "' has no compensated form on this system; it exists for shake and rattle "
                       "with base verlet, euler-a or euler-b, on natural systems (constant mass) "
                       "with constraints on positions");
}

}  // namespace detail

AnyStepperPointer<double> compensated_stepper(const AnySystem& system, const Method& method,
                                              const SolveOptions& solve) {
  const std::string& family = method.family().name;
  const bool composed = method.values().has("compose") && method.values().word("compose") != "none";
  if ((family != "shake" && family != "rattle") || composed)
    detail::refuse_compensated(method.info().name);
  return erase<double>(detail::make_compensated(system, base_of(method.values()),
                                                projection_of(method.values()), solve));
}

}  // namespace rattleback
