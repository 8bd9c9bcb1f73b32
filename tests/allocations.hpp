// Counts allocations of the test program that includes this, in one of its files: malloc itself is
// replaced, where operator new and Eigen's own allocator both end.
#pragma once

#include <cerrno>
#include <cstdlib>

// Sanitizers bring a malloc of their own.
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define COUNTS_ALLOCATIONS 1
#else
#define COUNTS_ALLOCATIONS 0
#endif

namespace rattleback::testing {

constexpr bool counts_allocations = COUNTS_ALLOCATIONS == 1;
inline thread_local long allocations = 0;  ///< of this thread, so far
inline thread_local long allocated = 0;    ///< bytes, given back or not

inline void count(std::size_t size) {
  ++allocations;
  allocated += static_cast<long>(size);
}

}  // namespace rattleback::testing

#if COUNTS_ALLOCATIONS
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);

void* malloc(std::size_t size) {
  rattleback::testing::count(size);
  return __libc_malloc(size);
}
void* calloc(std::size_t number, std::size_t size) {
  rattleback::testing::count(number * size);
  return __libc_calloc(number, size);
}
void* realloc(void* p, std::size_t size) {
  rattleback::testing::count(size);
  return __libc_realloc(p, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  rattleback::testing::count(size);
  return __libc_memalign(alignment, size);
}
int posix_memalign(void** p, std::size_t alignment, std::size_t size) noexcept {
  rattleback::testing::count(size);
  *p = __libc_memalign(alignment, size);
  return *p ? 0 : ENOMEM;
}
}
#endif
#undef COUNTS_ALLOCATIONS
