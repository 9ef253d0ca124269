#include <algorithm>
#include <iostream>

#include "common/base/error.h"
#include "common/course/system/build.h"
#include "common/course/system/process.h"
#include "common/course/system/text.h"
#include "common/course/verbs/verbs.h"

namespace waitless::course {

int bench_command(const Repository& repository, const std::string& name, const std::vector<std::string>& arguments) {
  const std::string chapter = repository.chapter(name), target = chapter + "_bench";
  const std::vector<std::string> known = executable_targets(repository);
  if (std::find(known.begin(), known.end(), target) == known.end())
    throw InputError("chapter " + chapter + " has no benchmarks");
  build_targets(repository, {target});
  const auto results = repository.root / "build" / "bench" / (chapter + ".json");
  std::filesystem::create_directories(results.parent_path());
  std::vector<std::string> command = {executable(repository, target).string(), "--benchmark_out_format=json",
                                      "--benchmark_out=" + results.string()};
  command.insert(command.end(), arguments.begin(), arguments.end());
  ProcessOptions options;
  options.capture = false;
  const ProcessResult result = run_process(command, options);
  if (!result.ok()) {
    std::cerr << "course: " << target << " " << result.how_it_ended() << "\n";
    return 1;
  }
  std::cout << "The numbers are in " << repository.shown(results) << "\n";
  return 0;
}

}  // namespace waitless::course
