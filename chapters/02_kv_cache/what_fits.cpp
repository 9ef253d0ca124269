#include "what_fits.h"

#include <algorithm>

#include "common/not_implemented.h"
#include "common/tensor/matrix.h"

namespace waitless {

MemoryBill what_fits(const MemoryNeeds& needs, std::int64_t memory_bytes, std::int64_t context, std::int64_t batch) {
  // EXERCISE(2.9): check the arguments; add up; then divide what the weights leave by the cache of one sequence, and by
  // the cache of one more token in each.
  not_implemented("2.9", needs, memory_bytes, context, batch);
}

}  // namespace waitless
