#include "generate_cached_cuda.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/error.h"
#include "common/testing/cuda_test.h"
#include "common/testing/random_model.h"
#include "common/testing/small_tokenizer.h"

namespace waitless {
namespace {

using GenerateCachedCuda = CudaTest;

Model random_model_for_bytes(int context_length) {
  Config config = small_config();
  config.vocab_size = kSmallVocabularySize;
  config.context_length = context_length;
  return random_model(config);
}

// Grades exercise C2.4.
TEST_F(GenerateCachedCuda, SaysWhatNaiveGenerationSays) {
  // Oracle: generate() of chapter 01 on the CPU, greedy; prompts for the decode kernel and for the prefill kernel; the
  // end of the context. Slots by hand: of the new tokens all but the last are stored, and never more than 24.
  const Model model = random_model_for_bytes(24);
  const DeviceModel device = upload(model);
  const std::int64_t bytes_of_slot = 2 * 2 * 2 * 6 * 4;  // keys and values, layers, heads, head_dim, float
  for (const int n : {3, 9}) {
    const std::vector<int> prompt(n, 66);
    for (const int max_tokens : {0, 1, 12, 100}) {
      const Generation expected = generate(model, small_tokenizer(), prompt, {.max_tokens = max_tokens});
      const CachedGeneration got = generate_cached_cuda(device, small_tokenizer(), prompt, {.max_tokens = max_tokens});
      EXPECT_EQ(got.generation.tokens, expected.tokens) << n << " + " << max_tokens;
      EXPECT_EQ(got.generation.reason, expected.reason);
      EXPECT_EQ(got.kv_memory_bytes, std::min(n + max_tokens - 1, 24) * bytes_of_slot) << n << " + " << max_tokens;
    }
  }
}

// Grades exercise C2.4.
TEST_F(GenerateCachedCuda, TellsItsListenerWhatNaiveGenerationTells) {
  // Oracle: generate() of chapter 01; a listener that wants all, and one that stops at the third token.
  const Model model = random_model_for_bytes(24);
  for (const std::size_t most : {100, 3}) {
    std::vector<int> expected, got;
    std::string expected_text, got_text;
    generate(model, small_tokenizer(), std::vector{66, 67}, {.max_tokens = 6}, [&](int token, std::string_view text) {
      expected.push_back(token);
      expected_text += text;
      return expected.size() < most;
    });
    const CachedGeneration result = generate_cached_cuda(upload(model), small_tokenizer(), std::vector{66, 67},
                                                         {.max_tokens = 6}, [&](int token, std::string_view text) {
                                                           got.push_back(token);
                                                           got_text += text;
                                                           return got.size() < most;
                                                         });
    EXPECT_FALSE(expected.empty());
    EXPECT_EQ(got, expected);
    EXPECT_EQ(got_text, expected_text);
    EXPECT_EQ(result.generation.reason, most == 3 ? StopReason::kStopped : StopReason::kMaxTokens);
  }
}

// Grades exercise C2.4.
TEST_F(GenerateCachedCuda, ReadsTheClockOnceBeforeAndOnceForEachTokenBeforeItIsShown) {
  // Oracle: by hand. The listener takes 10 seconds, which count for the token that comes next.
  const DeviceModel device = upload(random_model_for_bytes(24));
  double now = 5;
  const auto listener = [&](int token, std::string_view) {
    if (token >= 0) now += 10;
    return true;
  };
  const CachedGeneration got = generate_cached_cuda(device, small_tokenizer(), std::vector{66, 67}, {.max_tokens = 3},
                                                    listener, [&] { return now += 1; });
  ASSERT_EQ(got.generation.tokens.size(), 3u);
  EXPECT_DOUBLE_EQ(got.timings.ttft, 1) << "read the clock before the listener is told";
  EXPECT_EQ(got.timings.itl, (std::vector<double>{11, 11}));
}

// Grades exercise C2.4.
TEST_F(GenerateCachedCuda, TakesOperatorsForItsCache) {
  // Oracle: counting. Chapter 03 hands in a faster linear layer like this.
  const Model model = random_model_for_bytes(24);
  int n_linear = 0;
  const CachedGeneration got =
      generate_cached_cuda(upload(model), small_tokenizer(), std::vector{66, 67}, {.max_tokens = 3}, {}, steady_clock(),
                           [&](DeviceKvCache& cache) {
                             DeviceOps base = naive_ops_cuda();
                             base.linear = [&n_linear, linear = base.linear](auto&&... arguments) {
                               ++n_linear;
                               linear(arguments...);
                             };
                             return cached_ops_cuda(cache, base);
                           });
  EXPECT_EQ(n_linear, 3 * (2 * 7 + 1));
  EXPECT_EQ(got.generation.tokens, generate(model, small_tokenizer(), std::vector{66, 67}, {.max_tokens = 3}).tokens);
}

// Grades exercise C2.4.
TEST_F(GenerateCachedCuda, RefusesWhatItCannotDo) {
  // Oracle: the header.
  const DeviceModel device = upload(random_model_for_bytes(5));
  EXPECT_THROW(generate_cached_cuda(device, small_tokenizer(), std::vector{1}, {.sampling = {.temperature = 0.5f}}),
               InputError);
  EXPECT_THROW(generate_cached_cuda(device, small_tokenizer(), {}, {}), InputError);
  EXPECT_THROW(generate_cached_cuda(device, small_tokenizer(), std::vector{1, 2, 3, 4, 5, 6}, {}), InputError);
}

}  // namespace
}  // namespace waitless
