#include "common/course/docs.h"

#include <iostream>
#include <regex>

#include "common/course/process.h"
#include "common/course/text.h"
#include "common/course/verbs.h"
#include "common/error.h"

namespace waitless::course {

namespace {

namespace fs = std::filesystem;

/// Pictures that a page shows and that are not there, one a line.
std::string missing_pictures(const fs::path& html) {
  static const std::regex picture("<img [^>]*src=\"([^\":]+)\"");
  std::string missing;
  for (const auto& entry : fs::directory_iterator(html)) {
    if (entry.path().extension() != ".html") continue;
    const std::string page = read_text(entry.path());
    for (std::sregex_iterator i(page.begin(), page.end(), picture), end; i != end; ++i) {
      if (!fs::exists(html / (*i)[1].str())) missing += entry.path().filename().string() + ": " + (*i)[1].str() + "\n";
    }
  }
  return missing;
}

}  // namespace

bool has_doxygen() { return !find_program("doxygen").empty(); }

std::filesystem::path build_docs(const Repository& repository) {
  const fs::path folder = repository.root / "build" / "docs";
  fs::create_directories(folder);
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
  // Chapters show ../../docs/figures/..., and so do their pages: from build/docs/html that is here.
  fs::copy(repository.root / "docs" / "figures", folder / "figures",
           fs::copy_options::recursive | fs::copy_options::overwrite_existing);
  if (const std::string missing = missing_pictures(folder / "html"); !missing.empty())
    throw InputError("pages show pictures that do not exist:\n" + missing);
  return folder / "html" / "index.html";
}

int docs_command(const Repository& repository) {
  if (!has_doxygen()) throw InputError("docs needs doxygen: install it, for example with apt-get install doxygen");
  const fs::path page = build_docs(repository);
  std::cout << "The documentation is in " << repository.shown(page) << "\n";
  return 0;
}

}  // namespace waitless::course
