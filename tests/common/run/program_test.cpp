// Guards common/run/program with a chapter made up here, which has an option, a verb and a second model of its own and
// edits nothing of common.
#include "common/run/program.h"

#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace waitless {
namespace {

/// Repeats the prompt, as many tokens a step as the draft model has layers; it never ends by itself.
class EchoChapter {
 public:
  int run(std::vector<const char*> arguments) {
    arguments.insert(arguments.begin(), "echo");
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    const int status = run_program(int(arguments.size()), arguments.data(), program());
    out = testing::internal::GetCapturedStdout();
    err = testing::internal::GetCapturedStderr();
    return status;
  }

  std::string out, err;
  int interrupt_after = 1'000'000;  // tokens

 private:
  ChapterProgram program() {
    return {.name = "20_echo",
            .technique = "echo",
            .summary = "Says everything twice.",
            .generate = [this](const Session& session, Listener& listener) { return generate(session, listener); },
            .add_options =
                [this](ProgramOptions& options) {
                  options.flag("--loud", is_loud_, "with an exclamation mark behind each step");
                  options.model("--draft", draft_, "says how many tokens a step gives");
                },
            .verbs = {{.name = "sing",
                       .summary = "what it sounds like",
                       .add_options = [this](ProgramOptions& options) { options.text("--song", song_, "which song"); },
                       .run = [this] { std::printf("la la %s\n", song_.c_str()); }}}};
  }

  GenerationReport generate(const Session& session, Listener& listener) {
    const int n_step = std::max(1, int(draft_.model.layers.size()));
    for (int request = 0; request < int(session.prompts.size()); ++request) {
      listener.begin(request);
      const std::vector<int>& prompt = session.prompts[request].tokens;
      for (int n = 0, goes_on = true; goes_on && n < session.options.max_tokens; n += n_step) {
        std::vector<int> step;
        for (int i = 0; i < n_step; ++i) step.push_back(prompt[std::size_t(n + i) % prompt.size()]);
        if (n >= interrupt_after) std::raise(SIGINT);
        goes_on = listener.tokens(request, step, session.tokenizer.decode(step) + (is_loud_ ? "!" : ""));
      }
      listener.end(request);
    }
    return {.memory = {.weight_bytes_read = 100}};
  }

  bool is_loud_ = false;
  NamedModel draft_;
  std::string song_ = "li";
};

std::string record_file() { return testing::TempDir() + "waitless_program_test.json"; }

nlohmann::json read_record() {
  std::ifstream file(record_file());
  const auto record = nlohmann::json::parse(std::string(std::istreambuf_iterator<char>(file), {}));
  std::filesystem::remove(record_file());
  return record;
}

// Guards the plain argument.
TEST(ChapterProgram, TakesAPlainArgumentAsThePrompt) {
  EchoChapter chapter;
  EXPECT_EQ(chapter.run({"--model", "austen-draft", "-n", "1", "was"}), 0) << chapter.err;
  EXPECT_EQ(chapter.out.substr(0, 3), "was");
  EXPECT_NE(chapter.err.find("[echo on cpu: "), std::string::npos) << chapter.err;
}

// Guards several prompts, options and models of a chapter's own.
TEST(ChapterProgram, HasOptionsAndModelsOfItsOwn) {
  // Oracle: by hand. The draft has two layers, so two tokens come at a time; in this vocabulary each capital is a
  // token.
  EchoChapter chapter;
  EXPECT_EQ(chapter.run({"--model", "austen-draft", "--draft", "austen-draft", "--loud", "-n", "4", "--prompt", "XQ",
                         "--prompt", "QX", "--record", record_file().c_str()}),
            0)
      << chapter.err;
  EXPECT_EQ(chapter.out, "XQXQ!XQ!\nQXQX!QX!\n");
  const nlohmann::json record = read_record();
  EXPECT_EQ(record.at("technique"), "echo");
  EXPECT_EQ(record.at("prompts"), 2);
  EXPECT_EQ(record.at("new_tokens"), 8);
  EXPECT_EQ(record.at("weight_bytes_read"), 100);
}

// Guards files of prompts.
TEST(ChapterProgram, ReadsPromptsFromAFile) {
  const std::string name = testing::TempDir() + "waitless_prompts.txt";
  std::ofstream(name) << "X\r\n\nQ\n";
  EchoChapter chapter;
  EXPECT_EQ(chapter.run({"--model", "austen-draft", "-n", "1", "--prompts", name.c_str()}), 0) << chapter.err;
  EXPECT_EQ(chapter.out, "XX\nQQ\n");
  std::ofstream(name).flush();
  EXPECT_EQ(chapter.run({"--prompts", name.c_str()}), 1);
  EXPECT_NE(chapter.err.find("there is no prompt in "), std::string::npos) << chapter.err;
  std::filesystem::remove(name);
  EXPECT_EQ(chapter.run({"--prompts", name.c_str()}), 1);
  EXPECT_NE(chapter.err.find("cannot read the prompts in "), std::string::npos) << chapter.err;
}

// Guards verbs.
TEST(ChapterProgram, HasVerbsOfItsOwn) {
  EchoChapter chapter;
  EXPECT_EQ(chapter.run({"sing", "--song", "lu"}), 0);
  EXPECT_EQ(chapter.out, "la la lu\n");
  EXPECT_EQ(chapter.run({"sing", "--loud"}), 1);
}

// Guards what demo asks.
TEST(ChapterProgram, DescribesItself) {
  EchoChapter chapter;
  EXPECT_EQ(chapter.run({"--describe"}), 0);
  const auto description = nlohmann::json::parse(chapter.out);
  EXPECT_EQ(description.at("technique"), "echo");
  EXPECT_EQ(description.at("generates_text"), true);
  EXPECT_EQ(description.at("has_cuda"), false);
  EXPECT_EQ(description.at("verbs").at(0).at("name"), "sing");
}

// Guards Ctrl-C.
TEST(ChapterProgram, EndsCleanlyAfterCtrlC) {
  // The text stops at the next token; what it took is printed and recorded all the same.
  EchoChapter chapter;
  chapter.interrupt_after = 3;
  EXPECT_EQ(chapter.run({"--model", "austen-draft", "-n", "1000000", "X", "--record", record_file().c_str()}), 130);
  EXPECT_EQ(chapter.out, "XXXXX\n") << "the prompt, three tokens, and the one that came with Ctrl-C";
  EXPECT_NE(chapter.err.find("[echo on cpu: interrupted, 1 + 4 tokens"), std::string::npos) << chapter.err;
  EXPECT_EQ(read_record().at("new_tokens"), 4);
}

// Guards programs that generate no text.
TEST(ChapterProgram, WithoutTextDoesWhatItsFirstVerbDoes) {
  bool is_wide = false;
  const ChapterProgram roofline{
      .name = "21_roofline",
      .technique = "roofline",
      .summary = "",
      .verbs = {{.name = "roofline",
                 .summary = "the roof",
                 .add_options = [&](ProgramOptions& options) { options.flag("--wide", is_wide, "wider"); },
                 .run = [] { std::printf("a roof\n"); }}}};
  for (const std::vector<const char*>& arguments :
       {std::vector<const char*>{"21", "--wide"}, std::vector<const char*>{"21", "roofline", "--wide"}}) {
    is_wide = false;
    testing::internal::CaptureStdout();
    EXPECT_EQ(run_program(int(arguments.size()), arguments.data(), roofline), 0);
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "a roof\n");
    EXPECT_TRUE(is_wide);
  }
  const char* const describe[] = {"21", "--describe"};
  testing::internal::CaptureStdout();
  EXPECT_EQ(run_program(2, describe, roofline), 0);
  EXPECT_EQ(nlohmann::json::parse(testing::internal::GetCapturedStdout()).at("generates_text"), false);
}

}  // namespace
}  // namespace waitless
