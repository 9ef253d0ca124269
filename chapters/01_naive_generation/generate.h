#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "common/model/generate_options.h"
#include "common/model/model.h"
#include "common/tokenizer/tokenizer.h"
#include "forward.h"
#include "sample.h"

namespace waitless {

enum class StopReason { kStopToken, kMaxTokens, kContextFull, kStopped };

struct Generation {
  std::vector<int> tokens;  // the new ones; a stop token is not among them
  StopReason reason = StopReason::kMaxTokens;
};

/// Called after each new token with the text that has become complete by it: whole UTF-8 characters, perhaps none.
/// After the last token it is called once more, with token -1, if text was still pending.
/// @return whether to go on; false stops the generation behind this token
using OnToken = std::function<bool(int token, std::string_view text)>;

/// Chooses the tokens that follow `sequence`: some forward pass, and a draw. One token, several (chapters 07 and 08),
/// or none yet; the span is read before the next call.
using NextTokens = std::function<std::span<const int>(std::span<const int> sequence)>;

/// The loop around every way of generating: ask for tokens, stop or show and append each, again. It ends
///   at one of the tokenizer's stop tokens, which is not shown;
///   when on_token says so: kStopped;
///   when the sequence fills the model's context: a full context still gives one token, which is shown but not appended
///   (kContextFull, also if it is the last of max_tokens);
///   after max_tokens.
/// Of several tokens at once, those behind the end are dropped.
/// @param prompt [n], n >= 1 token ids
/// @throws InputError if the prompt is empty or longer than context_length
Generation generate_loop(const NextTokens& next_tokens, const Tokenizer& tokenizer, std::span<const int> prompt,
                         int context_length, int max_tokens, const OnToken& on_token = {});

/// Continues a prompt, the naive way: for each new token the whole sequence goes through the model again.
/// @throws InputError as generate_loop(), and as require_causal() if the model lets tokens see later ones
/// @throws std::out_of_range if a token is outside the vocabulary
Generation generate(const Model& model, const Tokenizer& tokenizer, std::span<const int> prompt,
                    const GenerateOptions& options, const OnToken& on_token = {}, const Ops& ops = naive_ops());

}  // namespace waitless
