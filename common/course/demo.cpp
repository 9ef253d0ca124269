#include <algorithm>
#include <filesystem>
#include <iostream>

#include "common/course/build.h"
#include "common/course/ladder.h"
#include "common/course/process.h"
#include "common/course/terminal.h"
#include "common/course/text.h"
#include "common/course/verbs.h"

namespace waitless::course {

int demo_command(const Repository& repository, const std::vector<std::string>& program_arguments) {
  const std::vector<std::string> known = executable_targets(repository);
  std::vector<std::string> chapters, targets;
  for (const std::string& chapter : repository.chapters()) {
    if (std::find(known.begin(), known.end(), chapter + "_solution_run") == known.end()) continue;
    chapters.push_back(chapter);
    targets.push_back(chapter + "_solution_run");
  }
  build_targets(repository, targets);

  std::vector<std::string> options_given = program_arguments;
  const auto is_length = [](const std::string& option) { return option == "-n" || option.rfind("--max-tokens", 0) == 0; };
  if (std::none_of(options_given.begin(), options_given.end(), is_length))
    options_given.insert(options_given.end(), {"--max-tokens", "48"});

  const auto folder = repository.memory() / "demo";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  std::vector<LadderStep> steps;
  bool has_failed = false;
  for (std::size_t i = 0; i < chapters.size(); ++i) {
    std::cout << bold(chapters[i]) << std::endl;
    const auto record = folder / (chapters[i] + ".json");
    std::vector<std::string> command = {executable(repository, targets[i]).string(), "--record", record.string()};
    command.insert(command.end(), options_given.begin(), options_given.end());
    ProcessOptions options;
    options.capture = false;  // the text appears as it is generated
    const ProcessResult result = run_process(command, options);
    std::cout << std::endl;
    if (!result.ok()) {
      std::cerr << "course: " << targets[i] << " " << result.how_it_ended() << "\n";
      has_failed = true;
    } else if (std::filesystem::exists(record)) {  // chapter 00 generates no text
      steps.push_back(parse_record(read_text(record), repository.shown(record)));
    }
  }
  std::cout << ladder_table(steps)
            << "\nTTFT: time to the first token. TPOT: time per output token. Weights and KV: bytes moved for each token.\n";
  return has_failed ? 1 : 0;
}

}  // namespace waitless::course
