#include "rattleback/expression/native.hpp"

#include <cstdlib>
#include <string>

#include "rattleback/problem/error.hpp"

#if defined(__x86_64__) && defined(RATTLEBACK_HAS_ASMJIT)

#include <asmjit/x86.h>

#include <cstring>
#include <new>

#include "native_writer.hpp"

namespace rattleback {

namespace {

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
                       std::span<const double> constants, int width, int registers)
    : lanes_(lanes), stride_(stride == 0 ? lanes : stride) {
  if (lanes != 1 && lanes != 4 && lanes != 8 && lanes != 16)
    throw InputError("lanes", "1, 4, 8 or 16, got " + std::to_string(lanes));
  if (width != 4 && (width != 8 || width > widest()))
    throw InputError("width", "4, or 8 with AVX-512, got " + std::to_string(width));
  if (registers != 1 && registers != 2)
    throw InputError("registers", "1 or 2, got " + std::to_string(registers));
  const bool rows_in_lanes = rows > 0 && stride_ == 1;
  if (rows_in_lanes ? lanes > width || rows < lanes : stride_ < lanes)
    throw InputError("stride", "at least the number of lanes, got " + std::to_string(stride));
  if (!constants.empty() && constants.size() != program.constants().size() * lanes)
    throw InputError("constants",
                     "one for every lane of each, got " + std::to_string(constants.size()));
  if (!available()) throw Error("native code: not available here");
  detail::NativeWriter writer(program, lanes_, stride_, rows, constants, width, registers);
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

NativeCode::NativeCode(const Program&, int, int, int, std::span<const double>, int, int) {
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
