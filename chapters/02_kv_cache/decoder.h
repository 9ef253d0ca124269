#pragma once

#include <span>

#include "01_naive_generation/ops.h"
#include "01_naive_generation/workspace.h"
#include "cached_attention.h"
#include "common/model/model.h"
#include "kv_cache.h"

namespace waitless {

/// One sequence (number 0) on its way through a model, with everything that a step needs: after the first step,
/// the next ones allocate nothing. Position p is stored in slot p. Later chapters assign other operators to `ops`.
struct CachedDecoder {
  /// @param capacity tokens that the cache can hold; the model must outlive the decoder
  CachedDecoder(const Model& model, int capacity);
  CachedDecoder(const CachedDecoder&) = delete;  // ops refers to cache
  CachedDecoder& operator=(const CachedDecoder&) = delete;

  /// Tokens that went through so far; the next one gets this position.
  int n_tokens() const { return cache.n_stored(0); }

  const Model& model;
  KvCache cache;
  Ops ops;
  Workspace workspace;
  Batch step;     // of decode_step(): one row, which moves on by one each time
  Matrix logits;  // [1, vocab_size] of the latest token
};

/// Sends tokens through the model behind those that are cached already, chunk_size at a time. Afterwards
/// decoder.logits are those of the last token; logits of the others are not computed.
/// @param tokens [n], n >= 1   @param chunk_size >= 1; 0: all at once
/// @throws CacheFull if there is no room for all of them; then nothing was computed or stored
/// @throws std::invalid_argument if there are no tokens or chunk_size is negative
void prefill(CachedDecoder& decoder, std::span<const int> tokens, int chunk_size = 0);

/// Sends one token through the model behind those that are cached already: one row, whatever the length. Afterwards
/// decoder.logits are its own.
/// @throws CacheFull if there is no room; then nothing was stored
void decode_step(CachedDecoder& decoder, int token);

}  // namespace waitless
