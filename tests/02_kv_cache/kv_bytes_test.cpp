#include "kv_bytes.h"

#include <gtest/gtest.h>

namespace waitless {
namespace {

// Grades exercise 2.1.
TEST(KvBytesPerToken, OfKnownModelsIsTheHandComputedNumber) {
  // Oracle: by hand, from the models' published shapes, at 16 bits a number.
  EXPECT_EQ(kv_bytes_per_token({.n_layers = 32, .n_kv_heads = 32, .head_dim = 128}, 16), 524288) << "Llama-2-7B";
  EXPECT_EQ(kv_bytes_per_token({.n_layers = 32, .n_kv_heads = 8, .head_dim = 128}, 16), 131072) << "Llama-3.1-8B";
  EXPECT_EQ(kv_bytes_per_token({.n_layers = 126, .n_kv_heads = 8, .head_dim = 128}, 16), 516096) << "Llama-3.1-405B";
  EXPECT_EQ(kv_bytes_per_token({.n_layers = 30, .n_kv_heads = 3, .head_dim = 64}, 16), 23040) << "SmolLM2-135M";
  EXPECT_EQ(kv_bytes_per_token({.n_layers = 32, .n_kv_heads = 1, .head_dim = 128}, 16), 16384)
      << "multi-query attention: one head for all";
}

// Grades exercise 2.1.
TEST(KvBytesPerToken, OfLatentAttentionCountsTheLatentAndOneRotatedKey) {
  // Oracle: by hand. DeepSeek-V3: 61 layers of 512 + 64 numbers at 16 bits.
  EXPECT_EQ(kv_bytes_per_token({.n_layers = 61, .latent_dim = 512, .rope_dim = 64}, 16), 70272);
  EXPECT_EQ(
      kv_bytes_per_token({.n_layers = 61, .n_kv_heads = 128, .head_dim = 128, .latent_dim = 512, .rope_dim = 64}, 16),
      70272)
      << "its heads share the latent";
  EXPECT_EQ(kv_bytes_per_token({.n_layers = 2, .latent_dim = 10}, 16), 40);
}

// Grades exercise 2.1.
TEST(KvBytesPerToken, TakesNumbersOfAnySize) {
  // Oracle: by hand. 36 numbers; 3 numbers of 4 bits are 12 bits, which take two bytes, and those of two layers three.
  const KvShape shape{.n_layers = 3, .n_kv_heads = 2, .head_dim = 3};
  EXPECT_EQ(kv_bytes_per_token(shape, 32), 144);
  EXPECT_EQ(kv_bytes_per_token(shape, 8), 36);
  EXPECT_EQ(kv_bytes_per_token(shape, 4), 18);
  EXPECT_EQ(kv_bytes_per_token({.n_layers = 1, .latent_dim = 3}, 4), 2);
  EXPECT_EQ(kv_bytes_per_token({.n_layers = 2, .latent_dim = 3}, 4), 3) << "only the whole is rounded up";
}

// Grades exercise 2.1.
TEST(KvBytesPerToken, DoesNotOverflow) {
  // Oracle: by hand.
  EXPECT_EQ(kv_bytes_per_token({.n_layers = 1000, .n_kv_heads = 1000, .head_dim = 1000}, 32), 8'000'000'000);
}

// Grades exercise 2.1.
TEST(KvBytesPerToken, RefusesShapesThatDoNotExist) {
  // Oracle: the header.
  const KvShape good{.n_layers = 1, .n_kv_heads = 1, .head_dim = 1};
  EXPECT_THROW(kv_bytes_per_token(good, 0), std::invalid_argument);
  EXPECT_THROW(kv_bytes_per_token({.n_layers = 0, .n_kv_heads = 1, .head_dim = 1}, 16), std::invalid_argument);
  EXPECT_THROW(kv_bytes_per_token({.n_layers = 1, .n_kv_heads = 0, .head_dim = 1}, 16), std::invalid_argument);
  EXPECT_THROW(kv_bytes_per_token({.n_layers = 1, .n_kv_heads = 1, .head_dim = 0}, 16), std::invalid_argument);
  EXPECT_THROW(kv_bytes_per_token({.n_layers = 1, .latent_dim = 8, .rope_dim = -1}, 16), std::invalid_argument);
}

}  // namespace
}  // namespace waitless
