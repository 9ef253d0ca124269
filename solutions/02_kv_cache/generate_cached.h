#pragma once

#include <cstdint>
#include <span>

#include "01_naive_generation/generate.h"
#include "cached_attention.h"
#include "common/model/model.h"
#include "common/tokenizer/tokenizer.h"
#include "timings.h"

namespace waitless {

struct CachedGeneration {
  Generation generation;
  Timings timings;
  std::int64_t kv_memory_bytes = 0;  // allocated for keys and values
};

/// Continues a prompt like generate() of chapter 01, with the same result for the same options, but prefills the prompt
/// once and then sends only the new token through the model. The cache has room for as many tokens as can come: the
/// prompt and max_tokens - 1 more, at least one, and never more than the model's context.
///
/// The clock is read once before anything is computed, and once for each new token as soon as it is chosen, before
/// on_token is told. It is not read for a stop token, nor for the text that is still pending at the end (token -1).
/// @throws InputError if the prompt is empty or longer than the model's context, or as require_causal() if the model
///         lets tokens see later ones
/// @throws std::out_of_range if a token is outside the vocabulary
CachedGeneration generate_cached(const Model& model, const Tokenizer& tokenizer, std::span<const int> prompt,
                                 const GenerateOptions& options, const OnToken& on_token = {},
                                 const Clock& clock = steady_clock(),
                                 const OpsOfCache& ops_of_cache = default_ops_of_cache);

}  // namespace waitless
