#include "common/course/verbs/chapter_verbs.h"

#include <filesystem>

#include "common/base/csv.h"
#include "common/base/error.h"

namespace waitless::course {

std::vector<ChapterVerb> chapter_verbs(const Repository& repository) {
  std::vector<ChapterVerb> verbs;
  for (const std::string& chapter : repository.chapters()) {
    const auto file = repository.tests(chapter) / "verbs.csv";
    if (!std::filesystem::exists(file)) continue;
    for (const CsvRow& row : read_csv(file)) {
      if (!row.contains("verb") || !row.contains("summary"))
        throw InputError(repository.shown(file) + ": its columns must be verb and summary");
      const ChapterVerb verb{row.at("verb"), row.at("summary"), chapter};
      for (const ChapterVerb& other : verbs) {
        if (other.name == verb.name)
          throw InputError("chapters " + other.chapter + " and " + chapter + " both bring the verb " + verb.name);
      }
      verbs.push_back(verb);
    }
  }
  return verbs;
}

}  // namespace waitless::course
