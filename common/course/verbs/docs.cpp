#include "common/course/verbs/docs.h"

#include <unistd.h>

#include <iostream>
#include <regex>

#include "common/base/error.h"
#include "common/course/system/process.h"
#include "common/course/system/text.h"
#include "common/course/verbs/verbs.h"

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

/// Another name for a folder, without spaces and umlauts: Doxygen 1.9.4 cuts links at them.
class PlainName {
 public:
  explicit PlainName(const fs::path& folder)
      : path_(fs::temp_directory_path() / ("waitless-docs-" + std::to_string(getpid()))) {
    std::error_code ignored;
    fs::remove(path_, ignored);
    fs::create_directory_symlink(folder, path_);
  }
  ~PlainName() {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }
  PlainName(const PlainName&) = delete;
  PlainName& operator=(const PlainName&) = delete;
  std::string below(const std::string& name) const { return (path_ / name).string(); }
  std::string path() const { return path_.string(); }

 private:
  fs::path path_;
};

/// docs/Doxyfile with all its paths below `root`.
std::string doxyfile(const PlainName& root) {
  return "@INCLUDE = docs/Doxyfile\nINPUT = " + root.below("docs") + " " + root.below("chapters") + " " +
         root.below("common") + " " + root.below("solutions") +
         "\nUSE_MDFILE_AS_MAINPAGE = " + root.below("docs/mainpage.md") + "\nSTRIP_FROM_PATH = " + root.path() +
         "\nSTRIP_FROM_INC_PATH = " + root.path() + "\n";
}

}  // namespace

bool has_doxygen() { return !find_program("doxygen").empty(); }

std::filesystem::path build_docs(const Repository& repository) {
  const fs::path folder = repository.root / "build" / "docs";
  fs::create_directories(folder);
  ProcessOptions options;
  options.folder = repository.root;
  const PlainName root(repository.root);
  write_text(folder / "Doxyfile", doxyfile(root));
  const ProcessResult doxygen = run_process({"doxygen", "build/docs/Doxyfile"}, options);
  if (!doxygen.ok()) {
    std::string complaints;
    for (std::string line : split_lines(doxygen.output)) {
      if (line.find("warning: ") == std::string::npos && line.find("error: ") == std::string::npos) continue;
      if (line.starts_with(root.path() + "/")) line.erase(0, root.path().size() + 1);
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
