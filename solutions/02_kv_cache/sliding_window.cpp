#include "sliding_window.h"

#include "01_naive_generation/forward.h"
#include "common/base/not_implemented.h"

namespace waitless {

int evicted_position(const SlidingWindow& window, int position) {
  // EXERCISE(2.10): check the arguments; the token `window` positions back falls out, unless it is a sink.
  // SOLUTION_BEGIN(2.10)
  check_argument(position >= 0, "evicted_position: the position is negative");
  check_argument(window.n_sinks >= 0 && window.window >= 1, "evicted_position: needs n_sinks >= 0 and window >= 1");
  const int falls_out = position - window.window;
  return falls_out >= window.n_sinks ? falls_out : -1;
  // SOLUTION_END(2.10)
}

void windowed_step(CachedDecoder& decoder, const SlidingWindow& window, int token) {
  // EXERCISE(2.10): evict what falls out, then a decode step.
  // SOLUTION_BEGIN(2.10)
  const int falls_out = evicted_position(window, decoder.next_position());
  if (falls_out >= 0) decoder.cache.slots.evict(0, falls_out, falls_out);
  decode_step(decoder, token);
  // SOLUTION_END(2.10)
}

}  // namespace waitless
