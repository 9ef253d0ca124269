#include "generate_cached_cuda.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "01_naive_generation/forward_cuda.h"
#include "01_naive_generation/kernels_cuda.h"
#include "common/base/error.h"
#include "common/base/not_implemented.h"
#include "device_kv_cache.h"

namespace waitless {

CachedGeneration generate_cached_cuda(const DeviceModel& model, const Tokenizer& tokenizer, std::span<const int> prompt,
                                      const GenerateOptions& options, const OnToken& on_token, const Clock& clock,
                                      const DeviceOpsOfCache& ops_of_cache) {
  // EXERCISE(C2.4): like generate_cached(): a DeviceKvCache, its ops, and for each pass a batch of the tokens that the
  // cache has not seen, forward_cuda() over it, and argmax_cuda() of its logits.
  not_implemented("C2.4");
}

}  // namespace waitless
