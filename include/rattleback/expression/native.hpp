// Programs as machine code for x86-64 with AVX2 and FMA, or AVX-512, for one point or several at a
// time.
// Results are those of Program::run<double>, to the bit (which NaN a NaN is excepted).
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "rattleback/expression/program.hpp"

namespace rattleback {

class NativeCode {
 public:
  /// Whether this processor and system can; if not, run the program itself. The environment
  /// variable RATTLEBACK_NO_NATIVE=1 says no.
  static bool available();
  /// Doubles in a register of this processor: 8 with AVX-512, else 4.
  static int widest();

  NativeCode() = default;
  /// `lanes` (1, 4, 8 or 16) points at once: entry k of every array is the `lanes` doubles from
  /// k * stride on; stride 0 stands for `lanes`. The program is not needed afterwards. Throws where
  /// not available().
  /// With `rows` the program is the first row of a family, in which row r reads and writes r places
  /// further. All rows are run, one after another or, with stride 1, `lanes` at a time: at least so
  /// many there must be.
  /// `constants` stand for those of the program, `lanes` for each: every lane has its own.
  /// `width`: 4 for code without AVX-512. `registers`: how many the lanes of a point fill at least.
  /// With two one computes while the other waits: eight pendulums take 42 ns a step, with one 57
  /// ns. Where the caller waits for every call one is better: half the instructions, and what is
  /// read next was written at once.
  explicit NativeCode(const Program& program, int lanes = 1, int stride = 0, int rows = 0,
                      std::span<const double> constants = {}, int width = widest(),
                      int registers = 2);

  /// f(x, y) -> (a, b); what is written must not overlap what is read. Any number of threads may
  /// call the same code. Arrays that the program does not touch may be null.
  void operator()(const double* x, const double* y, double* a, double* b) const {
    code_(x, y, a, b, scratch_ == 0 ? nullptr : scratch(scratch_));
  }
  using Function = void (*)(const double*, const double*, double*, double*, double*);
  /// The code itself, the last argument being null; null where it needs more room than the stack.
  Function function() const { return scratch_ == 0 ? code_ : nullptr; }
  explicit operator bool() const { return code_ != nullptr; }
  int lanes() const { return lanes_; }
  int stride() const { return stride_; }
  /// Bytes of code and constants.
  std::size_t size() const { return size_; }

 private:
  /// At least so many doubles of this thread, for what does not fit into registers and stack.
  static double* scratch(std::size_t doubles);

  Function code_ = nullptr;
  std::size_t scratch_ = 0, size_ = 0;
  int lanes_ = 1, stride_ = 1;
  std::shared_ptr<const void> memory_;  ///< copies share it; the last one frees it
};

}  // namespace rattleback
