#pragma once

#include "common/tokenizer/tokenizer.h"

namespace waitless {

/// A tokenizer without merges: one stop token, then one token for each of the 256 bytes.
inline constexpr int kSmallStopToken = 0;
inline constexpr int kSmallVocabularySize = 257;

Tokenizer small_tokenizer();

/// The token of a byte.
constexpr int byte_token(unsigned char byte) { return 1 + byte; }

}  // namespace waitless
