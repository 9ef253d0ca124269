#include "generate_cached.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "common/base/not_implemented.h"
#include "decoder.h"

namespace waitless {

CachedGeneration generate_cached(const Model& model, const Tokenizer& tokenizer, std::span<const int> prompt,
                                 const GenerateOptions& options, const OnToken& on_token, const Clock& clock,
                                 const OpsOfCache& ops_of_cache) {
  // EXERCISE(2.7): read the clock; make a decoder with room enough; then generate_loop() of chapter 01, in which the
  // first token comes from a prefill and each other one from a decode step. Note the time of each token before on_token
  // is told.
  not_implemented("2.7");
}

}  // namespace waitless
