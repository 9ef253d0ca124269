#include "generate.h"

#include <algorithm>
#include <string>

#include "common/error.h"
#include "common/not_implemented.h"
#include "common/tokenizer/utf8.h"
#include "forward.h"

namespace waitless {

Generation generate_loop(const NextToken& next_token, const Tokenizer& tokenizer, std::span<const int> prompt,
                         int context_length, int max_tokens, const OnToken& on_token) {
  // EXERCISE(1.9): check the prompt; then next token, stop or show and append, until done. Stream the text through a
  // Utf8Stream.
  not_implemented("1.9", next_token, tokenizer, prompt, context_length, max_tokens, on_token);
}

Generation generate(const Model& model, const Tokenizer& tokenizer, std::span<const int> prompt,
                    const GenerateOptions& options, const OnToken& on_token) {
  // EXERCISE(1.9): the next token of the naive way is a forward pass over the whole sequence and a sample of its last
  // logits. Run the loop with it.
  not_implemented("1.9", model, tokenizer, prompt, options, on_token);
}

}  // namespace waitless
