// Guards the GGUF reader: whatever the bytes are, they give a model, a tokenizer, or an InputError.
#include <cstdlib>
#include <cstring>
#include <vector>

#include "common/base/error.h"
#include "common/model/gguf.h"
#include "common/model/model.h"
#include "common/tokenizer/tokenizer.h"

using namespace waitless;

namespace {

/// Touches every weight, so that AddressSanitizer sees a span that leaves the file.
void read_all(const Model& model) {
  std::vector<float> row(std::size_t(model.config.d_model));
  for (Index i = 0; i < model.output.rows; ++i) expand_row(model.output, i, row);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // An allocation of exactly this size: the first byte behind it is poisoned.
  const std::shared_ptr<void> copy(std::malloc(size), std::free);
  std::memcpy(copy.get(), data, size);
  const std::span bytes(static_cast<const std::byte*>(copy.get()), size);
  try {
    const GgufFile file = GgufFile::parse("fuzz.gguf", bytes, copy);
    try {
      Tokenizer::from_gguf(file);
    } catch (const InputError&) {
    }
    read_all(load_model(file, {.convert = keep_as_in_file}));
    load_model(file);
  } catch (const InputError& error) {
    if (std::strchr(error.what(), '\n') != nullptr) std::abort();  // one sentence on one line
  }
  return 0;
}
