#include "what_fits.h"

#include <algorithm>
#include <limits>

#include "common/base/not_implemented.h"
#include "common/tensor/matrix.h"

namespace waitless {

MemoryBill what_fits(const MemoryNeeds& needs, std::int64_t memory_bytes, std::int64_t context, std::int64_t batch) {
  // EXERCISE(2.11): check the arguments, and that the sum fits into 64 bits; add up; then divide what the weights leave
  // by the cache of one sequence, and by the cache of one more token in each.
  not_implemented("2.11");
}

}  // namespace waitless
