#include "sliding_window.h"

#include "01_naive_generation/forward.h"
#include "common/not_implemented.h"

namespace waitless {

int window_slot(const SlidingWindow& window, int position) {
  // EXERCISE(2.8): check the arguments; the first positions keep their slots, the others go round.
  // SOLUTION_BEGIN(2.8)
  check_argument(position >= 0, "window_slot: the position is negative");
  check_argument(window.n_sinks >= 0 && window.window >= 1, "window_slot: needs n_sinks >= 0 and window >= 1");
  if (position < window.n_sinks) return position;
  return window.n_sinks + (position - window.n_sinks) % window.window;
  // SOLUTION_END(2.8)
}

void windowed_step(CachedDecoder& decoder, const SlidingWindow& window, int position, int token) {
  // EXERCISE(2.8): free the slot of this position, then a decode step whose row goes there.
  // SOLUTION_BEGIN(2.8)
  const int slot = window_slot(window, position);
  decoder.cache.forget(slot);
  decoder.step.position[0] = decoder.step.horizon[0] = position;
  decoder.step.slot[0] = slot;
  forward(decoder.model, {&token, 1}, decoder.step, decoder.ops, decoder.workspace, decoder.logits);
  // SOLUTION_END(2.8)
}

}  // namespace waitless
