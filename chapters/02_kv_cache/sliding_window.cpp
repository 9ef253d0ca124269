#include "sliding_window.h"

#include "01_naive_generation/forward.h"
#include "common/base/not_implemented.h"

namespace waitless {

int evicted_position(const SlidingWindow& window, int position) {
  // EXERCISE(2.10): check the arguments; the token `window` positions back falls out, unless it is a sink.
  not_implemented("2.10");
}

void windowed_step(CachedDecoder& decoder, const SlidingWindow& window, int token) {
  // EXERCISE(2.10): evict what falls out, then a decode step.
  not_implemented("2.10");
}

}  // namespace waitless
