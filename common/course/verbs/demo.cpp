#include <algorithm>
#include <filesystem>
#include <iostream>

#include "common/base/error.h"
#include "common/course/system/build.h"
#include "common/course/system/process.h"
#include "common/course/system/terminal.h"
#include "common/course/system/text.h"
#include "common/course/verbs/ladder.h"
#include "common/course/verbs/verbs.h"

namespace waitless::course {

namespace {

namespace fs = std::filesystem;

/// Asks a chapter's program what it can do.
ProgramDescription description_of(const Repository& repository, const std::string& target) {
  const ProcessResult result = run_process({executable(repository, target).string(), "--describe"});
  if (!result.ok()) throw InputError(target + " " + result.how_it_ended());
  return parse_description(result.output, target);
}

/// Runs a chapter's program, whose text appears as it is generated.
/// @return its measurements
/// @throws InputError if it fails
LadderStep run_program(const Repository& repository, const std::string& target, const fs::path& record,
                       const std::vector<std::string>& arguments) {
  std::vector<std::string> command = start_command(repository, target);
  command.insert(command.end(), {"--record", record.string()});
  command.insert(command.end(), arguments.begin(), arguments.end());
  ProcessOptions options;
  options.capture = false;
  const ProcessResult result = run_process(command, options);
  std::cout << std::endl;
  if (!result.ok()) throw InputError(target + " " + result.how_it_ended());
  return parse_record(read_text(record), repository.shown(record));
}

/// The options that were given, with a length if there was none.
std::vector<std::string> with_length(std::vector<std::string> arguments, const char* n_tokens) {
  const auto is_length = [](const std::string& option) {
    return option == "-n" || option.rfind("--max-tokens", 0) == 0;
  };
  if (std::none_of(arguments.begin(), arguments.end(), is_length))
    arguments.insert(arguments.end(), {"--max-tokens", n_tokens});
  return arguments;
}

}  // namespace

int demo_command(const Repository& repository, const std::vector<std::string>& program_arguments) {
  const std::vector<std::string> known = executable_targets(repository);
  std::vector<std::string> chapters, targets;
  for (const std::string& chapter : repository.chapters()) {
    if (std::find(known.begin(), known.end(), chapter + "_solution_run") == known.end()) continue;
    chapters.push_back(chapter);
    targets.push_back(chapter + "_solution_run");
  }
  build_targets(repository, targets);

  const fs::path folder = repository.memory() / "demo";
  fs::remove_all(folder);
  fs::create_directories(folder);
  std::vector<LadderStep> steps;
  bool has_failed = false;
  for (const std::string& chapter : chapters) {
    const std::string target = chapter + "_solution_run";
    try {
      std::cout << bold(chapter) << std::endl;
      const ProgramDescription description = description_of(repository, target);
      if (!description.generates_text) {
        std::cout << "generates no text: see ./course run " << chapter.substr(0, 2) << "\n" << std::endl;
        continue;
      }
      const auto record = [&](const char* suffix) { return folder / (chapter + suffix); };
      steps.push_back(run_program(repository, target, record(".json"), with_length(program_arguments, "48")));
      if (!description.has_cuda) continue;
      std::cout << bold(chapter + " --cuda") << std::endl;
      std::vector<std::string> arguments = with_length(program_arguments, "16");
      arguments.push_back("--cuda");
      steps.push_back(run_program(repository, target, record("_cuda.json"), arguments));
    } catch (const InputError& error) {
      std::cerr << "course: " << error.what() << "\n";
      has_failed = true;
    }
  }
  std::cout << ladder_table(steps);
  return has_failed ? 1 : 0;
}

}  // namespace waitless::course
