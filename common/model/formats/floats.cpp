// F32, F16 and BF16: blocks of one value.
#include <bit>
#include <cstdint>

#include "common/cuda/half.h"
#include "common/model/formats/block_format.h"

namespace waitless {
namespace {

struct F32Block {
  static constexpr int kValues = 1;
  float value;
};
void decode(const F32Block& b, float* out) { out[0] = b.value; }
bool is_finite(const F32Block& b) { return (std::bit_cast<std::uint32_t>(b.value) & 0x7f800000) != 0x7f800000; }

struct F16Block {
  static constexpr int kValues = 1;
  half_t value;
};
void decode(const F16Block& b, float* out) { out[0] = b.value; }
bool is_finite(const F16Block& b) { return (b.value.bits & 0x7c00) != 0x7c00; }

struct BF16Block {
  static constexpr int kValues = 1;
  bf16_t value;
};
void decode(const BF16Block& b, float* out) { out[0] = b.value; }
bool is_finite(const BF16Block& b) { return (b.value.bits & 0x7f80) != 0x7f80; }

}  // namespace

constinit const WeightFormat kF32Format = format_of<F32Block>("F32", WeightType::kF32);
constinit const WeightFormat kF16Format = format_of<F16Block>("F16", WeightType::kF16);
constinit const WeightFormat kBF16Format = format_of<BF16Block>("BF16", WeightType::kBF16);

}  // namespace waitless
