#include "common/model/find_model.h"

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "common/base/error.h"

namespace waitless {
namespace {

/// The value of an environment variable as a path; empty if it is not set.
std::filesystem::path path_from(const char* variable) {
  const char* value = std::getenv(variable);
  return value ? value : "";
}

}  // namespace

std::filesystem::path repository_root() {
  const auto root = path_from("WAITLESS_ROOT");
  return root.empty() ? WAITLESS_SOURCE_DIR : root;
}

std::filesystem::path cache_folder() {
  if (const auto own = path_from("WAITLESS_CACHE"); !own.empty()) return own;
  if (const auto xdg = path_from("XDG_CACHE_HOME"); !xdg.empty()) return xdg / "waitless";
  return path_from("HOME") / ".cache" / "waitless";
}

std::filesystem::path find_model(const std::string& name) {
  if (name == "smollm2") {
    const auto path = cache_folder() / kSmolLm2File;
    if (!std::filesystem::exists(path)) throw InputError("smollm2 is not here yet: run ./course fetch smollm2");
    return path;
  }
  if (name == "austen" || name == "austen-draft") {
    const auto file = name == "austen" ? "austen-target.gguf" : "austen-draft.gguf";
    return repository_root() / "datasets" / "models" / file;
  }
  if (!std::filesystem::exists(name)) {
    throw InputError("there is no model " + name + ": give austen, austen-draft, smollm2 or a .gguf file");
  }
  return name;
}

std::string read_course_text(const std::string& name) {
  const auto path = repository_root() / "datasets" / "text" / (name + ".txt");
  std::ifstream file(path, std::ios::binary);
  if (!file) throw InputError("cannot read " + path.string());
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace waitless
