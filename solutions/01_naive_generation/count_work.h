#pragma once

#include <cstdint>

#include "common/model/config.h"

namespace waitless {

/// What a computation costs, counted instead of timed.
struct Work {
  std::int64_t token_positions = 0;  // rows that went through the layers
  std::int64_t flops = 0;            // additions and multiplications, see count_forward()
};

/// The work of one forward pass over a causal sequence of n_rows tokens with n_logit_rows rows of logits. Counted are
/// the operations that grow with the model, each multiply-add as two: linear layers (2 * inputs * outputs for a row)
/// and, for each head and each pair of a query and a key it sees, the score and the weighted sum (2 * head_dim each).
/// Norms, RoPE, softmax, SwiGLU, residual additions and sampling are left out: together below 1 % for real models.
/// @throws std::invalid_argument if n_rows or n_logit_rows is negative
Work count_forward(const Config& config, int n_rows, int n_logit_rows);

/// The work of generating n_new tokens naively after a prompt of prompt_len tokens: n_new forward passes, each over
/// everything so far, each with one row of logits.
/// @param prompt_len, n_new their sum fits an int; the counts need 64 bits
/// @throws std::invalid_argument unless prompt_len >= 1 and n_new >= 0
Work count_work(const Config& config, int prompt_len, int n_new);

}  // namespace waitless
