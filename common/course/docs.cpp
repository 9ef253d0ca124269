#include "common/course/docs.h"

#include <iostream>

#include "common/course/process.h"
#include "common/course/text.h"
#include "common/course/verbs.h"
#include "common/error.h"

namespace waitless::course {

bool has_doxygen() { return !find_program("doxygen").empty(); }

std::filesystem::path build_docs(const Repository& repository) {
  const auto folder = repository.root / "build" / "docs";
  std::filesystem::create_directories(folder);
  ProcessOptions options;
  options.folder = repository.root;
  const ProcessResult doxygen = run_process({"doxygen", "docs/Doxyfile"}, options);
  if (!doxygen.ok()) {
    std::string complaints;
    for (const std::string& line : split_lines(doxygen.output)) {
      if (line.find("warning: ") != std::string::npos || line.find("error: ") != std::string::npos)
        complaints += line + "\n";
    }
    throw InputError("Doxygen is not content:\n" + (complaints.empty() ? doxygen.output : complaints));
  }
  return folder / "html" / "index.html";
}

int docs_command(const Repository& repository) {
  if (!has_doxygen()) throw InputError("docs needs doxygen: install it, for example with apt-get install doxygen");
  std::cout << "The documentation is in " << repository.shown(build_docs(repository)) << "\n";
  return 0;
}

}  // namespace waitless::course
