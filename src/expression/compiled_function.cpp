#include "rattleback/expression/compiled_function.hpp"

#include <algorithm>

namespace rattleback {

namespace {

/// Straight-line code beyond this fits no cache and gains nothing over byte code.
constexpr int most_native_values = 2'000'000;

}  // namespace

CompiledFunction::CompiledFunction(const Graph& graph, int split,
                                   std::span<const Program::Output> outputs) {
  native_ = NativeCode::available();
  for (const Family& family : find_families(graph, split, outputs)) {
    parts_.push_back({family.rows, Program(graph, split, family.outputs), {}});
    native_ = native_ && parts_.back().program.value_count() <= most_native_values;
  }
  if (!native_) return;
  for (Part& part : parts_)
    part.code =
        part.rows > 1 ? NativeCode(part.program, 4, 1, part.rows) : NativeCode(part.program);
}

bool CompiledFunction::is_constant() const {
  return std::all_of(parts_.begin(), parts_.end(), [](const Part& part) {
    return part.program.inputs().empty() && part.program.instructions().empty();
  });
}

}  // namespace rattleback
