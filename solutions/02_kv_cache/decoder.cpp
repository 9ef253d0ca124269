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
  // SOLUTION_BEGIN(2.6)
  check_argument(!tokens.empty(), "prefill: needs at least one token");
  check_argument(chunk_size >= 0, "prefill: chunk_size must not be negative");
  const int n = int(tokens.size()), start = decoder.next_position();
  decoder.cache.slots.cancel();  // a step that failed on the way still has its slots
  if (n > decoder.cache.slots.n_free()) {
    throw CacheFull("prefill: " + std::to_string(n) + " tokens do not fit into " +
                    std::to_string(decoder.cache.slots.n_free()) + " free slots");
  }
  if (chunk_size == 0) chunk_size = n;
  for (int done = 0; done < n; done += chunk_size) {
    const int n_rows = std::min(chunk_size, n - done);
    const bool is_last = done + n_rows == n;
    decoder.batch.clear();
    decoder.batch.add_causal(0, start + done, tokens.subspan(done, n_rows));
    if (!is_last) decoder.batch.logit_rows.clear();
    forward(decoder.model, decoder.batch, decoder.ops, decoder.workspace, decoder.logits.topRows(is_last ? 1 : 0));
  }
  // SOLUTION_END(2.6)
}

void decode_step(CachedDecoder& decoder, int token) {
  // EXERCISE(2.6): a batch of one row at the next position; then one forward pass over it.
  // SOLUTION_BEGIN(2.6)
  decoder.batch.clear();
  decoder.batch.add_causal(0, decoder.next_position(), std::span<const int>(&token, 1));
  forward(decoder.model, decoder.batch, decoder.ops, decoder.workspace, decoder.logits);
  // SOLUTION_END(2.6)
}

}  // namespace waitless
