// Outputs ready to run: native code for double and packs where the machine allows it, byte code for
// every other scalar. Families of outputs run as loops (families.hpp), the rest as straight-line
// code. Native code is made when it is first asked for.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "rattleback/expression/families.hpp"
#include "rattleback/expression/native.hpp"

namespace rattleback {

/// Copies share the code. Any number of threads may call the same function.
class CompiledFunction {
 public:
  CompiledFunction() = default;
  CompiledFunction(const Graph& graph, int split, std::span<const Program::Output> outputs);

  /// Whether the two differ in the values of their constants at most.
  bool has_shape_of(const CompiledFunction& other) const;
  static constexpr int lanes_of_a_pack = pack_lanes;
  /// Functions of one shape, one in each lane of a pack. It is called with packs only.
  static CompiledFunction packed(std::span<const CompiledFunction* const> lanes);

  /// The same code, which adds one to *calls each time it runs.
  CompiledFunction counted(std::shared_ptr<long> calls) const;

  /// Whether it runs, or would run, as native code.
  bool is_native() const { return body_ && body_->native(); }

  /// f(x, y) -> (a, b); see Program. What is written must not overlap what is read.
  template <class S>
  void operator()(const S* x, const S* y, S* a, S* b) const {
    if (calls_) ++*calls_;
    if (!body_) return;
    if constexpr (std::is_same_v<S, double>) {
      if (body_->native()) return body_->call(x, y, a, b);
    } else if constexpr (detail::is_pack<S>) {
      if (body_->lanes > 1 && body_->native())
        return body_->call(as_doubles(x), as_doubles(y), as_doubles(a), as_doubles(b));
    }
    for (const Part& part : body_->parts)
      for (int r = 0; r < part.rows; ++r)
        part.program.run(part.constants.data(), body_->lanes, x + r, y + r, a + r, b + r);
    for (const GatheredPart& part : body_->gathered) part.run(body_->lanes, x, y, a, b);
  }
  /// The native code of a function without families; null where there is none, and where calls are
  /// counted.
  NativeCode::Function function() const {
    return !calls_ && is_native() && body_->parts.size() == 1 && body_->parts[0].rows == 1 &&
                   body_->gathered.empty()
               ? body_->parts[0].code.function()
               : nullptr;
  }
  /// Whether the values depend on nothing, so that one call does for all; not where calls are
  /// counted.
  bool is_constant() const;

 private:
  struct Part {
    int rows;
    Program program;
    std::vector<double> constants;  ///< of every lane
    NativeCode code{};
  };
  struct GatheredPart {
    GatheredFamily family;
    std::vector<double> constants, row_constants;  ///< of every lane
    NativeCode code{};

    template <class S>
    void run(int lanes, const S* x, const S* y, S* a, S* b) const;
    /// In native code.
    void call(int lanes, const double* x, const double* y, double* a, double* b) const;
  };
  struct Body {
    int lanes = 1;
    std::vector<Part> parts;
    std::vector<GatheredPart> gathered;

    bool native() {
      const Code now = code_.load(std::memory_order_acquire);
      return now == Code::undecided ? decide() : now == Code::native;
    }
    void call(const double* x, const double* y, double* a, double* b) const {
      for (const Part& part : parts) part.code(x, y, a, b);
      for (const GatheredPart& part : gathered) part.call(lanes, x, y, a, b);
    }

   private:
    enum class Code : std::uint8_t { undecided, native, bytes };
    bool decide();
    bool compile();
    std::atomic<Code> code_ = Code::undecided;
    std::mutex mutex_;
  };
  template <class Pack>
  static const double* as_doubles(const Pack* x) {
    return reinterpret_cast<const double*>(x);
  }
  template <class Pack>
  static double* as_doubles(Pack* x) {
    return reinterpret_cast<double*>(x);
  }

  std::shared_ptr<Body> body_;
  std::shared_ptr<long> calls_;  ///< null: nobody counts
};

/// Row by row, in byte code.
template <class S>
void CompiledFunction::GatheredPart::run(int lanes, const S* x, const S* y, S* a, S* b) const {
  constexpr int block = GatheredFamily::block;
  const std::size_t inputs = family.from.size(), outputs = family.to.size();
  const std::size_t own = row_constants.size() / lanes / family.rows, rows = family.rows;
  thread_local std::vector<S> memory;  // grows to what the largest row of this thread needs
  if (memory.size() < (inputs + own + outputs) * block)
    memory.resize((inputs + own + outputs) * block);
  S *in = memory.data(), *out = in + (inputs + own) * block;
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t k = 0; k < inputs; ++k)
      in[k * block] = (family.from[k].which == 0 ? x : y)[family.input[k * rows + r]];
    for (std::size_t k = 0; k < own; ++k)
      in[(inputs + k) * block] =
          detail::constant<S>(row_constants.data() + (k * rows + r) * lanes, lanes);
    family.program.run(constants.data(), lanes, in, in, out, out);
    for (std::size_t k = 0; k < outputs; ++k)
      (family.to[k].which == 0 ? a : b)[family.output[k * rows + r]] = out[k * block];
  }
}

extern template void CompiledFunction::GatheredPart::run(int, const double*, const double*, double*,
                                                         double*) const;
extern template void CompiledFunction::GatheredPart::run(int, const Pack*, const Pack*, Pack*,
                                                         Pack*) const;

}  // namespace rattleback
