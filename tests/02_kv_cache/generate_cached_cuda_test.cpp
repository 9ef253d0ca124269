#include "generate_cached_cuda.h"

#include <string>
#include <string_view>
#include <vector>

#include "common/error.h"
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
TEST_F(GenerateCachedCuda, SaysWhatTheCpuSays) {
  // Oracle: the CPU twin, greedy; prompts for the decode kernel and for the prefill kernel; the end of the context.
  const Model model = random_model_for_bytes(24);
  const DeviceModel device = upload(model);
  for (const int n : {3, 9}) {
    const std::vector<int> prompt(n, 66);
    for (const int max_tokens : {0, 1, 12, 100}) {
      const CachedGeneration expected = generate_cached(model, small_tokenizer(), prompt, {.max_tokens = max_tokens});
      const CachedGeneration got = generate_cached_cuda(device, small_tokenizer(), prompt, {.max_tokens = max_tokens});
      EXPECT_EQ(got.generation.tokens, expected.generation.tokens) << n << " + " << max_tokens;
      EXPECT_EQ(got.generation.reason, expected.generation.reason);
      EXPECT_EQ(got.kv_memory_bytes, expected.kv_memory_bytes);
    }
  }
}

// Grades exercise C2.4.
TEST_F(GenerateCachedCuda, TellsItsListenerWhatTheCpuTells) {
  // Oracle: the CPU twin.
  const Model model = random_model_for_bytes(24);
  std::vector<int> expected, got;
  std::string expected_text, got_text;
  generate_cached(model, small_tokenizer(), std::vector{66, 67}, {.max_tokens = 6},
                  [&](int token, std::string_view text) {
                    expected.push_back(token);
                    expected_text += text;
                  });
  generate_cached_cuda(upload(model), small_tokenizer(), std::vector{66, 67}, {.max_tokens = 6},
                       [&](int token, std::string_view text) {
                         got.push_back(token);
                         got_text += text;
                       });
  EXPECT_FALSE(expected.empty());
  EXPECT_EQ(got, expected);
  EXPECT_EQ(got_text, expected_text);
}

// Grades exercise C2.4.
TEST_F(GenerateCachedCuda, ReadsTheClockOnceBeforeAndOnceForEachToken) {
  // Oracle: by hand.
  const DeviceModel device = upload(random_model_for_bytes(24));
  double now = 5;
  const CachedGeneration got = generate_cached_cuda(device, small_tokenizer(), std::vector{66, 67}, {.max_tokens = 3},
                                                    {}, [&] { return now += 1; });
  ASSERT_EQ(got.generation.tokens.size(), 3u);
  EXPECT_DOUBLE_EQ(got.timings.ttft, 1);
  EXPECT_EQ(got.timings.itl, (std::vector<double>{1, 1}));
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
