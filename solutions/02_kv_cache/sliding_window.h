#pragma once

#include "decoder.h"

namespace waitless {

/// A cache of fixed size for texts of any length: it keeps the first n_sinks tokens, to which attention gives much of
/// its weight, and the last `window` tokens, and forgets what lies between. The result is that of full attention under
/// the mask
///   token t sees token s  if  s <= t  and  (s < n_sinks or s > t - window).
/// It is not what the whole text would give: information is lost.
/// Source: Xiao et al. 2023, StreamingLLM (attention sinks). There positions are counted within the cache (section
/// 3.2), which keeps them in the range that the model was trained for. Here each token keeps its position in the text:
/// memory stays the same for any length, but the model has not learned positions beyond its context.
struct SlidingWindow {
  int n_sinks = 0;
  int window = 1;

  int capacity() const { return n_sinks + window; }
};

/// The position that falls out of the window when the token at `position` comes, so that this one and the window - 1
/// before it are left; -1 if none does: the first n_sinks positions never do. In a full cache the slot that becomes
/// free is the only one, so the tokens behind the sinks take turns in a ring.
/// @throws std::invalid_argument unless position >= 0, n_sinks >= 0 and window >= 1
int evicted_position(const SlidingWindow& window, int position);

/// decode_step() for a sequence of any length: first evicts what falls out of the window. All tokens from position 0 on
/// come through it one at a time, the prompt too: in a prefill each would see all before it. The decoder's cache needs
/// window.capacity() slots.
/// @throws std::invalid_argument as evicted_position(); as decode_step()
void windowed_step(CachedDecoder& decoder, const SlidingWindow& window, int token);

}  // namespace waitless
