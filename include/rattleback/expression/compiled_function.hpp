// Outputs ready to run: native code for double where the machine allows it, byte code for every
// other scalar. Families of outputs run as loops (families.hpp), the rest as straight-line code.
#pragma once

#include <span>
#include <vector>

#include "rattleback/expression/families.hpp"
#include "rattleback/expression/native.hpp"

namespace rattleback {

class CompiledFunction {
 public:
  CompiledFunction() = default;
  CompiledFunction(const Graph& graph, int split, std::span<const Program::Output> outputs);

  bool is_native() const { return native_; }

  /// f(x, y) -> (a, b); see Program. What is written must not overlap what is read.
  template <class S>
  void operator()(const S* x, const S* y, S* a, S* b) const {
    if constexpr (std::is_same_v<S, double>)
      if (native_) {
        for (const Part& part : parts_) part.code(x, y, a, b);
        return;
      }
    for (const Part& part : parts_)
      for (int r = 0; r < part.rows; ++r) part.program.run(x + r, y + r, a + r, b + r);
  }
  /// The native code of a function without families; null where there is none.
  NativeCode::Function function() const {
    return native_ && parts_.size() == 1 && parts_[0].rows == 1 ? parts_[0].code.function()
                                                                : nullptr;
  }
  /// Whether the values depend on nothing.
  bool is_constant() const;

 private:
  struct Part {
    int rows;
    Program program;
    NativeCode code;
  };
  std::vector<Part> parts_;
  bool native_ = false;
};

}  // namespace rattleback
