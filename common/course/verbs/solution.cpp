#include <iostream>

#include "common/base/error.h"
#include "common/course/grading/rubric.h"
#include "common/course/starters/starters.h"
#include "common/course/system/terminal.h"
#include "common/course/system/text.h"
#include "common/course/verbs/verbs.h"

namespace waitless::course {

int solution_command(const Repository& repository, const std::string& id) {
  const std::string chapter = find_exercise(repository, id).rubric.chapter;
  bool has_any = false;
  for (const StarterFile& file : starter_files(repository, chapter)) {
    const std::vector<std::string> lines = split_lines(read_text(repository.root / "solutions" / file.name));
    for (const Region& region : file.regions) {
      if (region.id != id) continue;
      if (has_any) std::cout << "\n";
      std::cout << dim("// solutions/" + file.name + ":" + std::to_string(region.first_line)) << "\n";
      // The function around the region, without its markers.
      for (int n = region.context_line; n < region.first_line; ++n) {
        const std::string& line = lines[std::size_t(n) - 1];
        if (line.find("// EXERCISE(") == std::string::npos) std::cout << line << "\n";
      }
      for (const std::string& line : region.lines) std::cout << line << "\n";
      const std::size_t after = std::size_t(region.first_line) + region.lines.size() + 1;  // behind SOLUTION_END
      for (std::size_t n = after; !region.is_helper && n < lines.size(); ++n) {
        std::cout << lines[n] << "\n";
        if (trim(lines[n]).starts_with("}")) break;
      }
      has_any = true;
    }
  }
  if (!has_any) throw InputError("exercise " + id + " has no solution in solutions/" + chapter);
  return 0;
}

}  // namespace waitless::course
