#include "common/course/repository.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "common/course/text.h"
#include "common/error.h"

namespace waitless::course {
namespace {

namespace fs = std::filesystem;

bool is_chapter_name(const std::string& name) {
  return name.size() > 3 && std::isdigit(static_cast<unsigned char>(name[0])) &&
         std::isdigit(static_cast<unsigned char>(name[1])) && name[2] == '_';
}

bool is_course(const fs::path& folder) {
  return fs::exists(folder / "course") && fs::is_directory(folder / "solutions");
}

}  // namespace

Repository Repository::find() {
  fs::path root;
  if (const char* named = std::getenv("WAITLESS_ROOT"); named && *named) {
    root = named;
  } else {
    for (root = fs::current_path(); !is_course(root) && root.has_relative_path();) root = root.parent_path();
  }
  if (!fs::is_directory(root / "solutions"))
    throw InputError("this is no clone of the course: " + root.string() + " has no folder solutions");
  root = fs::canonical(root);
  const char* build = std::getenv("WAITLESS_BUILD");
  return {root, root / (build && *build ? build : "build/default")};
}

std::vector<std::string> Repository::chapters() const {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(root / "solutions")) {
    if (entry.is_directory() && is_chapter_name(entry.path().filename().string()))
      names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string Repository::chapter(std::string_view name) const {
  const std::vector<std::string> all = chapters();
  std::vector<std::string> accepted;
  for (const std::string& chapter : all) {
    const std::string number = chapter.substr(0, 2), title = chapter.substr(3);
    const std::string short_number = number[0] == '0' ? number.substr(1) : number;
    if (name == chapter || name == number || name == short_number || name == title) return chapter;
    accepted.push_back(
        std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isdigit(c); }) ? number : chapter);
  }
  std::string message = "there is no chapter '" + std::string(name) + "'";
  const auto best = std::find(accepted.begin(), accepted.end(), nearest(name, accepted));
  if (best != accepted.end()) message += "; the nearest is " + all[std::size_t(best - accepted.begin())];
  throw InputError(message);
}

std::string Repository::shown(const fs::path& file) const { return fs::relative(file, root).string(); }

}  // namespace waitless::course
