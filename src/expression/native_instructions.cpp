// The steps of an allocation as x86 instructions, one by one.
#include <cmath>
#include <stdexcept>

#include "native_writer.hpp"

#if defined(__x86_64__) && defined(RATTLEBACK_HAS_ASMJIT)

namespace rattleback::detail {

namespace x86 = asmjit::x86;

namespace {

using One = double (*)(double);
using Two = double (*)(double, double);

std::uint64_t address(Operation operation) {
  const auto one = [](One f) { return reinterpret_cast<std::uint64_t>(f); };
  const auto two = [](Two f) { return reinterpret_cast<std::uint64_t>(f); };
  switch (operation) {
    case Operation::exp:
      return one(std::exp);
    case Operation::log:
      return one(std::log);
    case Operation::sin:
      return one(std::sin);
    case Operation::cos:
      return one(std::cos);
    case Operation::tan:
      return one(std::tan);
    case Operation::asin:
      return one(std::asin);
    case Operation::acos:
      return one(std::acos);
    case Operation::atan:
      return one(std::atan);
    case Operation::sinh:
      return one(std::sinh);
    case Operation::cosh:
      return one(std::cosh);
    case Operation::tanh:
      return one(std::tanh);
    case Operation::power:
      return two(std::pow);
    case Operation::atan2:
      return two(std::atan2);
    default:
      throw std::logic_error("native code: no function for " + std::string(spelling(operation)));
  }
}

}  // namespace

void NativeWriter::write(const Step& step) {
  switch (step.kind) {
    case Step::load:
      return emit({x86::Inst::kIdVmovsd, x86::Inst::kIdVmovupd}, reg(step.target), mem(step.place));
    case Step::store:
      return emit({x86::Inst::kIdVmovsd, x86::Inst::kIdVmovupd}, mem(step.place), reg(step.first));
    case Step::move:
      return emit({x86::Inst::kIdVmovapd, x86::Inst::kIdVmovapd}, reg(step.target),
                  reg(step.first));
    case Step::compute:
      return compute(step);
    case Step::form_132:
    case Step::form_213:
    case Step::form_231:
      return fused(step);
    case Step::sign:
      return sign(step);
    case Step::call:
      return call(step);
    case Step::call_pair:
      return call_pair(step);
  }
}

NativeWriter::Forms NativeWriter::arithmetic(Operation operation) {
  switch (operation) {
    case Operation::add:
      return {x86::Inst::kIdVaddsd, x86::Inst::kIdVaddpd};
    case Operation::subtract:
      return {x86::Inst::kIdVsubsd, x86::Inst::kIdVsubpd};
    case Operation::multiply:
      return {x86::Inst::kIdVmulsd, x86::Inst::kIdVmulpd};
    default:
      return {x86::Inst::kIdVdivsd, x86::Inst::kIdVdivpd};
  }
}

void NativeWriter::compute(const Step& step) {
  const x86::Vec target = reg(step.target), first = reg(step.first);
  switch (step.operation) {
    case Operation::sqrt:
      if (lanes_ == 1)
        as_.vsqrtsd(x86::xmm(step.target), x86::xmm(step.first), x86::xmm(step.first));
      else
        as_.vsqrtpd(target, first);
      return;
    case Operation::negate:
      return static_cast<void>(as_.vxorpd(target, first, mask(sign_bit)));
    case Operation::abs:
      return static_cast<void>(as_.vandpd(target, first, mask(all_but_sign)));
    default:
      break;
  }
  const Forms forms = arithmetic(step.operation);
  if (step.second >= 0)
    emit(forms, target, first, reg(step.second));
  else
    emit(forms, target, first, mem(step.place));
}

void NativeWriter::fused(const Step& step) {
  namespace I = x86::Inst;
  // By operation, then by form 132, 213, 231.
  static constexpr Forms table[3][3] = {{{I::kIdVfmadd132sd, I::kIdVfmadd132pd},
                                         {I::kIdVfmadd213sd, I::kIdVfmadd213pd},
                                         {I::kIdVfmadd231sd, I::kIdVfmadd231pd}},
                                        {{I::kIdVfnmadd132sd, I::kIdVfnmadd132pd},
                                         {I::kIdVfnmadd213sd, I::kIdVfnmadd213pd},
                                         {I::kIdVfnmadd231sd, I::kIdVfnmadd231pd}},
                                        {{I::kIdVfmsub132sd, I::kIdVfmsub132pd},
                                         {I::kIdVfmsub213sd, I::kIdVfmsub213pd},
                                         {I::kIdVfmsub231sd, I::kIdVfmsub231pd}}};
  const Forms forms = table[static_cast<int>(step.operation) -
                            static_cast<int>(Operation::multiply_add)][step.kind - Step::form_132];
  if (step.first >= 0)
    emit(forms, reg(step.target), reg(step.second), reg(step.first));
  else
    emit(forms, reg(step.target), reg(step.second), mem(step.place));
}

/// (x > 0) - (x < 0): zero for what is not a number, too.
void NativeWriter::sign(const Step& step) {
  const x86::Vec target = reg(step.target), spare = reg(step.second), x = reg(step.first);
  const auto one_where = [&](const x86::Vec& to, int relation) {
    const Forms compare{x86::Inst::kIdVcmpsd, x86::Inst::kIdVcmppd};
    if (avx512_) {  // registers above 15 are compared into masks only
      emit(compare, x86::k1, x, mask(zero), asmjit::imm(relation));
      as_.k(x86::k1).z().vmovapd(to, mask(one));
    } else {
      emit(compare, to, x, mask(zero), asmjit::imm(relation));
      as_.vandpd(to, to, mask(one));
    }
  };
  one_where(target, 30);  // greater, ordered, quiet
  one_where(spare, 17);   // less, ordered, quiet
  emit({x86::Inst::kIdVsubsd, x86::Inst::kIdVsubpd}, target, target, spare);
}

void NativeWriter::call(const Step& step) {
  const std::uint64_t function = address(step.operation);
  if (lanes_ == 1) return call(function);
  as_.vzeroupper();  // nothing is in registers
  for (int lane = 0; lane < lanes_; ++lane) {
    as_.vmovsd(x86::xmm0, mem(step.place, lane));
    if (step.other.array != Place::none) as_.vmovsd(x86::xmm1, mem(step.other, lane));
    call(function);
    as_.vmovsd(mem(step.result, lane), x86::xmm0);
  }
}

void NativeWriter::call_pair(const Step& step) {
  using Pair = void (*)(double, double*, double*);
  const Pair function = sincos;
  if (lanes_ > 1) as_.vzeroupper();
  for (int lane = 0; lane < lanes_; ++lane) {
    if (lanes_ > 1) as_.vmovsd(x86::xmm0, mem(step.place, lane));
    as_.lea(x86::rdi, mem(step.result, lane));
    as_.lea(x86::rsi, mem(step.other, lane));
    call(reinterpret_cast<std::uint64_t>(function));
  }
}

void NativeWriter::call(std::uint64_t function) {
  as_.mov(x86::rax, function);
  as_.call(x86::rax);
}

}  // namespace rattleback::detail

#endif
