#include "rattleback/expression/native.hpp"

#include <cstdlib>
#include <string>

#include "rattleback/problem/error.hpp"

#if defined(__x86_64__) && defined(RATTLEBACK_HAS_ASMJIT)

#include <asmjit/x86.h>

#include <array>
#include <bit>
#include <cstring>
#include <new>

#include "native_allocation.hpp"

namespace rattleback {

namespace {

using detail::Place;
using detail::Step;
namespace x86 = asmjit::x86;

/// Of a register, in bytes.
constexpr int alignment = 64;
/// Larger frames could step over the guard page below the stack; they get memory of the thread.
constexpr int largest_frame = 4000;

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

/// x86 instructions of one operation, for one lane and for several.
struct Forms {
  x86::Inst::Id one, several;
};

/// How many lanes go into one register. Points get two, so that one computes while the other waits:
/// eight pendulums take 42 ns a step in two of four, 57 ns in one of eight. Rows come in numbers.
int in_a_register(int lanes, bool rows, int width) {
  return lanes <= 4 || rows ? lanes : std::min(lanes / 2, width);
}

class Writer {
 public:
  Writer(const Program& program, int lanes, int stride, int rows, std::span<const double> constants,
         int width)
      : program_(program),
        own_constants_(constants),
        all_lanes_(lanes),
        lanes_(in_a_register(lanes, rows > 0 && stride == 1, width)),
        avx512_(width == 8),
        stride_(stride),
        rows_(rows),
        plan_(detail::allocate(program, lanes > 1, avx512_ ? 32 : 16)) {
    code_.init(asmjit::Environment::host());
    code_.setErrorHandler(&errors_);
    code_.attach(&as_);
    slots_on_stack_ = slot_bytes() <= largest_frame;
  }

  /// Returns where in the code the function begins.
  std::size_t write() {
    pool_ = as_.newLabel();
    as_.align(asmjit::AlignMode::kData, alignment);
    as_.bind(pool_);
    write_constants();
    const std::size_t entry = as_.offset();
    prologue();
    if (rows_ > 0)
      write_rows();
    else
      write_body();
    epilogue();
    errors_.check();
    return entry;
  }
  std::size_t size() const { return code_.textSection()->bufferSize(); }
  const void* data() const { return code_.textSection()->data(); }
  /// Doubles that the function wants in its fifth argument.
  std::size_t scratch() const {
    return slots_on_stack_ ? 0 : static_cast<std::size_t>(plan_.slots) * lanes_;
  }

 private:
  std::int64_t slot_bytes() const { return std::int64_t{8} * plan_.slots * lanes_; }
  int frame() const {
    return slots_on_stack_
               ? static_cast<int>((slot_bytes() + alignment - 1) / alignment) * alignment
               : 0;
  }

  void write_constants() {
    const std::uint64_t sign = std::uint64_t{1} << 63;
    for (const std::uint64_t bits :
         {sign, ~sign, std::bit_cast<std::uint64_t>(1.0), std::uint64_t{0}})
      for (int copy = 0; copy < alignment / 8; ++copy) as_.embedUInt64(bits);
    if (own_constants_.empty())
      for (const double c : program_.constants())
        for (int lane = 0; lane < all_lanes_; ++lane) as_.embedDouble(c);
    else
      as_.embed(own_constants_.data(), own_constants_.size_bytes());
  }
  enum Mask { sign_bit, all_but_sign, one, zero };
  x86::Mem mask(Mask which) const { return x86::ptr(pool_, alignment * which); }

  x86::Vec reg(int r) const {
    if (lanes_ == 1) return x86::xmm(r);
    return lanes_ == 4 ? x86::Vec(x86::ymm(r)) : x86::Vec(x86::zmm(r));
  }
  /// Lane `lane` of a place, or all of it from lane 0 on.
  x86::Mem mem(const Place& place, int lane = 0) const {
    const auto at = [&](const x86::Gp& base, std::int64_t entry) {
      const std::int64_t offset = 8 * (entry + lane);
      if (offset >= std::int64_t{1} << 31) throw Error("native code: an array is too long");
      return x86::ptr(base, static_cast<std::int32_t>(offset));
    };
    const std::int64_t entry = std::int64_t{place.index} * stride_ + first_lane_;
    switch (place.array) {
      case Place::constant:
        return x86::ptr(pool_, 4 * alignment + 8 * (place.index * all_lanes_ + first_lane_ + lane));
      case Place::x:
        return at(plan_.calls ? x86::rbx : x86::rdi, entry);
      case Place::y:
        return at(plan_.calls ? x86::r12 : x86::rsi, entry);
      case Place::a:
        return at(plan_.calls ? x86::r13 : x86::rdx, entry);
      case Place::b:
        return at(plan_.calls ? x86::r14 : x86::rcx, entry);
      case Place::slot:
        return at(slots_on_stack_ ? x86::rsp : (plan_.calls ? x86::r15 : x86::r8),
                  std::int64_t{place.index} * lanes_);
      default:
        throw std::logic_error("native code: a value is nowhere");
    }
  }

  /// A register full of lanes at a time.
  void write_body() {
    for (first_lane_ = 0; first_lane_ < all_lanes_; first_lane_ += lanes_)
      for (const Step& step : plan_.steps) write(step);
  }

  /// The same for windows of one row or, side by side in the lanes, several; then the last window
  /// is moved back to end with the last row.
  void write_rows() {
    if (plan_.calls && !slots_on_stack_) throw Error("native code: a row is too long");
    const x86::Gp left = plan_.calls ? x86::r15 : x86::r9;
    const int window = stride_ == 1 ? lanes_ : 1;
    const int windows = (rows_ + window - 1) / window, surplus = windows * window - rows_;
    const auto move = [&](int rows) {
      using namespace x86;
      for (const Gp& pointer :
           plan_.calls ? std::array{rbx, r12, r13, r14} : std::array{rdi, rsi, rdx, rcx})
        as_.add(pointer, 8 * stride_ * rows);
    };
    const asmjit::Label top = as_.newLabel(), done = as_.newLabel();
    as_.mov(left.r32(), windows);
    as_.bind(top);
    write_body();
    as_.dec(left.r32());
    as_.jz(done);
    move(window);
    if (surplus > 0) {
      as_.cmp(left.r32(), 1);
      as_.jne(top);
      move(-surplus);
    }
    as_.jmp(top);
    as_.bind(done);
  }

  static constexpr int saved_registers = 5;
  void prologue() {
    if (!plan_.calls && frame() == 0) return;
    as_.push(x86::rbp);
    as_.mov(x86::rbp, x86::rsp);
    if (plan_.calls) {
      const std::pair<x86::Gp, x86::Gp> kept[saved_registers] = {{x86::rbx, x86::rdi},
                                                                 {x86::r12, x86::rsi},
                                                                 {x86::r13, x86::rdx},
                                                                 {x86::r14, x86::rcx},
                                                                 {x86::r15, x86::r8}};
      for (const auto& [home, argument] : kept) {
        as_.push(home);
        as_.mov(home, argument);
      }
    }
    if (frame() > 0) as_.sub(x86::rsp, frame());
    as_.and_(x86::rsp, -alignment);
  }
  void epilogue() {
    if (lanes_ > 1) as_.vzeroupper();
    if (plan_.calls) {
      as_.lea(x86::rsp, x86::ptr(x86::rbp, -8 * saved_registers));
      for (const x86::Gp& r : {x86::r15, x86::r14, x86::r13, x86::r12, x86::rbx}) as_.pop(r);
      as_.pop(x86::rbp);
    } else if (frame() > 0) {
      as_.mov(x86::rsp, x86::rbp);
      as_.pop(x86::rbp);
    }
    as_.ret();
  }

  void write(const Step& step) {
    switch (step.kind) {
      case Step::load:
        return emit({x86::Inst::kIdVmovsd, x86::Inst::kIdVmovupd}, reg(step.target),
                    mem(step.place));
      case Step::store:
        return emit({x86::Inst::kIdVmovsd, x86::Inst::kIdVmovupd}, mem(step.place),
                    reg(step.first));
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
  template <class... Operands>
  void emit(Forms forms, const Operands&... operands) {
    as_.emit(lanes_ == 1 ? forms.one : forms.several, operands...);
  }

  void compute(const Step& step) {
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
    const Forms forms = [&]() -> Forms {
      switch (step.operation) {
        case Operation::add:
          return {x86::Inst::kIdVaddsd, x86::Inst::kIdVaddpd};
        case Operation::subtract:
          return {x86::Inst::kIdVsubsd, x86::Inst::kIdVsubpd};
        case Operation::multiply:
          return {x86::Inst::kIdVmulsd, x86::Inst::kIdVmulpd};
        default:
          return {x86::Inst::kIdVdivsd, x86::Inst::kIdVdivpd};
      }
    }();
    if (step.second >= 0)
      emit(forms, target, first, reg(step.second));
    else
      emit(forms, target, first, mem(step.place));
  }

  void fused(const Step& step) {
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
    const Forms forms =
        table[static_cast<int>(step.operation) - static_cast<int>(Operation::multiply_add)]
             [step.kind - Step::form_132];
    if (step.first >= 0)
      emit(forms, reg(step.target), reg(step.second), reg(step.first));
    else
      emit(forms, reg(step.target), reg(step.second), mem(step.place));
  }

  /// (x > 0) - (x < 0): zero for what is not a number, too.
  void sign(const Step& step) {
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

  void call(const Step& step) {
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
  void call_pair(const Step& step) {
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
  void call(std::uint64_t function) {
    as_.mov(x86::rax, function);
    as_.call(x86::rax);
  }

  const Program& program_;
  const std::span<const double> own_constants_;
  const int all_lanes_;
  const int lanes_;     // in a register
  const bool avx512_;   // then there are 32 registers of any width, and masks
  int first_lane_ = 0;  // of those being written
  const int stride_, rows_;
  const detail::Allocation plan_;
  bool slots_on_stack_ = true;
  Errors errors_;
  asmjit::CodeHolder code_;
  x86::Assembler as_;
  asmjit::Label pool_;
};

/// Pages of their own for every code, writable first and executable then. Pages that several codes
/// share would have to be both, or be shared with the children of a fork.
class Pages {
 public:
  Pages(const void* code, std::size_t size) : size_(size) {
    using namespace asmjit::VirtMem;
    const std::size_t page = info().pageSize;
    size_ = (size + page - 1) / page * page;
    if (alloc(&start_, size_, MemoryFlags::kAccessRW) != asmjit::kErrorOk) throw std::bad_alloc();
    std::memcpy(start_, code, size);
    if (protect(start_, size_, MemoryFlags::kAccessRX) == asmjit::kErrorOk) return;
    release(start_, size_);
    throw Error("native code: the system does not let memory be executed");
  }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  ~Pages() { asmjit::VirtMem::release(start_, size_); }
  void* at(std::size_t offset) const { return static_cast<char*>(start_) + offset; }

 private:
  void* start_ = nullptr;
  std::size_t size_;
};

bool can_execute() {
  const auto& cpu = asmjit::CpuInfo::host();
  if (!cpu.features().x86().hasAVX2() || !cpu.features().x86().hasFMA()) return false;
  try {
    static constexpr unsigned char ret = 0xc3;
    const Pages pages(&ret, 1);
    reinterpret_cast<void (*)()>(pages.at(0))();
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace

bool NativeCode::available() {
  static const bool possible = [] {
    const char* no = std::getenv("RATTLEBACK_NO_NATIVE");
    return (no == nullptr || *no == '\0' || std::string(no) == "0") && can_execute();
  }();
  return possible;
}

int NativeCode::widest() {
  const auto& features = asmjit::CpuInfo::host().features().x86();
  return features.hasAVX512_F() && features.hasAVX512_DQ() && features.hasAVX512_VL() ? 8 : 4;
}

NativeCode::NativeCode(const Program& program, int lanes, int stride, int rows,
                       std::span<const double> constants, int width)
    : lanes_(lanes), stride_(stride == 0 ? lanes : stride) {
  if (lanes != 1 && lanes != 4 && lanes != 8 && lanes != 16)
    throw InputError("lanes", "1, 4, 8 or 16, got " + std::to_string(lanes));
  if (width != 4 && (width != 8 || width > widest()))
    throw InputError("width", "4, or 8 with AVX-512, got " + std::to_string(width));
  const bool rows_in_lanes = rows > 0 && stride_ == 1;
  if (rows_in_lanes ? lanes > width || rows < lanes : stride_ < lanes)
    throw InputError("stride", "at least the number of lanes, got " + std::to_string(stride));
  if (!constants.empty() && constants.size() != program.constants().size() * lanes)
    throw InputError("constants",
                     "one for every lane of each, got " + std::to_string(constants.size()));
  if (!available()) throw Error("native code: not available here");
  Writer writer(program, lanes_, stride_, rows, constants, width);
  const std::size_t entry = writer.write();
  size_ = writer.size();
  scratch_ = writer.scratch();
  auto pages = std::make_shared<const Pages>(writer.data(), size_);
  code_ = reinterpret_cast<Function>(pages->at(entry));
  memory_ = std::move(pages);
}

}  // namespace rattleback

#else

namespace rattleback {

bool NativeCode::available() { return false; }

int NativeCode::widest() { return 4; }

NativeCode::NativeCode(const Program&, int, int, int, std::span<const double>, int) {
  throw Error("native code: not available here");
}

}  // namespace rattleback

#endif

namespace rattleback {

double* NativeCode::scratch(std::size_t doubles) {
  struct alignas(64) Block {
    double entries[8];
  };
  thread_local std::vector<Block> memory;  // grows to the most that this thread ever needed
  const std::size_t blocks = (doubles + 7) / 8;
  if (memory.size() < blocks) memory.resize(blocks);
  return memory.data()->entries;
}

}  // namespace rattleback
