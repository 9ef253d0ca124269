#include "common/cuda/device_buffer.h"
#include "common/cuda/half.h"
#include "common/cuda/launch.h"
#include "tests/common/cuda/half_kernels.h"

namespace waitless {
namespace {

template <class Number>
__global__ void to_float_kernel(const std::uint16_t* bits, float* values, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Number number;
  number.bits = bits[i];
  values[i] = number;
}

template <class Number>
__global__ void from_float_kernel(const float* values, std::uint16_t* bits, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) bits[i] = Number(values[i]).bits;
}

template <class From, class To>
std::vector<To> convert(void (*kernel)(const From*, To*, int), const std::vector<From>& from) {
  const DeviceBuffer<From> device_from(from);
  DeviceBuffer<To> to(from.size());
  launch(kernel, {ceil_div(from.size(), 256), 256}, device_from.data(), to.data(), static_cast<int>(from.size()));
  return to.to_host();
}

}  // namespace

std::vector<float> half_to_float_on_device(const std::vector<std::uint16_t>& bits) {
  return convert(to_float_kernel<half_t>, bits);
}
std::vector<std::uint16_t> float_to_half_on_device(const std::vector<float>& values) {
  return convert(from_float_kernel<half_t>, values);
}
std::vector<float> bf16_to_float_on_device(const std::vector<std::uint16_t>& bits) {
  return convert(to_float_kernel<bf16_t>, bits);
}
std::vector<std::uint16_t> float_to_bf16_on_device(const std::vector<float>& values) {
  return convert(from_float_kernel<bf16_t>, values);
}

}  // namespace waitless
