// A program ready to run: native code for double where the machine allows it, byte code for every
// other scalar.
#pragma once

#include <optional>
#include <span>

#include "rattleback/expression/native.hpp"
#include "rattleback/expression/program.hpp"

namespace rattleback {

class CompiledFunction {
 public:
  CompiledFunction() = default;
  CompiledFunction(const Graph& graph, int split, std::span<const Program::Output> outputs)
      : program_(graph, split, outputs) {
    if (NativeCode::available() && program_.value_count() <= most_native_values)
      native_.emplace(program_);
  }
  const Program& program() const { return program_; }
  bool is_native() const { return native_.has_value(); }

  /// f(x, y) -> (a, b); see Program.
  template <class S>
  void operator()(const S* x, const S* y, S* a, S* b) const {
    if constexpr (std::is_same_v<S, double>)
      if (native_) return (*native_)(x, y, a, b);
    program_.run(x, y, a, b);
  }

 private:
  /// Straight-line code beyond this no longer fits any cache and gains nothing over byte code.
  static constexpr int most_native_values = 2'000'000;
  Program program_;
  std::optional<NativeCode> native_;
};

}  // namespace rattleback
