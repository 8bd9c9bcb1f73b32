// How much memory a model will take, from its expressions: before any of it is taken.
#pragma once

#include <cstdint>

#include "rattleback/expression/description.hpp"

namespace rattleback::study {

/// Bytes, about, from the text to the first step.
std::uint64_t memory_to_run(const SystemDescription& system);
/// Bytes, about, of an analysis, which keeps derivatives of derivatives besides.
std::uint64_t memory_to_check(const SystemDescription& system);

}  // namespace rattleback::study
