#pragma once

/// Atomic operations, relaxed as CUDA's are, for the types that CUDA has them for. Each returns the old value.

namespace waitless::simt {

/// Repeats *address = change(*address) until no other thread came between. T is 4 or 8 bytes.
template <class T, class Change>
__forceinline__ T atomic_change(T* address, Change change) {
  T old = __atomic_load_n(address, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(address, &old, static_cast<T>(change(old)), true, __ATOMIC_RELAXED,
                                      __ATOMIC_RELAXED)) {
  }
  return old;
}

/// The same for floating-point numbers, whose bits are compared.
template <class Bits, class T, class Change>
__forceinline__ T atomic_change_bits(T* address, Change change) {
  const Bits old = atomic_change(reinterpret_cast<Bits*>(address), [&](Bits bits) {
    return __builtin_bit_cast(Bits, change(__builtin_bit_cast(T, bits)));
  });
  return __builtin_bit_cast(T, old);
}

}  // namespace waitless::simt

#define WAITLESS_SIMT_INTEGER_ATOMICS(T)                                                                              \
  __forceinline__ T atomicAdd(T* address, T value) { return __atomic_fetch_add(address, value, __ATOMIC_RELAXED); }   \
  __forceinline__ T atomicAnd(T* address, T value) { return __atomic_fetch_and(address, value, __ATOMIC_RELAXED); }   \
  __forceinline__ T atomicOr(T* address, T value) { return __atomic_fetch_or(address, value, __ATOMIC_RELAXED); }     \
  __forceinline__ T atomicXor(T* address, T value) { return __atomic_fetch_xor(address, value, __ATOMIC_RELAXED); }   \
  __forceinline__ T atomicExch(T* address, T value) { return __atomic_exchange_n(address, value, __ATOMIC_RELAXED); } \
  __forceinline__ T atomicMin(T* address, T value) {                                                                  \
    return waitless::simt::atomic_change(address, [=](T old) { return value < old ? value : old; });                  \
  }                                                                                                                   \
  __forceinline__ T atomicMax(T* address, T value) {                                                                  \
    return waitless::simt::atomic_change(address, [=](T old) { return value > old ? value : old; });                  \
  }                                                                                                                   \
  /** Stores desired if the value is expected. */                                                                     \
  __forceinline__ T atomicCAS(T* address, T expected, T desired) {                                                    \
    __atomic_compare_exchange_n(address, &expected, desired, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);              \
    return expected;                                                                                                  \
  }

WAITLESS_SIMT_INTEGER_ATOMICS(int)
WAITLESS_SIMT_INTEGER_ATOMICS(unsigned)
WAITLESS_SIMT_INTEGER_ATOMICS(unsigned long long)
#undef WAITLESS_SIMT_INTEGER_ATOMICS

__forceinline__ int atomicSub(int* address, int value) { return __atomic_fetch_sub(address, value, __ATOMIC_RELAXED); }
__forceinline__ unsigned atomicSub(unsigned* address, unsigned value) {
  return __atomic_fetch_sub(address, value, __ATOMIC_RELAXED);
}

/// Counts up to `last`, then starts again at 0.
__forceinline__ unsigned atomicInc(unsigned* address, unsigned last) {
  return waitless::simt::atomic_change(address, [=](unsigned old) { return old >= last ? 0u : old + 1; });
}
/// Counts down to 0, then starts again at `last`.
__forceinline__ unsigned atomicDec(unsigned* address, unsigned last) {
  return waitless::simt::atomic_change(address, [=](unsigned old) { return old == 0 || old > last ? last : old - 1; });
}

__forceinline__ float atomicAdd(float* address, float value) {
  return waitless::simt::atomic_change_bits<unsigned>(address, [=](float old) { return old + value; });
}
__forceinline__ double atomicAdd(double* address, double value) {
  return waitless::simt::atomic_change_bits<unsigned long long>(address, [=](double old) { return old + value; });
}
__forceinline__ float atomicExch(float* address, float value) {
  return waitless::simt::atomic_change_bits<unsigned>(address, [=](float) { return value; });
}
