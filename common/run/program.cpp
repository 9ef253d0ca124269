#include "common/run/program.h"

#include <algorithm>
#include <cstdio>
#include <deque>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <utility>

#include "common/base/error.h"
#include "common/run/interrupt.h"
#include "common/run/measurements.h"

namespace waitless {
namespace {

constexpr int kInterrupted = 130;  // what a shell makes of Ctrl-C

void write_record(const std::filesystem::path& path, const std::string& record) {
  std::ofstream file(path);
  file << record << '\n';
  if (!file.flush()) throw InputError("cannot write the record to " + path.string());
}

/// A generation with what was heard of it.
struct Run {
  std::string technique;
  GenerationReport report;
  std::vector<RequestLog> logs;
};

Run run(const std::string& technique, const Generate& generate, const Session& session) {
  Listener listener(session);
  Run result{.technique = technique, .report = generate(session, listener), .logs = {}};
  listener.end();
  result.logs = listener.logs();
  return result;
}

/// Generates two tokens for nobody: threads start, memory is touched for the first time, a GPU wakes up.
void warm_up(const Generate& generate, const Session& session) {
#if !defined(WAITLESS_GPU)
  if (session.cuda) return;  // simt has nothing to warm, and takes its time
#endif
  Session small = session;
  small.prompts.resize(1);
  std::vector<int>& tokens = small.prompts[0].tokens;
  tokens.resize(std::min<std::size_t>(tokens.size(), 16));
  small.options.max_tokens = 2;
  Listener nobody(small, nullptr, small.options.max_tokens);
  generate(small, nobody);
}

/// The command line of a program that generates text.
class TextProgram {
 public:
  explicit TextProgram(const ChapterProgram& program) : program_(program), options_(program.name, program.summary) {
    session_.model.load = program.load;
    session_.add_to(options_);
    options_.text("--record", record_, "write the measurements to this file as JSON");
    if (program.device_name)
      options_.flag("--cuda", cuda_, "on the GPU, or on simt where the course was built without");
    std::vector<std::string> chapters;
    for (const Baseline& baseline : program.baselines) chapters.push_back(baseline.chapter);
    if (!chapters.empty())
      options_.choice("--compare", compare_, chapters, "run an earlier chapter first and print the ratios");
    for (const Experiment& experiment : program.experiments)
      options_.flag(experiment.option, is_wanted_.emplace_back(false), experiment.help);
    if (program.add_options) program.add_options(options_);
    options_.example("--model smollm2 --chat \"Are dogs real?\" --max-tokens 40");
  }

  int run(int argc, const char* const* argv) {
    return options_.run(argc, argv, [this] { return body(); });
  }

 private:
  int body() {
    session_.texts();  // what is wrong with them is told before models are loaded
    if (!record_.empty()) write_record(record_, "{}");
    load_models(options_.models());
    Session session = session_.open();
    session.cuda = cuda_;
    for (std::size_t i = 0; i < program_.experiments.size(); ++i) {
      if (is_wanted_[i]) return program_.experiments[i].run(session), 0;
    }
    return generate(session);
  }

  int generate(const Session& session) {
    if (cuda_) std::fprintf(stderr, "[device: %s]\n", program_.device_name().c_str());
    const CatchInterrupt catch_interrupt;
    std::vector<Run> runs;
    const auto run_one = [&](const std::string& technique, const Generate& generate) {
      if (is_interrupted()) return;
      warm_up(generate, session);
      runs.push_back(waitless::run(technique, generate, session));
    };
    for (const Baseline& baseline : program_.baselines) {
      if (baseline.chapter == compare_) run_one(baseline.technique, baseline.generate);
    }
    run_one(program_.technique, program_.generate);

    std::vector<Measurements> measurements;
    for (const Run& it : runs) {
      measurements.push_back(measure(program_.name, it.technique, session, it.report, it.logs));
      std::fprintf(stderr, "\n%s\n", summary_of(measurements.back()).c_str());
    }
    if (runs.size() == 2) {
      const auto has_same_tokens = [](const RequestLog& a, const RequestLog& b) { return a.tokens == b.tokens; };
      const bool all_same = std::equal(runs[0].logs.begin(), runs[0].logs.end(), runs[1].logs.begin(), has_same_tokens);
      std::fprintf(stderr, "%s\n", comparison_of(measurements[0], measurements[1], all_same).c_str());
    }
    if (!record_.empty() && !measurements.empty()) write_record(record_, to_json(measurements.back()));
    return is_interrupted() ? kInterrupted : 0;
  }

  const ChapterProgram& program_;
  ProgramOptions options_;
  SessionOptions session_;
  std::string record_, compare_;
  bool cuda_ = false;
  std::deque<bool> is_wanted_;  // [n_experiments]; does not move what it holds
};

int run_verb(int argc, const char* const* argv, const Verb& verb) {
  ProgramOptions options(verb.name, verb.summary);
  if (verb.add_options) verb.add_options(options);
  if (!verb.example.empty()) options.example("./course " + verb.name + " " + verb.example);
  return options.run(argc, argv, [&] {
    load_models(options.models());
    verb.run();
    return 0;
  });
}

}  // namespace

Generate one_after_another(GenerateOne generate) {
  return [generate = std::move(generate)](const Session& session, Listener& listener) {
    GenerationReport all;
    const int n = int(session.prompts.size());
    int n_done = 0;
    for (; n_done < n && !is_interrupted(); ++n_done) {
      listener.begin(n_done);
      const GenerationReport one = generate(session, session.prompts[n_done].tokens, listener.show(n_done));
      listener.end(n_done);
      all.memory.weight_bytes_read += one.memory.weight_bytes_read;
      all.memory.kv_bytes_read += one.memory.kv_bytes_read;
      all.memory.kv_bytes_allocated = std::max(all.memory.kv_bytes_allocated, one.memory.kv_bytes_allocated);
      all.latencies.insert(all.latencies.end(), one.latencies.begin(), one.latencies.end());
    }
    all.memory.weight_bytes_read /= std::max(n_done, 1);
    all.memory.kv_bytes_read /= std::max(n_done, 1);
    return all;
  };
}

int run_program(int argc, const char* const* argv, const ChapterProgram& program) {
  const std::string_view first = argc > 1 ? argv[1] : "";
  if (first == "--describe") return std::printf("%s\n", describe(program).c_str()) > 0 ? 0 : 1;
  for (const Verb& verb : program.verbs) {
    if (verb.name == first) return run_verb(argc - 1, argv + 1, verb);
  }
  if (!program.generate) return run_verb(argc, argv, program.verbs.at(0));
  return TextProgram(program).run(argc, argv);
}

}  // namespace waitless
