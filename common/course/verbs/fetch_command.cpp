#include <iostream>

#include "common/base/error.h"
#include "common/course/system/text.h"
#include "common/course/verbs/fetch.h"
#include "common/course/verbs/verbs.h"
#include "common/model/find_model.h"

namespace waitless::course {

int fetch_command(const std::string& model, const std::string& from) {
  if (model != "smollm2") throw InputError(unknown("model to fetch", model, {"smollm2"}));
  const std::filesystem::path file = fetch(smollm2(), cache_folder(), from);  // says itself how far it is
  std::cout << "SmolLM2-135M-Instruct is in " << file.string() << "\n";
  return 0;
}

}  // namespace waitless::course
