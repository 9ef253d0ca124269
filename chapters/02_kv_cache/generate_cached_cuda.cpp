#include "generate_cached_cuda.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "01_naive_generation/forward_cuda.h"
#include "01_naive_generation/operators_cuda.h"
#include "cached_operators_cuda.h"
#include "common/error.h"
#include "common/not_implemented.h"
#include "device_kv_cache.h"

namespace waitless {

DeviceOps cached_device_ops(const Config& config, DeviceKvCache& cache) {
  constexpr int kFewRows = 8;
  DeviceOps ops = naive_device_ops(config);
  ops.attention = [config, &cache, scratch = std::make_shared<DeviceAttentionScratch>()](
                      int layer, ConstDeviceMatrix q, ConstDeviceMatrix k, ConstDeviceMatrix v, const BatchView& batch,
                      DeviceMatrix out, cudaStream_t stream) {
    const DeviceKvView view = cache.view(layer);
    append_cuda(view, k, v, batch, stream);
    if (batch.n_rows < kFewRows)
      decode_attention_cuda(config, view, q, k, v, batch, *scratch, out, 0, stream);
    else
      prefill_attention_cuda(config, view, q, k, v, batch, out, stream);
  };
  return ops;
}

CachedGeneration generate_cached_cuda(const DeviceModel& model, const Tokenizer& tokenizer, std::span<const int> prompt,
                                      const GenerateOptions& options, const OnToken& on_token, const Clock& clock) {
  // EXERCISE(C2.4): like generate_cached(): a DeviceKvCache, cached_device_ops(), and for each pass cache.begin(batch),
  // forward_cuda() over the new tokens only, and argmax_cuda().
  not_implemented("C2.4", model, tokenizer, prompt, options, on_token, clock);
}

}  // namespace waitless
