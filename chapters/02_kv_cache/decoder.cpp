#include "decoder.h"

#include <algorithm>
#include <string>

#include "01_naive_generation/forward.h"
#include "common/base/not_implemented.h"

namespace waitless {

CachedDecoder::CachedDecoder(const Model& of_model, int n_slots, const OpsOfCache& ops_of_cache)
    : model(of_model),
      cache(model.config, n_slots, layers_of_kind(model.layers, "attention")),
      ops(ops_of_cache(cache)),
      logits(1, model.config.vocab_size) {}

void prefill(CachedDecoder& decoder, std::span<const int> tokens, int chunk_size) {
  // EXERCISE(2.6): check the arguments and the room; then a forward pass for each chunk, logits only of the last row of
  // the last.
  not_implemented("2.6");
}

void decode_step(CachedDecoder& decoder, int token) {
  // EXERCISE(2.6): a batch of one row at the next position; then one forward pass over it.
  not_implemented("2.6");
}

}  // namespace waitless
