#include "rattleback/study/memory.hpp"

#include "rattleback/expression/memory.hpp"

namespace rattleback::study {

std::uint64_t memory_to_run(const SystemDescription& system) {
  std::uint64_t nonzeros = 0;
  for (const Expression g : system.constraints) nonzeros += system.graph->inputs_of(g).size();
  return setup_memory(static_cast<std::uint64_t>(system.dimension()), system.constraints.size(),
                      nonzeros);
}

std::uint64_t memory_to_check(const SystemDescription& system) {
  return 2 * memory_to_run(system);  // a chain of 10^5 links takes 1.02 GB, 435 MB for a run
}

}  // namespace rattleback::study
