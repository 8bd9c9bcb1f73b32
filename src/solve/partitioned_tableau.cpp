#include "rattleback/solve/partitioned_tableau.hpp"

namespace rattleback {

std::string to_string(const PartitionedConditions& found) {
  const auto line = [](const char* what, double value) {
    return std::string(what) + ' ' + detail::quote(value);
  };
  return line("defect of sum b = 1", found.consistent) + ", " +
         line("of symplecticity (22)", found.symplectic) + ", " +
         line("of equal weights (23)", found.equal_weights) + ", " +
         line("of symplectic multipliers", found.forces) + ", " +
         line("of nodes from q to q1", found.lands) + ", " +
         line("smallest pivot for the multipliers", found.pivot);
}

}  // namespace rattleback
