#pragma once

#include <span>

#include "01_naive_generation/tiled_attention.h"
#include "common/model/model.h"

namespace waitless {

/// How surprised a model is by a text: exp of the mean of -log p(token | those before it in its window). 1 would be a
/// model that knows every token beforehand, vocab_size one that knows nothing.
/// The text is cut into windows that do not overlap; each is read by itself, and its first token is not predicted. What
/// is left at the end is not counted.
/// @throws std::invalid_argument unless window is at least 2 and tokens fill one
double perplexity(const Model& model, std::span<const int> tokens, int window, const Ops& ops = tiled_ops());

}  // namespace waitless
