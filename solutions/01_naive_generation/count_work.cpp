#include "count_work.h"

#include "common/base/not_implemented.h"
#include "common/tensor/matrix.h"

namespace waitless {

Work count_forward(const Config& config, int n_rows, int n_logit_rows) {
  // EXERCISE(1.12): check the arguments; multiply out one row, then the visible pairs, then the logits. All in 64-bit
  // integers.
  // SOLUTION_BEGIN(1.12)
  check_argument(n_rows >= 0 && n_logit_rows >= 0, "count_forward: the numbers of rows must not be negative");
  const std::int64_t rows = n_rows, d_model = config.d_model, q_dim = config.q_dim(), kv_dim = config.kv_dim();
  const std::int64_t weights_per_layer = d_model * (2 * q_dim + 2 * kv_dim) + 3 * d_model * config.d_ff;
  const std::int64_t visible_pairs = rows * (rows + 1) / 2;
  const std::int64_t per_layer = 2 * rows * weights_per_layer + 4 * visible_pairs * q_dim;
  const std::int64_t logits = 2 * d_model * config.vocab_size * n_logit_rows;
  return {.token_positions = rows, .flops = config.n_layers * per_layer + logits};
  // SOLUTION_END(1.12)
}

Work count_work(const Config& config, int prompt_len, int n_new) {
  // EXERCISE(1.12): check the arguments; then add up the forward passes.
  // SOLUTION_BEGIN(1.12)
  check_argument(prompt_len >= 1, "count_work: the prompt needs at least one token");
  check_argument(n_new >= 0, "count_work: n_new must not be negative");
  Work total;
  for (int step = 0; step < n_new; ++step) {
    const Work pass = count_forward(config, prompt_len + step, 1);
    total.token_positions += pass.token_positions;
    total.flops += pass.flops;
  }
  return total;
  // SOLUTION_END(1.12)
}

}  // namespace waitless
