#include "common/course/verbs/new.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <iostream>
#include <optional>
#include <utility>

#include "common/base/error.h"
#include "common/course/starters/starters.h"
#include "common/course/system/text.h"
#include "common/course/verbs/verbs.h"

namespace waitless::course {
namespace {

namespace fs = std::filesystem;

const char* const kTrees[] = {"solutions", "chapters", "tests"};

/// What stands in the template, and what stands there in a chapter.
using Replacements = std::vector<std::pair<std::string, std::string>>;

/// "03_tensor_cores" -> "Tensor cores"
std::string title_of(const std::string& name) {
  std::string title = name.substr(3);
  std::replace(title.begin(), title.end(), '_', ' ');
  title[0] = char(std::toupper(static_cast<unsigned char>(title[0])));
  return title;
}

Replacements replacements_for(const std::string& name) {
  const std::string number = name.substr(0, 2);
  return {{"@CHAPTER@", name},
          {"@NN@", number},
          {"@N@", number[0] == '0' ? number.substr(1) : number},
          {"@TITLE@", title_of(name)}};
}

std::string replaced(std::string text, const Replacements& replacements) {
  for (const auto& [from, to] : replacements) {
    for (std::size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size()))
      text.replace(at, from.size(), to);
  }
  return text;
}

bool is_chapter_name(const std::string& name) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto is_letter = [](char c) { return c >= 'a' && c <= 'z'; };
  return name.size() > 3 && is_digit(name[0]) && is_digit(name[1]) && name[2] == '_' && is_letter(name[3]) &&
         name.back() != '_' &&
         std::all_of(name.begin() + 3, name.end(), [&](char c) { return is_digit(c) || is_letter(c) || c == '_'; });
}

void check_name(const Repository& repository, const std::string& name) {
  if (!is_chapter_name(name))
    throw InputError("a chapter is called by two digits and words of small letters, such as 03_roofline, not '" + name +
                     "'");
  for (const char* tree : kTrees) {
    if (!fs::is_directory(repository.root / tree)) continue;
    for (const auto& entry : fs::directory_iterator(repository.root / tree)) {
      const std::string other = entry.path().filename().string();
      if (other == name) throw InputError(std::string(tree) + "/" + name + " exists already");
      if (other.starts_with(name.substr(0, 3)))
        throw InputError("there is a chapter " + name.substr(0, 2) + " already: " + tree + "/" + other);
    }
  }
}

/// Names of the chapters that it is built on, in order.
std::vector<std::string> names_of_needs(const Repository& repository, const std::string& name,
                                        const std::vector<std::string>& needs) {
  std::vector<std::string> names;
  for (const std::string& need : needs) {
    names.push_back(repository.chapter(need));
    if (names.back() > name) throw InputError(name + " cannot be built on " + names.back() + ", which comes later");
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

/// CMakeLists.txt with the chapter between the ones before it and the ones behind it.
std::string with_add_chapter(const std::string& cmake, const std::string& name, const std::vector<std::string>& needs) {
  const std::string call = "add_chapter(";
  std::vector<std::string> lines = split_lines(cmake);
  std::optional<std::size_t> at;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!lines[i].starts_with(call)) continue;
    const std::string other = lines[i].substr(call.size());
    if (other.starts_with(name.substr(0, 3)))
      throw InputError("CMakeLists.txt has a chapter " + name.substr(0, 2) + " already: " + lines[i]);
    if (other > name) {
      if (!at) at = i;
      break;
    }
    while (lines[i].find(')') == std::string::npos && i + 1 < lines.size()) ++i;
    at = i + 1;
  }
  if (!at) throw InputError("CMakeLists.txt has no add_chapter(...) beside which the new one could stand");
  lines.insert(lines.begin() + std::ptrdiff_t(*at),
               call + name + (needs.empty() ? "" : " NEEDS " + join(needs, " ")) + ")");
  return join(lines, "\n") + "\n";
}

struct NewFile {
  std::string name;  // in the repository
  std::string text;
};

std::vector<NewFile> files_of_template(const Repository& repository, const std::string& name) {
  const fs::path folder = repository.root / "common" / "course" / "template";
  const Replacements replacements = replacements_for(name);
  std::vector<NewFile> files;
  for (const char* tree : kTrees) {
    if (!fs::is_directory(folder / tree))
      throw InputError("the template lacks the folder " + repository.shown(folder / tree));
    for (const auto& entry : fs::recursive_directory_iterator(folder / tree)) {
      if (!entry.is_regular_file()) continue;
      const std::string below = entry.path().lexically_relative(folder / tree).generic_string();
      files.push_back({std::string(tree) + "/" + name + "/" + replaced(below, replacements),
                       replaced(read_text(entry.path()), replacements)});
    }
  }
  std::sort(files.begin(), files.end(), [](const NewFile& a, const NewFile& b) { return a.name < b.name; });
  return files;
}

}  // namespace

std::vector<std::string> new_chapter(const Repository& repository, const std::string& name,
                                     const std::vector<std::string>& needs) {
  check_name(repository, name);
  const fs::path cmake_file = repository.root / "CMakeLists.txt";
  const std::string cmake = read_text(cmake_file);
  const std::string new_cmake = with_add_chapter(cmake, name, names_of_needs(repository, name, needs));
  const std::vector<NewFile> files = files_of_template(repository, name);
  const bool has_manifest = fs::exists(manifest(repository));
  const std::string old_manifest = has_manifest ? read_text(manifest(repository)) : "";

  std::vector<std::string> written;
  try {
    for (const NewFile& file : files) {
      write_text(repository.root / file.name, file.text);
      written.push_back(file.name);
    }
    for (const std::string& message : write_starters(repository, name)) {
      constexpr std::string_view wrote = "wrote ";
      if (message.starts_with(wrote)) written.push_back(message.substr(wrote.size()));
    }
    write_text(cmake_file, new_cmake);
  } catch (...) {
    std::error_code ignored;
    for (const char* tree : kTrees) fs::remove_all(repository.root / tree / name, ignored);
    if (has_manifest && read_text(manifest(repository)) != old_manifest) write_text(manifest(repository), old_manifest);
    if (!has_manifest) fs::remove(manifest(repository), ignored);
    throw;
  }
  std::sort(written.begin(), written.end());
  return written;
}

int new_command(const Repository& repository, const std::string& name, const std::vector<std::string>& needs) {
  for (const std::string& file : new_chapter(repository, name, needs)) std::cout << "wrote " << file << "\n";
  const std::string number = name.substr(0, 2);
  std::cout << "added " << name << " to CMakeLists.txt\n\nIt can be built as it is: ./course check " << number
            << ". What to edit next stands in CONTRIBUTING.md, \"A new chapter in ten edits\".\n";
  return 0;
}

}  // namespace waitless::course
