#include "common/run/run_options.h"

#include <CLI/CLI.hpp>
#include <cmath>
#include <new>

#include "common/error.h"
#include "common/run/number.h"
#include "common/run/parse_and_run.h"

namespace waitless {
namespace {

void add_options(CLI::App& app, const ChapterProgram& chapter, RunOptions& options) {
  app.add_option("--model", options.model, "austen (default), smollm2, or a .gguf file");
  const auto prompt = app.add_option("--prompt", options.prompt, "text to continue");
  app.add_option("--chat", options.chat, "a message to answer instead, in the model's chat format")->excludes(prompt);
  app.add_option("--max-tokens,-n", options.max_tokens, "how many tokens at most")->check(whole_number(1));
  app.add_option("--temperature", options.temperature, "0: always the most likely token")
      ->check(number("a number from 0", [](double x) { return x >= 0 && std::isfinite(x); }));
  app.add_option("--top-k", options.top_k, "draw among the k most likely tokens; 0: all")->check(whole_number(0));
  app.add_option("--top-p", options.top_p, "draw among the most likely tokens that together reach p")
      ->check(number("above 0 and at most 1", [](double x) { return x > 0 && x <= 1; }));
  app.add_option("--seed", options.seed, "of the draws");
  app.add_option("--record", options.record, "write the measurements to this file as JSON");
  if (chapter.has_cuda)
    app.add_flag("--cuda", options.cuda, "on the GPU, or on simt where the course was built without");
  if (!chapter.baselines.empty()) {
    std::vector<std::string> chapters;
    for (const Baseline& baseline : chapter.baselines) chapters.push_back(baseline.chapter);
    app.add_option("--compare", options.compare, "run an earlier chapter first and print the ratios")
        ->check(CLI::IsMember(chapters));
  }
  for (const Experiment& experiment : chapter.experiments) {
    app.add_flag_callback(
        experiment.option, [&] { options.experiment = experiment.option; }, experiment.help);
  }
  app.footer("Example: --model smollm2 --chat \"Are dogs real?\" --max-tokens 40");
}

}  // namespace

int run_with_options(int argc, char** argv, const ChapterProgram& chapter,
                     const std::function<void(const RunOptions&)>& run) {
  CLI::App app{chapter.summary, chapter.name};
  RunOptions options;
  add_options(app, chapter, options);
  return parse_and_run(app, argc, argv, [&] {
    try {
      run(options);
    } catch (const std::bad_alloc&) {
      throw InputError("not enough memory for model " + options.model);
    }
  });
}

}  // namespace waitless
