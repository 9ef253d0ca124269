#include "generate.h"

#include <algorithm>
#include <optional>
#include <string>

#include "common/base/error.h"
#include "common/base/not_implemented.h"
#include "common/tokenizer/utf8.h"
#include "forward.h"

namespace waitless {

Generation generate_loop(const NextTokens& next_tokens, const Tokenizer& tokenizer, std::span<const int> prompt,
                         int context_length, int max_tokens, const OnToken& on_token) {
  // EXERCISE(1.11): check the prompt; then for each next token stop, or show and append it, until done. Stream the text
  // through a Utf8Stream.
  not_implemented("1.11");
}

Generation generate(const Model& model, const Tokenizer& tokenizer, std::span<const int> prompt,
                    const GenerateOptions& options, const OnToken& on_token, const Ops& ops) {
  // EXERCISE(1.11): the next token of the naive way is a forward pass over the whole sequence and a sample of its last
  // logits. Run the loop with it.
  not_implemented("1.11");
}

}  // namespace waitless
