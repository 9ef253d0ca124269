#include "common/course/system/repository.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <map>

#include "common/base/error.h"
#include "common/course/system/text.h"

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

/// What a chapter may be called: 01_naive_generation, 01, 1, naive_generation.
std::vector<std::string> names_of(const std::string& chapter) {
  std::vector<std::string> names = {chapter, chapter.substr(0, 2), chapter.substr(3)};
  if (chapter[0] == '0') names.push_back(chapter.substr(1, 1));
  return names;
}

/// The chapter with the nearest number if `name` is one; otherwise one that has `name` in its own, or is spelled most
/// like it.
std::string nearest_chapter(std::string_view name, const std::vector<std::string>& chapters) {
  std::vector<std::string> names;
  std::map<std::string, std::string> chapter_of;
  for (const std::string& chapter : chapters) {
    for (const std::string& known : names_of(chapter)) {
      names.push_back(known);
      chapter_of[known] = chapter;
    }
  }
  if (!name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isdigit(c); })) {
    const auto distance = [&](const std::string& chapter) {
      return std::labs(std::strtol(std::string(name).c_str(), nullptr, 10) - std::strtol(chapter.c_str(), nullptr, 10));
    };
    return *std::min_element(chapters.begin(), chapters.end(),
                             [&](const auto& a, const auto& b) { return distance(a) < distance(b); });
  }
  for (const std::string& chapter : chapters) {
    if (!name.empty() && chapter.find(name) != std::string::npos) return chapter;
  }
  return chapter_of.at(nearest(name, names));
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
  for (const std::string& chapter : all) {
    const std::vector<std::string> names = names_of(chapter);
    if (std::find(names.begin(), names.end(), name) != names.end()) return chapter;
  }
  std::string message = "there is no chapter '" + std::string(name) + "'";
  if (!all.empty()) message += "; the nearest is " + nearest_chapter(name, all);
  throw InputError(message);
}

std::string Repository::shown(const fs::path& file) const { return fs::relative(file, root).string(); }

}  // namespace waitless::course
