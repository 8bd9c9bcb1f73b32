#include "rattleback/integrators/compensated.hpp"

#include "rattleback/problem/error.hpp"

namespace rattleback {

void detail::require_compensable(const Traits& traits) {
  const char* lack = !traits.natural     ? "a natural Hamiltonian p.M^-1 p/2 + V(q)"
                     : !traits.holonomic ? "constraints on positions only"
                                         : nullptr;
  if (lack) throw ModelError(std::string("compensated sums need ") + lack);
}

}  // namespace rattleback
