#pragma once

/// CUDA's vector types and their make_ functions. Only float4 and its like have a larger alignment than their
/// elements, exactly as under nvcc: a kernel may move 16 bytes in one request.

#if defined(WAITLESS_SIMT_CHECKED)

#include <cstddef>
#include <cstdint>

namespace waitless::simt {

// An optimizer takes a struct apart and loads its members one by one; a GPU loads it whole. So that the counters see
// one request, vectors are copied as one word.
typedef std::uint16_t Word2 __attribute__((may_alias));
typedef std::uint32_t Word4 __attribute__((may_alias));
typedef std::uint64_t Word8 __attribute__((may_alias));
typedef float Word16 __attribute__((vector_size(16), may_alias));

template <std::size_t n_bytes>
inline __attribute__((always_inline)) void copy_whole(void* to, const void* from) {
  if constexpr (n_bytes == 2) *static_cast<Word2*>(to) = *static_cast<const Word2*>(from);
  if constexpr (n_bytes == 4) *static_cast<Word4*>(to) = *static_cast<const Word4*>(from);
  if constexpr (n_bytes == 8) *static_cast<Word8*>(to) = *static_cast<const Word8*>(from);
  if constexpr (n_bytes == 16) *static_cast<Word16*>(to) = *static_cast<const Word16*>(from);
  if constexpr (n_bytes == 32) {
    static_cast<Word16*>(to)[0] = static_cast<const Word16*>(from)[0];
    static_cast<Word16*>(to)[1] = static_cast<const Word16*>(from)[1];
  }
}

}  // namespace waitless::simt

#define WAITLESS_SIMT_COPIED_WHOLE(name)                                                                             \
  name() = default;                                                                                                  \
  __attribute__((always_inline)) name(const name& other) { waitless::simt::copy_whole<sizeof(name)>(this, &other); } \
  __attribute__((always_inline)) name& operator=(const name& other) {                                                \
    waitless::simt::copy_whole<sizeof(name)>(this, &other);                                                          \
    return *this;                                                                                                    \
  }
#define WAITLESS_SIMT_COPIED_WHOLE_2(name, element) \
  WAITLESS_SIMT_COPIED_WHOLE(name)                  \
  constexpr name(element x_value, element y_value) : x(x_value), y(y_value) {}
#define WAITLESS_SIMT_COPIED_WHOLE_4(name, element)                                  \
  WAITLESS_SIMT_COPIED_WHOLE(name)                                                   \
  constexpr name(element x_value, element y_value, element z_value, element w_value) \
      : x(x_value), y(y_value), z(z_value), w(w_value) {}

#else

#define WAITLESS_SIMT_COPIED_WHOLE_2(name, element)
#define WAITLESS_SIMT_COPIED_WHOLE_4(name, element)

#endif

#define WAITLESS_SIMT_VECTOR_TYPES(element, name, align2, align4)                         \
  struct name##1 {                                                                        \
    element x;                                                                            \
  };                                                                                      \
  struct alignas(align2) name##2 {                                                        \
    element x, y;                                                                         \
    WAITLESS_SIMT_COPIED_WHOLE_2(name##2, element)                                        \
  };                                                                                      \
  struct name##3 {                                                                        \
    element x, y, z;                                                                      \
  };                                                                                      \
  struct alignas(align4) name##4 {                                                        \
    element x, y, z, w;                                                                   \
    WAITLESS_SIMT_COPIED_WHOLE_4(name##4, element)                                        \
  };                                                                                      \
  constexpr name##1 make_##name##1(element x) { return {x}; }                             \
  constexpr name##2 make_##name##2(element x, element y) { return {x, y}; }               \
  constexpr name##3 make_##name##3(element x, element y, element z) { return {x, y, z}; } \
  constexpr name##4 make_##name##4(element x, element y, element z, element w) { return {x, y, z, w}; }

WAITLESS_SIMT_VECTOR_TYPES(signed char, char, 2, 4)
WAITLESS_SIMT_VECTOR_TYPES(unsigned char, uchar, 2, 4)
WAITLESS_SIMT_VECTOR_TYPES(short, short, 4, 8)
WAITLESS_SIMT_VECTOR_TYPES(unsigned short, ushort, 4, 8)
WAITLESS_SIMT_VECTOR_TYPES(int, int, 8, 16)
WAITLESS_SIMT_VECTOR_TYPES(unsigned int, uint, 8, 16)
WAITLESS_SIMT_VECTOR_TYPES(long long, longlong, 16, 16)
WAITLESS_SIMT_VECTOR_TYPES(unsigned long long, ulonglong, 16, 16)
WAITLESS_SIMT_VECTOR_TYPES(float, float, 8, 16)
WAITLESS_SIMT_VECTOR_TYPES(double, double, 16, 16)

#undef WAITLESS_SIMT_VECTOR_TYPES
#undef WAITLESS_SIMT_COPIED_WHOLE_2
#undef WAITLESS_SIMT_COPIED_WHOLE_4

/// A size in up to three dimensions; those not named are 1.
struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x_size = 1, unsigned y_size = 1, unsigned z_size = 1) : x(x_size), y(y_size), z(z_size) {}
  constexpr dim3(uint3 size) : x(size.x), y(size.y), z(size.z) {}
  constexpr operator uint3() const { return {x, y, z}; }
};
