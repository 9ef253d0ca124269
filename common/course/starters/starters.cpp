#include "common/course/starters/starters.h"

#include <algorithm>
#include <map>
#include <set>

#include "common/base/error.h"
#include "common/course/grading/rubric.h"
#include "common/course/system/sha256.h"
#include "common/course/system/text.h"

namespace waitless::course {
namespace {

namespace fs = std::filesystem;

// Lines that every program has, such as the heads of loops, give nothing away.
constexpr std::size_t kTellingLength = 30;
bool is_telling(std::string_view line) {
  return line.size() >= kTellingLength && line.back() != '{' && !line.starts_with("//");
}

std::string chapter_of(const std::string& name) { return name.substr(0, name.find('/')); }
bool concerns(const std::string& name, const std::optional<std::string>& chapter) {
  return !chapter || chapter_of(name) == *chapter;
}

/// Code files below chapters/ or solutions/, as "01_naive_generation/rope.cpp".
std::set<std::string> code_files(const fs::path& tree, const std::optional<std::string>& chapter) {
  std::set<std::string> names;
  const fs::path top = chapter ? tree / *chapter : tree;
  if (!fs::is_directory(top)) return names;
  for (const auto& entry : fs::recursive_directory_iterator(top)) {
    const fs::path suffix = entry.path().extension();
    if (entry.is_regular_file() && (suffix == ".h" || suffix == ".cpp" || suffix == ".cu" || suffix == ".cuh"))
      names.insert(entry.path().lexically_relative(tree).generic_string());
  }
  return names;
}

/// "01_naive_generation/rope.cpp" -> hash
std::map<std::string, std::string> read_manifest(const Repository& repository) {
  std::map<std::string, std::string> hashes;
  if (!fs::exists(manifest(repository))) return hashes;
  constexpr std::string_view separator = "  chapters/";
  for (const std::string& line : split_lines(read_text(manifest(repository)))) {
    const std::size_t at = line.find(separator);
    if (at == 64) hashes[line.substr(at + separator.size())] = line.substr(0, at);
  }
  return hashes;
}

std::map<std::string, std::string> hashes_of(const Repository& repository, const std::set<std::string>& names) {
  std::vector<fs::path> files;
  for (const std::string& name : names) files.push_back(repository.root / "chapters" / name);
  const auto by_file = sha256(files);
  std::map<std::string, std::string> hashes;
  for (const std::string& name : names) hashes[name] = by_file.at(repository.root / "chapters" / name);
  return hashes;
}

void check_ids(const Repository& repository, const std::vector<StarterFile>& files) {
  std::map<std::string, Rubric> rubrics;
  for (const StarterFile& file : files) {
    const std::string chapter = chapter_of(file.name);
    if (!fs::exists(repository.tests(chapter) / "rubric.json")) continue;  // check_starters() asks for it
    for (const Region& region : file.regions) {
      if (!rubrics.count(chapter)) rubrics[chapter] = load_rubric(repository, chapter);
      if (!rubrics[chapter].find(region.id))
        throw InputError("solutions/" + file.name + ":" + std::to_string(region.first_line) + ": exercise " +
                         region.id + " is not in tests/" + chapter + "/rubric.json");
    }
  }
}

/// Lines of a solution that can be read in its starter. (In other files they may stand: the code on the device that is
/// given resembles the code on the CPU that is to be written.)
std::vector<std::string> leaks(const Repository& repository, const std::vector<StarterFile>& files) {
  std::vector<std::string> messages;
  for (const StarterFile& file : files) {
    if (file.state == StarterState::edited || file.state == StarterState::missing) continue;
    std::map<std::string, int> telling;  // line -> where it stands in the solution
    for (const Region& region : file.regions) {
      for (std::size_t i = 0; i < region.lines.size(); ++i) {
        const std::string line(trim(region.lines[i]));
        if (is_telling(line)) telling[line] = region.first_line + int(i) + 1;
      }
    }
    int number = 0;
    for (const std::string& line : split_lines(read_text(repository.root / "chapters" / file.name))) {
      const std::string where = "chapters/" + file.name + ":" + std::to_string(++number);
      if (line.find("SOLUTION") != std::string::npos) messages.push_back(where + ": a SOLUTION marker in a starter");
      if (const auto found = telling.find(std::string(trim(line))); found != telling.end())
        messages.push_back(where + ": shows line " + std::to_string(found->second) + " of solutions/" + file.name);
    }
  }
  return messages;
}

/// Exercises whose regions stand in other files than the rubric says, or nowhere.
std::vector<std::string> unsolved(const Repository& repository, const std::vector<StarterFile>& files) {
  std::map<std::string, std::map<std::string, std::set<std::string>>> solved;  // chapter -> exercise -> files
  for (const StarterFile& file : files) {
    auto& of_chapter = solved[chapter_of(file.name)];
    for (const Region& region : file.regions) {
      if (!region.is_helper) of_chapter[region.id].insert(file.name.substr(file.name.find('/') + 1));
    }
  }
  std::vector<std::string> messages;
  for (const auto& [chapter, of_chapter] : solved) {
    if (!fs::exists(repository.tests(chapter) / "rubric.json")) {
      if (!of_chapter.empty())
        messages.push_back("tests/" + chapter + ": the chapter has exercises but no rubric.json");
      continue;
    }
    for (const Exercise& exercise : load_rubric(repository, chapter).exercises) {
      const auto found = of_chapter.find(exercise.id);
      if (found == of_chapter.end()) {
        messages.push_back("solutions/" + chapter + ": no region solves exercise " + exercise.id + " of the rubric");
        continue;
      }
      const std::set<std::string> listed(exercise.files.begin(), exercise.files.end());
      if (listed != found->second)
        messages.push_back("tests/" + chapter + "/rubric.json: exercise " + exercise.id + " lists " +
                           join(exercise.files, ", ") + "; its regions stand in " +
                           join({found->second.begin(), found->second.end()}, ", "));
    }
  }
  return messages;
}

}  // namespace

fs::path manifest(const Repository& repository) { return repository.root / "chapters" / "starters.sha256"; }

std::vector<StarterFile> starter_files(const Repository& repository, const std::optional<std::string>& chapter) {
  const fs::path chapters = repository.root / "chapters", solutions = repository.root / "solutions";
  const auto recorded = read_manifest(repository);
  std::vector<StarterFile> files;
  std::set<std::string> differing;
  for (const std::string& name : code_files(solutions, chapter)) {
    Starter starter = make_starter(read_text(solutions / name), "solutions/" + name);
    StarterFile file{name, std::move(starter.text), std::move(starter.regions)};
    if (!fs::exists(chapters / name))
      file.state = StarterState::missing;
    else if (read_text(chapters / name) != file.text)
      differing.insert(name);
    files.push_back(std::move(file));
  }
  check_ids(repository, files);
  const auto hashes = hashes_of(repository, differing);
  for (StarterFile& file : files) {
    const auto hash = hashes.find(file.name), record = recorded.find(file.name);
    if (hash == hashes.end()) continue;
    file.state =
        record != recorded.end() && record->second == hash->second ? StarterState::stale : StarterState::edited;
  }
  return files;
}

std::vector<std::string> write_starters(const Repository& repository, const std::optional<std::string>& chapter) {
  std::vector<std::string> messages;
  auto record = read_manifest(repository);
  std::set<std::string> ours, wanted;
  bool has_new_file = false;
  for (const StarterFile& file : starter_files(repository, chapter)) {
    wanted.insert(file.name);
    if (file.state == StarterState::edited) {
      messages.push_back("left alone: chapters/" + file.name + " has been edited");
      continue;
    }
    ours.insert(file.name);
    if (file.state == StarterState::current) continue;
    has_new_file = has_new_file || file.state == StarterState::missing;
    write_text(repository.root / "chapters" / file.name, file.text);
    messages.push_back("wrote chapters/" + file.name);
  }
  // CMake builds a starter once all of its files exist, so it has to look again.
  const fs::path cmake_file = repository.root / "CMakeLists.txt";
  if (has_new_file && fs::exists(cmake_file)) fs::last_write_time(cmake_file, fs::file_time_type::clock::now());

  std::set<std::string> without_solution;
  for (const std::string& name : code_files(repository.root / "chapters", chapter)) {
    if (!wanted.count(name)) without_solution.insert(name);
  }
  for (const auto& [name, hash] : hashes_of(repository, without_solution)) {
    if (record.count(name) && record[name] == hash) {
      fs::remove(repository.root / "chapters" / name);
      messages.push_back("deleted chapters/" + name + ", which has no solution any more");
    } else {
      messages.push_back("left alone: chapters/" + name + " comes from no solution");
    }
  }
  for (auto it = record.begin(); it != record.end();) {
    it = concerns(it->first, chapter) && !wanted.count(it->first) ? record.erase(it) : std::next(it);
  }
  for (const auto& [name, hash] : hashes_of(repository, ours)) record[name] = hash;
  std::string text;
  for (const auto& [name, hash] : record) text += hash + "  chapters/" + name + "\n";
  if (!fs::exists(manifest(repository)) || read_text(manifest(repository)) != text)
    write_text(manifest(repository), text);
  return messages;
}

std::vector<std::string> check_starters(const Repository& repository, const std::optional<std::string>& chapter,
                                        bool edited_too) {
  const std::vector<StarterFile> files = starter_files(repository, chapter);
  const auto record = read_manifest(repository);
  std::vector<std::string> messages;
  std::set<std::string> current, wanted;
  for (const StarterFile& file : files) {
    const std::string path = "chapters/" + file.name;
    wanted.insert(file.name);
    if (file.state == StarterState::missing) messages.push_back(path + ": missing; run ./course starters");
    if (file.state == StarterState::stale) messages.push_back(path + ": out of date; run ./course starters");
    if (file.state == StarterState::edited && edited_too)
      messages.push_back(path + ": edited by hand; it is generated from solutions/" + file.name);
    if (file.state == StarterState::current) current.insert(file.name);
  }
  for (const auto& [name, hash] : hashes_of(repository, current)) {
    if (!record.count(name) || record.at(name) != hash)
      messages.push_back("chapters/starters.sha256: wrong for chapters/" + name + "; run ./course starters");
  }
  for (const auto& [name, hash] : record) {
    if (concerns(name, chapter) && !wanted.count(name))
      messages.push_back("chapters/starters.sha256: lists chapters/" + name +
                         ", which has no solution; run ./course starters");
  }
  for (const std::string& name : code_files(repository.root / "chapters", chapter)) {
    if (!wanted.count(name)) messages.push_back("chapters/" + name + ": comes from no solution");
  }
  for (auto& more : {leaks(repository, files), unsolved(repository, files)})
    messages.insert(messages.end(), more.begin(), more.end());
  return messages;
}

std::vector<std::string> edited_chapters(const Repository& repository) {
  std::set<std::string> chapters;
  for (const StarterFile& file : starter_files(repository)) {
    if (file.state == StarterState::edited) chapters.insert(chapter_of(file.name));
  }
  return {chapters.begin(), chapters.end()};
}

}  // namespace waitless::course
