#include "generate_cached.h"

#include <algorithm>
#include <string>

#include "common/error.h"
#include "common/not_implemented.h"
#include "common/tokenizer/utf8.h"
#include "decoder.h"

namespace waitless {

CachedGeneration generate_cached(const Model& model, const Tokenizer& tokenizer, std::span<const int> prompt,
                                 const GenerateOptions& options, const OnToken& on_token, const Clock& clock) {
  // EXERCISE(2.5): check the prompt; read the clock; prefill; then sample, stop or show, and a decode step, until done.
  not_implemented("2.5", model, tokenizer, prompt, options, on_token, clock);
}

}  // namespace waitless
