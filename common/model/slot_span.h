#pragma once

namespace waitless {

/// n tokens of a sequence at positions position, position + 1, ... that lie side by side in slots slot, slot + 1, ...
/// of a cache.
struct SlotSpan {
  int slot = 0, position = 0, n = 0;
};

}  // namespace waitless
