/// What the compiler calls in instrumented code: before each memory access (-fsanitize=thread) and for an array index
/// out of bounds (-fsanitize=bounds). Nothing is linked with -fsanitize, so these functions take the place of the
/// compiler's.

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "common/simt/checked/checker.h"

namespace waitless::simt::checked {
namespace {

inline void note(const volatile void* address, unsigned size, Direction direction, bool is_atomic, const void* code,
                 bool is_counted = true) {
  if (!runs_kernel_code) return;
  const RuntimeSection section;
  checker().access(const_cast<const void*>(address), size, direction, is_atomic, code, is_counted);
}

/// An access that need not be aligned, or to an object of any size: in C++ a copy of bytes.
void note_bytes(const volatile void* address, std::size_t n_bytes, Direction direction, const void* code) {
  if (!runs_kernel_code) return;
  auto place = reinterpret_cast<std::uintptr_t>(address);
  const auto largest = [&](std::size_t limit) {
    std::size_t size = 16;
    while (size > limit || place % size != 0) size /= 2;
    return size;
  };
  while (n_bytes != 0) {
    const std::size_t size = largest(n_bytes);
    note(reinterpret_cast<const void*>(place), static_cast<unsigned>(size), direction, false, code);
    place += size;
    n_bytes -= size;
  }
}

}  // namespace
}  // namespace waitless::simt::checked

using namespace waitless::simt::checked;

#define CODE __builtin_return_address(0)

extern "C" {

void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_update(void**, void*) {}
void __tsan_vptr_read(void**) {}

#define ACCESSES(size)                                                                                \
  void __tsan_read##size(void* p) { note(p, size, Direction::kRead, false, CODE); }                   \
  void __tsan_write##size(void* p) { note(p, size, Direction::kWrite, false, CODE); }                 \
  void __tsan_volatile_read##size(void* p) { note(p, size, Direction::kRead, true, CODE); }           \
  void __tsan_volatile_write##size(void* p) { note(p, size, Direction::kWrite, true, CODE); }         \
  void __tsan_unaligned_read##size(void* p) { note_bytes(p, size, Direction::kRead, CODE); }          \
  void __tsan_unaligned_write##size(void* p) { note_bytes(p, size, Direction::kWrite, CODE); }        \
  void __tsan_unaligned_volatile_read##size(void* p) { note_bytes(p, size, Direction::kRead, CODE); } \
  void __tsan_unaligned_volatile_write##size(void* p) { note_bytes(p, size, Direction::kWrite, CODE); }

ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)

void __tsan_read_range(void* p, std::size_t n_bytes) { note_bytes(p, n_bytes, Direction::kRead, CODE); }
void __tsan_write_range(void* p, std::size_t n_bytes) { note_bytes(p, n_bytes, Direction::kWrite, CODE); }

void __tsan_atomic_thread_fence(int) {
  if (!runs_kernel_code) return;
  const RuntimeSection section;
  checker().fence();
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
void __tsan_atomic_signal_fence(int) {}

// A read-modify-write operation is one access. The loads and failed exchanges of a loop around a compare-and-swap are
// not counted: how many there are depends on luck.
#define ATOMIC_OPERATION(bits, T, name, builtin)                \
  T __tsan_atomic##bits##_##name(volatile T* p, T value, int) { \
    note(p, sizeof(T), Direction::kAtomic, true, CODE);         \
    return builtin(p, value, __ATOMIC_SEQ_CST);                 \
  }

#define ATOMICS(bits, T)                                                                               \
  T __tsan_atomic##bits##_load(const volatile T* p, int) {                                             \
    note(p, sizeof(T), Direction::kRead, true, CODE, false);                                           \
    return __atomic_load_n(p, __ATOMIC_SEQ_CST);                                                       \
  }                                                                                                    \
  void __tsan_atomic##bits##_store(volatile T* p, T value, int) {                                      \
    note(p, sizeof(T), Direction::kWrite, true, CODE);                                                 \
    __atomic_store_n(p, value, __ATOMIC_SEQ_CST);                                                      \
  }                                                                                                    \
  ATOMIC_OPERATION(bits, T, exchange, __atomic_exchange_n)                                             \
  ATOMIC_OPERATION(bits, T, fetch_add, __atomic_fetch_add)                                             \
  ATOMIC_OPERATION(bits, T, fetch_sub, __atomic_fetch_sub)                                             \
  ATOMIC_OPERATION(bits, T, fetch_and, __atomic_fetch_and)                                             \
  ATOMIC_OPERATION(bits, T, fetch_or, __atomic_fetch_or)                                               \
  ATOMIC_OPERATION(bits, T, fetch_xor, __atomic_fetch_xor)                                             \
  ATOMIC_OPERATION(bits, T, fetch_nand, __atomic_fetch_nand)                                           \
  int __tsan_atomic##bits##_compare_exchange_strong(volatile T* p, T* expected, T value, int, int) {   \
    note(p, sizeof(T), Direction::kAtomic, true, CODE);                                                \
    return __atomic_compare_exchange_n(p, expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
  }                                                                                                    \
  int __tsan_atomic##bits##_compare_exchange_weak(volatile T* p, T* expected, T value, int, int) {     \
    note(p, sizeof(T), Direction::kAtomic, true, CODE);                                                \
    return __atomic_compare_exchange_n(p, expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
  }                                                                                                    \
  T __tsan_atomic##bits##_compare_exchange_val(volatile T* p, T expected, T value, int, int) {         \
    note(p, sizeof(T), Direction::kAtomic, true, CODE);                                                \
    __atomic_compare_exchange_n(p, &expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);       \
    return expected;                                                                                   \
  }

ATOMICS(8, std::uint8_t)
ATOMICS(16, std::uint16_t)
ATOMICS(32, std::uint32_t)
ATOMICS(64, std::uint64_t)

// The layout in which g++ describes an array index.
struct SourceLocation {
  const char* file;
  std::uint32_t line, column;
};
struct TypeDescription {
  std::uint16_t kind, info;
  char name[1];
};
struct OutOfBounds {
  SourceLocation location;
  const TypeDescription *array, *index;
};

void __ubsan_handle_out_of_bounds(OutOfBounds* what, std::uintptr_t index) {
  const auto& [file, line, column] = what->location;
  if (!runs_kernel_code) {
    std::fprintf(stderr, "%s:%u: host code uses index %lld of %s\n", file, line, static_cast<long long>(index),
                 what->array->name);
    std::abort();
  }
  runs_kernel_code = false;
  // Indices narrower than 64 bits come with their own sign.
  const unsigned index_bits = 1u << (what->index->info >> 1);
  long long value = static_cast<long long>(index);
  if ((what->index->info & 1) != 0 && index_bits < 64) value = value << (64 - index_bits) >> (64 - index_bits);
  checker().bad_index(file, static_cast<int>(line), what->array->name, value);
}

}  // extern "C"
