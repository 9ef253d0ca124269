#include "generate.h"

#include <algorithm>
#include <string>

#include "common/error.h"
#include "common/not_implemented.h"
#include "common/tokenizer/utf8.h"
#include "forward.h"

namespace waitless {

Generation generate(const Model& model, const Tokenizer& tokenizer, std::span<const int> prompt,
                    const GenerateOptions& options, const OnToken& on_token) {
  // EXERCISE(1.9): check the prompt; then forward over all tokens, sample, stop or append, until done. Stream the
  // text through a Utf8Stream.
  not_implemented("1.9", model, tokenizer, prompt, options, on_token);
}

}  // namespace waitless
