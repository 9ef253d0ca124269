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
  // SOLUTION_BEGIN(2.4)
  check_argument(!tokens.empty(), "prefill: needs at least one token");
  check_argument(chunk_size >= 0, "prefill: chunk_size must not be negative");
  const int n = int(tokens.size()), start = decoder.n_tokens(), capacity = decoder.cache.capacity();
  if (n > capacity - start) {
    throw CacheFull("prefill: " + std::to_string(n) + " tokens do not fit behind " + std::to_string(start) +
                    " in a cache of " + std::to_string(capacity));
  }
  if (chunk_size == 0) chunk_size = n;
  for (int done = 0; done < n; done += chunk_size) {
    const int n_rows = std::min(chunk_size, n - done);
    const bool is_last = done + n_rows == n;
    Batch batch = Batch::causal(0, start + done, n_rows);
    if (!is_last) batch.logit_rows.clear();
    forward(decoder.model, tokens.subspan(done, n_rows), batch, decoder.ops, decoder.workspace,
            decoder.logits.topRows(is_last ? 1 : 0));
  }
  // SOLUTION_END(2.4)
}

void decode_step(CachedDecoder& decoder, int token) {
  // EXERCISE(2.4): move the row of decoder.step to the next position; then one forward pass over it.
  // SOLUTION_BEGIN(2.4)
  const int position = decoder.n_tokens();
  decoder.step.position[0] = decoder.step.horizon[0] = position;
  decoder.step.slot[0] = position;
  forward(decoder.model, {&token, 1}, decoder.step, decoder.ops, decoder.workspace, decoder.logits);
  // SOLUTION_END(2.4)
}

}  // namespace waitless
