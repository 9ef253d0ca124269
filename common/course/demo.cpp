#include <algorithm>
#include <filesystem>
#include <iostream>
#include <optional>

#include "common/course/build.h"
#include "common/course/ladder.h"
#include "common/course/process.h"
#include "common/course/rubric.h"
#include "common/course/terminal.h"
#include "common/course/text.h"
#include "common/course/verbs.h"
#include "common/error.h"

namespace waitless::course {

namespace {

namespace fs = std::filesystem;

/// Runs a chapter's program, whose text appears as it is generated.
/// @return its measurements; nothing if it generates no text, as chapter 00
/// @throws InputError if it fails
std::optional<LadderStep> run_program(const Repository& repository, const std::string& target, const fs::path& record,
                                      const std::vector<std::string>& arguments) {
  std::vector<std::string> command = {executable(repository, target).string(), "--record", record.string()};
  command.insert(command.end(), arguments.begin(), arguments.end());
  ProcessOptions options;
  options.capture = false;
  const ProcessResult result = run_process(command, options);
  std::cout << std::endl;
  if (!result.ok()) throw InputError(target + " " + result.how_it_ended());
  if (!fs::exists(record)) return std::nullopt;
  return parse_record(read_text(record), repository.shown(record));
}

/// Whether the chapter has exercises on the device, and its program thus the option --cuda.
bool has_cuda(const Repository& repository, const std::string& chapter) {
  const std::vector<Exercise> exercises = load_rubric(repository, chapter).exercises;
  return std::any_of(exercises.begin(), exercises.end(), [](const Exercise& e) { return e.track == "cuda"; });
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
      const auto step =
          run_program(repository, target, folder / (chapter + ".json"), with_length(program_arguments, "48"));
      if (!step) continue;
      steps.push_back(*step);
      if (!has_cuda(repository, chapter)) continue;
      std::cout << bold(chapter + " --cuda") << std::endl;
      std::vector<std::string> arguments = with_length(program_arguments, "16");
      arguments.push_back("--cuda");
      if (const auto on_device = run_program(repository, target, folder / (chapter + "_cuda.json"), arguments))
        steps.push_back(*on_device);
    } catch (const InputError& error) {
      std::cerr << "course: " << error.what() << "\n";
      has_failed = true;
    }
  }
  std::cout
      << ladder_table(steps)
      << "\nTTFT: time to the first token. TPOT: time per output token. Weights and KV: bytes moved for each token.\n"
         "simt runs CUDA threads on this CPU: its times say nothing about a GPU.\n";
  return has_failed ? 1 : 0;
}

}  // namespace waitless::course
