#include "decoder.h"

#include <algorithm>
#include <string>

#include "01_naive_generation/forward.h"
#include "common/not_implemented.h"

namespace waitless {

CachedDecoder::CachedDecoder(const Model& of_model, int capacity)
    : model(of_model),
      cache(model.config, capacity),
      ops(cached_ops(model.config, cache)),
      step(Batch::causal(0, 0, 1)),
      logits(1, model.config.vocab_size) {}

void prefill(CachedDecoder& decoder, std::span<const int> tokens, int chunk_size) {
  // EXERCISE(2.4): check the arguments and the room; then a forward pass for each chunk, logits only of the last row of
  // the last.
  not_implemented("2.4", decoder, tokens, chunk_size);
}

void decode_step(CachedDecoder& decoder, int token) {
  // EXERCISE(2.4): move the row of decoder.step to the next position; then one forward pass over it.
  not_implemented("2.4", decoder, token);
}

}  // namespace waitless
