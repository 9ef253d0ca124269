#include "common/testing/allocation_counter.h"

#include <atomic>
#include <cstddef>

namespace waitless {

static std::atomic<std::int64_t> allocations{0}, bytes{0};
static void find_openmp_runtime();

std::int64_t allocation_count() {
  find_openmp_runtime();
  return allocations.load(std::memory_order_relaxed);
}
std::int64_t allocated_bytes() {
  find_openmp_runtime();
  return bytes.load(std::memory_order_relaxed);
}

}  // namespace waitless

// A program's own malloc takes the place of the C library's for everything in it, operator new and Eigen included.
// The sanitizers do the same trick and must not be disturbed.
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__)

#include <link.h>

#include <cstdint>
#include <cstring>

// LLVM's OpenMP runtime allocates in each parallel region. The code that is tested cannot help it, so it is not
// counted.
static std::atomic<std::uintptr_t> openmp_begin{0}, openmp_end{0};

static int note_if_openmp(dl_phdr_info* library, std::size_t, void*) {
  if (std::strstr(library->dlpi_name, "libomp") == nullptr) return 0;
  for (int i = 0; i < library->dlpi_phnum; ++i) {
    const auto& segment = library->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) continue;
    openmp_begin = library->dlpi_addr + segment.p_vaddr;
    openmp_end = library->dlpi_addr + segment.p_vaddr + segment.p_memsz;
  }
  return 1;
}

static void waitless::find_openmp_runtime() {
  static const int found = dl_iterate_phdr(note_if_openmp, nullptr);
  static_cast<void>(found);
}

extern "C" {

void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);

static void count(std::size_t n, const void* caller) {
  const auto code = reinterpret_cast<std::uintptr_t>(caller);
  if (code >= openmp_begin.load(std::memory_order_relaxed) && code < openmp_end.load(std::memory_order_relaxed)) return;
  waitless::allocations.fetch_add(1, std::memory_order_relaxed);
  waitless::bytes.fetch_add(std::int64_t(n), std::memory_order_relaxed);
}

void* malloc(std::size_t n) { return count(n, __builtin_return_address(0)), __libc_malloc(n); }
void* calloc(std::size_t n, std::size_t size) {
  return count(n * size, __builtin_return_address(0)), __libc_calloc(n, size);
}
void* realloc(void* p, std::size_t n) { return count(n, __builtin_return_address(0)), __libc_realloc(p, n); }
void* aligned_alloc(std::size_t alignment, std::size_t n) {
  return count(n, __builtin_return_address(0)), __libc_memalign(alignment, n);
}
int posix_memalign(void** p, std::size_t alignment, std::size_t n) {
  count(n, __builtin_return_address(0));
  *p = __libc_memalign(alignment, n);
  return *p ? 0 : 12;  // ENOMEM
}

}  // extern "C"

const bool waitless::counts_allocations = true;
#else
static void waitless::find_openmp_runtime() {}
const bool waitless::counts_allocations = false;
#endif
