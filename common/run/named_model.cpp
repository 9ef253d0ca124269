#include "common/run/named_model.h"

#include <new>

#include "common/base/error.h"
#include "common/model/find_model.h"
#include "common/model/gguf.h"

namespace waitless {

void load_models(const std::vector<NamedModel*>& models) {
  for (NamedModel* const it : models) {
    if (it->name.empty()) continue;
    try {
      const GgufFile file = GgufFile::open(find_model(it->name));
      it->tokenizer = Tokenizer::from_gguf(file);
      it->model = load_model(file, it->load);
    } catch (const std::bad_alloc&) {
      throw InputError("not enough memory for model " + it->name);
    }
  }
}

}  // namespace waitless
