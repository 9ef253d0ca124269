#include "count_work.h"

#include "common/base/not_implemented.h"
#include "common/tensor/matrix.h"

namespace waitless {

Work count_forward(const Config& config, int n_rows, int n_logit_rows) {
  // EXERCISE(1.12): check the arguments; multiply out one row, then the visible pairs, then the logits. All in 64-bit
  // integers.
  not_implemented("1.12");
}

Work count_work(const Config& config, int prompt_len, int n_new) {
  // EXERCISE(1.12): check the arguments; then add up the forward passes.
  not_implemented("1.12");
}

}  // namespace waitless
