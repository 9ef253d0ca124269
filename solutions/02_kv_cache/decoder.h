#pragma once

#include <span>

#include "01_naive_generation/ops.h"
#include "01_naive_generation/workspace.h"
#include "cached_attention.h"
#include "common/model/model.h"
#include "kv_cache.h"

namespace waitless {

/// One sequence (number 0) on its way through a model, with everything that a step needs: after the first step, the
/// next ones allocate nothing. Where the cache keeps a token is the cache's business: decoding goes on after a
/// rollback, after evicted tokens, after an accepted draft tree.
struct CachedDecoder {
  /// @param n_slots tokens that the cache can hold; the model must outlive the decoder
  CachedDecoder(const Model& model, int n_slots, const OpsOfCache& ops_of_cache = default_ops_of_cache);
  CachedDecoder(const CachedDecoder&) = delete;  // ops refers to cache
  CachedDecoder& operator=(const CachedDecoder&) = delete;

  /// The position of the token that comes next.
  int next_position() const { return cache.slots.next_position(0); }

  const Model& model;
  KvCache cache;
  Ops ops;
  Workspace workspace;
  Batch batch;    // of the latest step; cleared and filled again for each
  Matrix logits;  // [1, vocab_size] of the latest token
};

/// Sends tokens through the model behind those that are cached already, chunk_size at a time: the first one at
/// decoder.next_position(), as rows of sequence 0. Afterwards decoder.logits are those of the last token; logits of the
/// others are not computed. How long the text becomes is for the caller to watch.
/// @param tokens [n], n >= 1   @param chunk_size >= 1; 0: all at once
/// @throws CacheFull if fewer than n slots are free, naming n and the number of free slots; then nothing was computed
///         or stored, not even a first chunk that would fit
/// @throws std::invalid_argument if there are no tokens or chunk_size is negative
/// @throws std::out_of_range if a token is outside the vocabulary
void prefill(CachedDecoder& decoder, std::span<const int> tokens, int chunk_size = 0);

/// Sends one token through the model behind those that are cached already: one row, whatever the length. Afterwards
/// decoder.logits are its own. From the second step on nothing is allocated.
/// @throws CacheFull if there is no room; then nothing was stored
/// @throws std::out_of_range if the token is outside the vocabulary
void decode_step(CachedDecoder& decoder, int token);

}  // namespace waitless
