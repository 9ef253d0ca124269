#include "tests/common/model/random_blocks.h"

#include "common/cuda/half.h"
#include "common/tensor/random.h"
#include "common/testing/gguf_writer.h"

namespace waitless {
namespace {

/// Appends one block of 32 random codes to `bytes` and its values to `out`.
void append_block(WeightType type, Random& random, std::string& bytes, float* out) {
  const half_t scale = half_t(float(random.uniform() + 0.5)), minimum = half_t(float(random.uniform() - 2));
  const int n_codes = type == WeightType::kQ8_0 ? 256 : 16;
  int codes[32];
  for (int& code : codes) code = int(random.uniform() * n_codes);

  const double zero_point = type == WeightType::kQ8_0 ? 128 : type == WeightType::kQ4_0 ? 8 : 0;
  const double offset = type == WeightType::kQ4_1 ? double(minimum) : 0;
  for (int i = 0; i < 32; ++i) out[i] = float(double(scale) * (codes[i] - zero_point) + offset);

  bytes += GgufWriter::value_bytes(scale.bits);
  if (type == WeightType::kQ4_1) bytes += GgufWriter::value_bytes(minimum.bits);
  if (type == WeightType::kQ8_0) {
    for (const int code : codes) bytes += char(code - 128);
  } else {
    for (int i = 0; i < 16; ++i) bytes += char(codes[i] | codes[i + 16] << 4);
  }
}

}  // namespace

RandomBlocks random_blocks(WeightType type, Index rows, Index cols, std::uint64_t seed) {
  check_argument(cols % 32 == 0 && find_format(type)->values == 32, "random_blocks: rows must be whole blocks of 32");
  Random random(seed);
  Matrix values(rows, cols);
  std::string bytes;
  for (Index i = 0; i < values.size(); i += 32) append_block(type, random, bytes, values.data() + i);
  return {weight_of_bytes(type, rows, cols, std::move(bytes)), std::move(values)};
}

ConvertWeight replaced_by_random_blocks(WeightType type) {
  return [type](const Weight& w) {
    Weight blocks =
        random_blocks(type, w.rows, w.cols, std::uint64_t(w.layer + 2) * 100 + std::uint64_t(w.role)).weight;
    blocks.role = w.role;
    blocks.layer = w.layer;
    return blocks;
  };
}

}  // namespace waitless
