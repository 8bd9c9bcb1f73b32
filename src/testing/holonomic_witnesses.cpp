#include "witness_lists.hpp"

namespace rattleback::testing {

void add_holonomic_witnesses(std::vector<WitnessSystem>& list) {
  witness::for_each_holonomic(adder(list));
}

}  // namespace rattleback::testing
