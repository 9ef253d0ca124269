// Guards common/run/options.
#include "common/run/options.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace waitless {
namespace {

/// A program with an option of each kind.
struct Everything {
  bool is_fast = false;
  std::string name = "none", word, colour = "red";
  std::optional<std::string> maybe;
  std::vector<std::string> many;
  int count = 3;
  std::uint64_t seed = 1;
  float share = 0.5f;
  std::string said;  // to standard error
  int status = 0;

  explicit Everything(std::vector<const char*> arguments) {
    ProgramOptions options("everything", "Tries everything.");
    options.flag("--fast", is_fast, "hurry");
    options.text("--name", name, "a text");
    options.text("--maybe", maybe, "a text that may be absent");
    options.text("word", word, "a plain argument");
    options.texts("--many", many, "several texts");
    options.choice("--colour", colour, {"red", "blue"}, "one of two");
    options.whole_number("--count,-c", count, 1, 10, "a whole number");
    options.whole_number("--seed", seed, 0, UINT64_MAX, "a large one");
    options.number("--share", share, {.from = 0, .to = 1, .is_above = true}, "a number");
    arguments.insert(arguments.begin(), "everything");
    testing::internal::CaptureStderr();
    status = options.run(int(arguments.size()), arguments.data(), [] { return 7; });
    said = testing::internal::GetCapturedStderr();
  }
};

// Guards defaults.
TEST(ProgramOptions, LeaveAloneWhatIsNotGiven) {
  const Everything e({});
  EXPECT_EQ(e.status, 7) << "what the body returns";
  EXPECT_EQ(e.said, "");
  EXPECT_FALSE(e.is_fast);
  EXPECT_EQ(e.name, "none");
  EXPECT_FALSE(e.maybe.has_value());
  EXPECT_EQ(e.count, 3);
  EXPECT_EQ(e.share, 0.5f);
}

// Guards every kind of option.
TEST(ProgramOptions, FillTheVariables) {
  const Everything e({"--fast", "some words", "--many", "a", "--many", "b c", "--name=x", "--maybe", "", "-c", "10",
                      "--seed", "18446744073709551615", "--share", "1e-1", "--colour", "blue"});
  EXPECT_EQ(e.status, 7) << e.said;
  EXPECT_TRUE(e.is_fast);
  EXPECT_EQ(e.word, "some words");
  EXPECT_EQ(e.many, (std::vector<std::string>{"a", "b c"}));
  EXPECT_EQ(e.name, "x");
  EXPECT_EQ(e.maybe, "");
  EXPECT_EQ(e.count, 10);
  EXPECT_EQ(e.seed, UINT64_MAX);
  EXPECT_EQ(e.share, 0.1f);
  EXPECT_EQ(e.colour, "blue");
}

// Guards the sentences about what is wrong.
TEST(ProgramOptions, RefuseByName) {
  const auto refuses = [](std::vector<const char*> arguments, const std::string& sentence) {
    const Everything e(arguments);
    EXPECT_EQ(e.status, 1) << arguments.back();
    EXPECT_NE(e.said.find(sentence), std::string::npos) << e.said;
  };
  refuses({"--count", "0"}, "--count: must be a whole number from 1 to 10, not 0");
  refuses({"--count", "11"}, "--count: must be a whole number from 1 to 10, not 11");
  refuses({"--count", "3x"}, "--count: must be a whole number from 1 to 10, not 3x");
  refuses({"--count", "2.5"}, "not 2.5");
  refuses({"--count", "99999999999999999999"}, "not 99999999999999999999");
  refuses({"--seed", "-1"}, "--seed: must be a whole number from 0 to 18446744073709551615, not -1");
  refuses({"--seed", "18446744073709551616"}, "--seed: must be a whole number from 0 to 18446744073709551615, not");
  refuses({"--share", "0"}, "--share: must be above 0 and at most 1, not 0");
  refuses({"--share", "nan"}, "not nan");
  refuses({"--share", "warm"}, "not warm");
  refuses({"--colour", "green"}, "green not in {red,blue}");
  refuses({"--nonsense"}, "--nonsense");
  refuses({"some", "words"}, "words");
}

// Guards errors of the program itself.
TEST(ProgramOptions, PrintAnErrorAsOneSentence) {
  ProgramOptions options("name", "");
  const char* const arguments[] = {"name"};
  testing::internal::CaptureStderr();
  EXPECT_EQ(options.run(1, arguments, []() -> int { throw std::runtime_error("it broke"); }), 1);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "name: it broke\n");
}

}  // namespace
}  // namespace waitless
