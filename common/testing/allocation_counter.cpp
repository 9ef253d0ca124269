#include "common/testing/allocation_counter.h"

#include <atomic>
#include <cstddef>

namespace waitless {

static std::atomic<std::int64_t> allocations{0}, bytes{0};
std::int64_t allocation_count() { return allocations.load(std::memory_order_relaxed); }
std::int64_t allocated_bytes() { return bytes.load(std::memory_order_relaxed); }

}  // namespace waitless

// A program's own malloc takes the place of the C library's for everything in it, operator new and Eigen included.
// The sanitizers do the same trick and must not be disturbed.
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)

extern "C" {

void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);

static void count(std::size_t n) {
  waitless::allocations.fetch_add(1, std::memory_order_relaxed);
  waitless::bytes.fetch_add(std::int64_t(n), std::memory_order_relaxed);
}

void* malloc(std::size_t n) { return count(n), __libc_malloc(n); }
void* calloc(std::size_t n, std::size_t size) { return count(n * size), __libc_calloc(n, size); }
void* realloc(void* p, std::size_t n) { return count(n), __libc_realloc(p, n); }
void* aligned_alloc(std::size_t alignment, std::size_t n) { return count(n), __libc_memalign(alignment, n); }
int posix_memalign(void** p, std::size_t alignment, std::size_t n) {
  count(n);
  *p = __libc_memalign(alignment, n);
  return *p ? 0 : 12;  // ENOMEM
}

}  // extern "C"

const bool waitless::counts_allocations = true;
#else
const bool waitless::counts_allocations = false;
#endif
