#pragma once

/// CUDA's vector types and their make_ functions. Only float4 and its like have a larger alignment than their
/// elements, exactly as under nvcc: a kernel may move 16 bytes in one request.

#define WAITLESS_SIMT_VECTOR_TYPES(element, name, align2, align4)                         \
  struct name##1 {                                                                        \
    element x;                                                                            \
  };                                                                                      \
  struct alignas(align2) name##2 {                                                        \
    element x, y;                                                                         \
  };                                                                                      \
  struct name##3 {                                                                        \
    element x, y, z;                                                                      \
  };                                                                                      \
  struct alignas(align4) name##4 {                                                        \
    element x, y, z, w;                                                                   \
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

/// A size in up to three dimensions; those not named are 1.
struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x_size = 1, unsigned y_size = 1, unsigned z_size = 1) : x(x_size), y(y_size), z(z_size) {}
  constexpr dim3(uint3 size) : x(size.x), y(size.y), z(size.z) {}
  constexpr operator uint3() const { return {x, y, z}; }
};
