#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "common/model/model.h"
#include "common/tokenizer/tokenizer.h"
#include "sample.h"

namespace waitless {

struct GenerateOptions {
  int max_tokens = 64;
  SamplingOptions sampling = {};
  std::uint64_t seed = 1;
};

enum class StopReason { kStopToken, kMaxTokens, kContextFull };

struct Generation {
  std::vector<int> tokens;  // the new ones; a stop token is not among them
  StopReason reason = StopReason::kMaxTokens;
};

/// Called after each new token with the text that has become complete by it: whole UTF-8 characters, perhaps none.
/// After the last token it is called once more, with token -1, if text was still pending.
using OnToken = std::function<void(int token, std::string_view text)>;

/// Chooses the token that follows `sequence`: some forward pass, and a draw.
using NextToken = std::function<int(std::span<const int> sequence)>;

/// The loop around every way of generating: ask for a token, stop or show and append it, again. Ends at one of the
/// tokenizer's stop tokens, after max_tokens, or when the sequence fills the model's context: a full context still
/// gives one token, which is shown but not appended.
/// @param prompt [n], n >= 1 token ids
/// @throws InputError if the prompt is empty or longer than context_length
Generation generate_loop(const NextToken& next_token, const Tokenizer& tokenizer, std::span<const int> prompt,
                         int context_length, int max_tokens, const OnToken& on_token = {});

/// Continues a prompt, the naive way: for each new token the whole sequence goes through the model again.
/// @throws InputError as generate_loop()
/// @throws std::out_of_range if a token is outside the vocabulary
Generation generate(const Model& model, const Tokenizer& tokenizer, std::span<const int> prompt,
                    const GenerateOptions& options, const OnToken& on_token = {});

}  // namespace waitless
