// Native code of a program: its constants, then the function, as bytes in memory that is not
// executable yet. native_allocation.hpp decides where values live; here every step becomes
// instructions.
#pragma once

#if defined(__x86_64__) && defined(RATTLEBACK_HAS_ASMJIT)

#include <asmjit/x86.h>

#include <cstdint>
#include <span>
#include <string>

#include "native_allocation.hpp"
#include "rattleback/problem/error.hpp"

namespace rattleback::detail {

/// Collects the first error; asmjit is not compiled to be thrown through.
class Errors : public asmjit::ErrorHandler {
 public:
  void handleError(asmjit::Error, const char* message, asmjit::BaseEmitter*) override {
    if (message_.empty()) message_ = message;
  }
  void check() const {
    if (!message_.empty()) throw Error("native code: " + message_);
  }

 private:
  std::string message_;
};

class NativeWriter {
 public:
  NativeWriter(const Program& program, int lanes, int stride, int rows,
               std::span<const double> constants, int width, int registers);

  /// Returns where in the code the function begins.
  std::size_t write();
  std::size_t size() const { return code_.textSection()->bufferSize(); }
  const void* data() const { return code_.textSection()->data(); }
  /// Doubles that the function wants in its fifth argument.
  std::size_t scratch() const {
    return slots_on_stack_ ? 0 : static_cast<std::size_t>(plan_.slots) * lanes_;
  }

 private:
  using Vec = asmjit::x86::Vec;
  using Mem = asmjit::x86::Mem;
  /// x86 instructions of one operation, for one lane and for several.
  struct Forms {
    asmjit::x86::Inst::Id one, several;
  };
  enum Mask { sign_bit, all_but_sign, one, zero };
  static constexpr int alignment = 64;  ///< of a register, in bytes
  static constexpr int saved_registers = 5;

  // The frame: native_writer.cpp
  std::int64_t slot_bytes() const { return std::int64_t{8} * plan_.slots * lanes_; }
  int frame() const;
  void write_constants();
  void write_body();
  void write_rows();
  void prologue();
  void epilogue();

  // Operands
  Mem mask(Mask which) const { return asmjit::x86::ptr(pool_, alignment * which); }
  Vec reg(int r) const;
  Mem mem(const Place& place, int lane = 0) const;

  // Instructions: native_instructions.cpp
  void write(const Step& step);
  template <class... Operands>
  void emit(Forms forms, const Operands&... operands) {
    as_.emit(lanes_ == 1 ? forms.one : forms.several, operands...);
  }
  static Forms arithmetic(Operation operation);
  void compute(const Step& step);
  void fused(const Step& step);
  void sign(const Step& step);
  void call(const Step& step);
  void call_pair(const Step& step);
  void call(std::uint64_t function);

  const Program& program_;
  const std::span<const double> own_constants_;
  const int all_lanes_;
  const int lanes_;     // in a register
  const bool avx512_;   // then there are 32 registers of any width, and masks
  int first_lane_ = 0;  // of those being written
  const int stride_, rows_;
  const Allocation plan_;
  bool slots_on_stack_ = true;
  Errors errors_;
  asmjit::CodeHolder code_;
  asmjit::x86::Assembler as_;
  asmjit::Label pool_;
};

}  // namespace rattleback::detail

#endif
