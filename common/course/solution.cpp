#include <iostream>

#include "common/course/rubric.h"
#include "common/course/starters.h"
#include "common/course/terminal.h"
#include "common/course/text.h"
#include "common/course/verbs.h"
#include "common/error.h"

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
      // The function around the region, without the lines between its head and the region that are markers.
      for (int n = region.context_line; n < region.first_line; ++n) {
        const std::string& line = lines[std::size_t(n) - 1];
        if (line.find("// EXERCISE(") == std::string::npos) std::cout << line << "\n";
      }
      for (const std::string& line : region.lines) std::cout << line << "\n";
      if (!region.is_helper) std::cout << "}\n";
      has_any = true;
    }
  }
  if (!has_any) throw InputError("exercise " + id + " has no solution in solutions/" + chapter);
  return 0;
}

}  // namespace waitless::course
