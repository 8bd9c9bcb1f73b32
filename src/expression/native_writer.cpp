#include "native_writer.hpp"

#if defined(__x86_64__) && defined(RATTLEBACK_HAS_ASMJIT)

#include <algorithm>
#include <array>
#include <bit>
#include <stdexcept>
#include <utility>

namespace rattleback::detail {

namespace x86 = asmjit::x86;

namespace {

/// Larger frames could step over the guard page below the stack; they get memory of the thread.
constexpr int largest_frame = 4000;

/// How many lanes go into one register. Rows come in numbers.
int in_a_register(int lanes, bool rows, int registers, int width) {
  return lanes <= 4 || rows ? lanes : std::min(lanes / registers, width);
}

}  // namespace

NativeWriter::NativeWriter(const Program& program, int lanes, int stride, int rows,
                           std::span<const double> constants, int width, int registers)
    : program_(program),
      own_constants_(constants),
      all_lanes_(lanes),
      lanes_(in_a_register(lanes, rows > 0 && stride == 1, registers, width)),
      avx512_(width == 8),
      stride_(stride),
      rows_(rows),
      plan_(allocate(program, lanes > 1, avx512_ ? 32 : 16)) {
  code_.init(asmjit::Environment::host());
  code_.setErrorHandler(&errors_);
  code_.attach(&as_);
  slots_on_stack_ = slot_bytes() <= largest_frame;
}

std::size_t NativeWriter::write() {
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

int NativeWriter::frame() const {
  return slots_on_stack_ ? static_cast<int>((slot_bytes() + alignment - 1) / alignment) * alignment
                         : 0;
}

void NativeWriter::write_constants() {
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

x86::Vec NativeWriter::reg(int r) const {
  if (lanes_ == 1) return x86::xmm(r);
  return lanes_ == 4 ? x86::Vec(x86::ymm(r)) : x86::Vec(x86::zmm(r));
}

/// Lane `lane` of a place, or all of it from lane 0 on.
x86::Mem NativeWriter::mem(const Place& place, int lane) const {
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
void NativeWriter::write_body() {
  for (first_lane_ = 0; first_lane_ < all_lanes_; first_lane_ += lanes_)
    for (const Step& step : plan_.steps) write(step);
}

/// The same for windows of one row or, side by side in the lanes, several; then the last window
/// is moved back to end with the last row.
void NativeWriter::write_rows() {
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

void NativeWriter::prologue() {
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

void NativeWriter::epilogue() {
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

}  // namespace rattleback::detail

#endif
