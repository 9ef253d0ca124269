#include <iostream>

#include "common/course/fetch.h"
#include "common/course/text.h"
#include "common/course/verbs.h"
#include "common/error.h"
#include "common/run/models.h"

namespace waitless::course {

int fetch_command(const std::string& model, const std::string& from) {
  if (model != "smollm2") throw InputError(unknown("model to fetch", model, {"smollm2"}));
  const std::filesystem::path file = fetch(smollm2(), cache_folder(), from);  // says itself how far it is
  std::cout << "SmolLM2-135M-Instruct is in " << file.string() << "\n";
  return 0;
}

}  // namespace waitless::course
