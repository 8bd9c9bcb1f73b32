#include "witness_lists.hpp"

namespace rattleback::testing {

void add_mixed_witnesses(std::vector<WitnessSystem>& list) { witness::for_each_mixed(adder(list)); }

}  // namespace rattleback::testing
