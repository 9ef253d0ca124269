#include "what_fits.h"

#include <algorithm>
#include <limits>

#include "common/base/not_implemented.h"
#include "common/tensor/matrix.h"

namespace waitless {

MemoryBill what_fits(const MemoryNeeds& needs, std::int64_t memory_bytes, std::int64_t context, std::int64_t batch) {
  // EXERCISE(2.11): check the arguments, and that the sum fits into 64 bits; add up; then divide what the weights leave
  // by the cache of one sequence, and by the cache of one more token in each.
  // SOLUTION_BEGIN(2.11)
  check_argument(needs.weight_bytes >= 0 && memory_bytes >= 0, "what_fits: a size is negative");
  check_argument(needs.kv_bytes_per_token >= 1, "what_fits: a token needs at least one byte");
  check_argument(context >= 1 && batch >= 1, "what_fits: context and batch must be at least 1");
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  check_argument(context <= (kMost - needs.weight_bytes) / needs.kv_bytes_per_token / batch,
                 "what_fits: weights and caches take more bytes than 64 bits hold");
  const std::int64_t for_caches = std::max<std::int64_t>(0, memory_bytes - needs.weight_bytes);
  MemoryBill bill;
  bill.weight_bytes = needs.weight_bytes;
  bill.kv_bytes = batch * context * needs.kv_bytes_per_token;
  bill.left_bytes = memory_bytes - bill.weight_bytes - bill.kv_bytes;
  bill.largest_batch = for_caches / (context * needs.kv_bytes_per_token);
  bill.longest_context = for_caches / (batch * needs.kv_bytes_per_token);
  return bill;
  // SOLUTION_END(2.11)
}

}  // namespace waitless
