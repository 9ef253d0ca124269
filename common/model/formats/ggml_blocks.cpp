// Q8_0, Q4_0 and Q4_1: 32 integers that share a scale. What is not finite shows in the scales alone.
#include <cstdint>

#include "common/cuda/half.h"
#include "common/model/formats/block_format.h"

namespace waitless {
namespace {

bool is_finite(half_t half) { return (half.bits & 0x7c00) != 0x7c00; }

struct Q8_0Block {
  static constexpr int kValues = 32;
  half_t scale;
  std::int8_t quants[32];
};
void decode(const Q8_0Block& b, float* out) {
  const float scale = b.scale;
  for (int i = 0; i < 32; ++i) out[i] = scale * float(b.quants[i]);
}
bool is_finite(const Q8_0Block& b) { return is_finite(b.scale); }

// A byte of the 4-bit types holds value i in its low half and value i + 16 in its high half.

struct Q4_0Block {
  static constexpr int kValues = 32;
  half_t scale;
  std::uint8_t quants[16];
};
void decode(const Q4_0Block& b, float* out) {
  const float scale = b.scale;
  for (int i = 0; i < 16; ++i) {
    out[i] = scale * float((b.quants[i] & 15) - 8);
    out[i + 16] = scale * float((b.quants[i] >> 4) - 8);
  }
}
bool is_finite(const Q4_0Block& b) { return is_finite(b.scale); }

struct Q4_1Block {
  static constexpr int kValues = 32;
  half_t scale;
  half_t minimum;
  std::uint8_t quants[16];
};
void decode(const Q4_1Block& b, float* out) {
  const float scale = b.scale, minimum = b.minimum;
  for (int i = 0; i < 16; ++i) {
    out[i] = scale * float(b.quants[i] & 15) + minimum;
    out[i + 16] = scale * float(b.quants[i] >> 4) + minimum;
  }
}
bool is_finite(const Q4_1Block& b) { return is_finite(b.scale) && is_finite(b.minimum); }

}  // namespace

constinit const WeightFormat kQ8_0Format = format_of<Q8_0Block>("Q8_0", WeightType::kQ8_0);
constinit const WeightFormat kQ4_0Format = format_of<Q4_0Block>("Q4_0", WeightType::kQ4_0);
constinit const WeightFormat kQ4_1Format = format_of<Q4_1Block>("Q4_1", WeightType::kQ4_1);
static_assert(sizeof(Q8_0Block) == 34 && sizeof(Q4_0Block) == 18 && sizeof(Q4_1Block) == 20);

}  // namespace waitless
