#pragma once

#include "decoder.h"

namespace waitless {

/// A cache of fixed size for texts of any length: it keeps the first n_sinks tokens, which attention leans on, and the
/// last `window` tokens, and forgets what lies between. The result is that of full attention under the mask
///   token t sees token s  if  s <= t  and  (s < n_sinks or s > t - window).
/// It is not what the whole text would give: information is lost.
/// Source: Xiao et al. 2023, StreamingLLM (attention sinks). There positions are counted within the cache; here each
/// token keeps its position in the text.
struct SlidingWindow {
  int n_sinks = 0;
  int window = 1;

  int capacity() const { return n_sinks + window; }
};

/// The slot of a position: the sinks keep theirs, and the others take turns in a ring of `window` slots.
/// @throws std::invalid_argument unless position >= 0, n_sinks >= 0 and window >= 1
int window_slot(const SlidingWindow& window, int position);

/// decode_step() for a sequence of any length: token number `position` takes the place of the one that has just fallen
/// out of the window. The decoder's cache needs window.capacity() slots.
void windowed_step(CachedDecoder& decoder, const SlidingWindow& window, int position, int token);

}  // namespace waitless
