#include "common/course/mutants/mutants.h"

#include <gtest/gtest.h>

#include "common/course/mutants/mutant_build.h"
#include "tests/course/fake_repository.h"

namespace waitless::course {
namespace {

const std::string kHeader = "exercise: 1.1\nfile: twice.cpp\ncause: adds nothing\n";
std::string block(const std::string& old_text, const std::string& new_text) {
  return "<<<<<<< replace\n" + old_text + "=======\n" + new_text + ">>>>>>> with\n";
}
Mutant mutant_of(const std::string& text) { return parse_mutant(text, "bank/adds_nothing.mutant"); }
std::string refusal_of(const std::string& text) {
  return error_of([&] { mutant_of(text); });
}

// Guards the bank of wrong solutions that the tests are tested with.
TEST(Mutant, IsReadFromItsFile) {
  const Mutant mutant = mutant_of(kHeader + "\n" + block("a\nb\n", "c\n") + block("d\n", ""));
  EXPECT_EQ(mutant.name, "adds_nothing");
  EXPECT_EQ(mutant.exercise, "1.1");
  EXPECT_EQ(mutant.file, "twice.cpp");
  EXPECT_EQ(mutant.cause, "adds nothing");
  EXPECT_EQ(mutant.replacements, (std::vector<std::pair<std::string, std::string>>{{"a\nb", "c"}, {"d", ""}}));
}

TEST(Mutant, WithAMistakeIsRefused) {
  EXPECT_EQ(refusal_of("exercise: 1.1\ncause: x\n" + block("a\n", "b\n")),
            "bank/adds_nothing.mutant: has no line 'file: '");
  EXPECT_EQ(refusal_of(kHeader), "bank/adds_nothing.mutant: replaces nothing");
  EXPECT_EQ(refusal_of(kHeader + block("", "b\n")), "bank/adds_nothing.mutant:7: the block replaces nothing");
  EXPECT_EQ(refusal_of(kHeader + "=======\n"), "bank/adds_nothing.mutant:4: '=======' is out of place");
  EXPECT_EQ(refusal_of(kHeader + "<<<<<<< replace\na\n"),
            "bank/adds_nothing.mutant:5: the last block has no '>>>>>>> with'");
  EXPECT_EQ(refusal_of("author: me\n").substr(0, 39), "bank/adds_nothing.mutant:1: expected 'e");
}

TEST(Mutant, ReplacesTextThatOccursOnce) {
  EXPECT_EQ(apply_mutant(mutant_of(kHeader + block("2 * x\n", "x\n")), "return 2 * x;\n"), "return x;\n");
  EXPECT_EQ(apply_mutant(mutant_of(kHeader + block("a;\n  b;\n", "c;\n")), "a;\na;\n  b;\nd;\n"), "a;\nc;\nd;\n");
}

TEST(Mutant, DoesNotApplyToTextThatIsMissingOrOccursTwice) {
  const Mutant mutant = mutant_of(kHeader + block("  x;\n", "y;\n"));
  EXPECT_EQ(error_of([&] { apply_mutant(mutant, "z;\n"); }), "twice.cpp has no 'x;' to replace");
  EXPECT_EQ(error_of([&] { apply_mutant(mutant, "  x;\n  x;\n"); }), "twice.cpp has 'x;' more than once");
}

TEST(Mutant, IsLoadedByPatternAndMustBeInTheRubric) {
  FakeRepository fake;
  fake.put("tests/01_first/mutants/b.mutant", kHeader + block("a\n", "b\n"));
  fake.put("tests/01_first/mutants/1.1_a.mutant", kHeader + block("a\n", "b\n"));
  const auto all = load_mutants(fake.repository, "01_first", "");
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all[0].name, "1.1_not_written");
  EXPECT_EQ(all[1].name, "1.2_not_written");
  EXPECT_TRUE(all[1].is_not_written());
  EXPECT_EQ(all[2].name, "1.1_a");
  EXPECT_FALSE(all[2].is_not_written());
  EXPECT_EQ(load_mutants(fake.repository, "01_first", "b*").size(), 1u);
  EXPECT_EQ(error_of([&] { load_mutants(fake.repository, "01_first", "c"); }),
            "there is no mutant 'c'; the nearest is b");
  fake.put("tests/01_first/mutants/b.mutant", "exercise: 1.9\nfile: f.cpp\ncause: x\n" + block("a\n", "b\n"));
  EXPECT_EQ(error_of([&] { load_mutants(fake.repository, "01_first", ""); }),
            "tests/01_first/mutants/b.mutant: exercise 1.9 is not in the rubric");
}

TEST(Mutant, ThatIsNotWrittenIsTheStarterOfOneExercise) {
  FakeRepository fake;
  const std::string one =
      "void f() {\n  // EXERCISE(1.1): x\n  // SOLUTION_BEGIN(1.1)\n  g(1);\n  // SOLUTION_END(1.1)\n}\n";
  const std::string two =
      "void h() {\n  // EXERCISE(1.2): x\n  // SOLUTION_BEGIN(1.2)\n  g(2);\n  // SOLUTION_END(1.2)\n}\n";
  fake.put("solutions/01_first/a.cpp", one + two);
  fake.put("solutions/01_first/b.cu", one);
  fake.put("solutions/01_first/twice.cpp", two);
  const auto changed = changed_files(fake.repository, "01_first", {"1.1_not_written", "1.1", "a.cpp", "", {}});
  const std::string starter = "void f() {\n  // EXERCISE(1.1): x\n  not_implemented(\"1.1\");\n}\n";
  EXPECT_EQ(changed, (std::map<std::string, std::string>{{"a.cpp", starter + two}, {"b.cu", starter}}));
  EXPECT_EQ(error_of([&] {
              changed_files(fake.repository, "01_first", {"", "1.3", "", "", {}});
            }),
            "the solution has no region of exercise 1.3");
}

TEST(Mutant, StaysInItsExerciseIfItChangesNothingElse) {
  FakeRepository fake;
  fake.put("solutions/01_first/twice.cpp",
           "int k = 2;\nint f() {\n  // EXERCISE(1.1): x\n  // SOLUTION_BEGIN(1.1)\n  return k;\n  // "
           "SOLUTION_END(1.1)\n}\n");
  const auto stays = [&](const std::string& old_text, const std::string& new_text) {
    return stays_in_exercise(fake.repository, "01_first", mutant_of(kHeader + block(old_text, new_text)));
  };
  EXPECT_TRUE(stays("return k;\n", "return 3;\n"));
  EXPECT_FALSE(stays("k = 2;\n", "k = 3;\n"));
}

TEST(SplitCommand, UndoesQuotesAndBackslashes) {
  EXPECT_EQ(split_command("c++ -DA=\\\"b\\\" '-I/a b' \"c d\"e f\\ g  ''"),
            (std::vector<std::string>{"c++", "-DA=\"b\"", "-I/a b", "c de", "f g", ""}));
}

}  // namespace
}  // namespace waitless::course
