#include "common/course/starters/markers.h"

#include <gtest/gtest.h>

#include "tests/course/fake_repository.h"

namespace waitless::course {
namespace {

std::string starter_of(const std::string& solution) { return make_starter(solution, "f.cpp").text; }
std::string refusal_of(const std::string& solution) {
  return error_of([&] { make_starter(solution, "f.cpp"); });
}

// Guards the generator of starters.
TEST(Markers, ReplaceTheBodyOfAFunction) {
  EXPECT_EQ(
      starter_of(
          "int f(int a, int b) {\n  // EXERCISE(1.5): add.\n  // SOLUTION_BEGIN(1.5)\n  int c = a;\n  return c + b;\n"
          "  // SOLUTION_END(1.5)\n}\n"),
      "int f(int a, int b) {\n  // EXERCISE(1.5): add.\n  not_implemented(\"1.5\");\n}\n");
}

TEST(Markers, KeepTheLinesThatFollowAnExerciseLine) {
  EXPECT_EQ(starter_of("void f() {\n  // EXERCISE(C1.5): one;\n  // two.\n  // SOLUTION_BEGIN(C1.5)\n  g();\n  // "
                       "SOLUTION_END(C1.5)\n}\n"),
            "void f() {\n  // EXERCISE(C1.5): one;\n  // two.\n  not_implemented(\"C1.5\");\n}\n");
}

TEST(Markers, RemoveHelpers) {
  const std::string solution =
      "int a;\n\n// SOLUTION_BEGIN(1.1)\nint helper() { return 1; }\n// SOLUTION_END(1.1)\n\n/// One.\nint f() {\n"
      "  // EXERCISE(1.1): one.\n  // SOLUTION_BEGIN(1.1)\n  return helper();\n  // SOLUTION_END(1.1)\n}\n";
  EXPECT_EQ(starter_of(solution),
            "int a;\n\n/// One.\nint f() {\n  // EXERCISE(1.1): one.\n  not_implemented(\"1.1\");\n}\n");
  const Starter starter = make_starter(solution, "f.cpp");
  ASSERT_EQ(starter.regions.size(), 2u);
  EXPECT_TRUE(starter.regions[0].is_helper);
  EXPECT_EQ(starter.regions[0].lines, std::vector<std::string>{"int helper() { return 1; }"});
  EXPECT_EQ(starter.regions[0].context_line, 4);
  EXPECT_FALSE(starter.regions[1].is_helper);
  EXPECT_EQ(starter.regions[1].context_line, 7);
}

TEST(Markers, RemoveTheMembersThatOnlyTheSolutionNeeds) {
  const std::string exercise =
                        "int f() {\n  // EXERCISE(1.1): one.\n  // SOLUTION_BEGIN(1.1)\n  return 1;\n"
                        "  // SOLUTION_END(1.1)\n}\n",
                    start = "struct Table::State {\n  int size;\n", end = "};\n\n";
  const std::string starter = start + end + "int f() {\n  // EXERCISE(1.1): one.\n  not_implemented(\"1.1\");\n}\n";
  EXPECT_EQ(
      starter_of(start + "  // SOLUTION_BEGIN(1.1)\n  int n;\n  bool b;\n  // SOLUTION_END(1.1)\n" + end + exercise),
      starter);
  EXPECT_EQ(starter_of(start + "  // SOLUTION_BEGIN(1.1)\n  // SOLUTION_END(1.1)\n" + end + exercise), starter);
  EXPECT_EQ(
      starter_of(exercise + "\nstruct S {  // yours\n  // SOLUTION_BEGIN(1.1)\n  int n;\n  // SOLUTION_END(1.1)\n};\n"),
      "int f() {\n  // EXERCISE(1.1): one.\n  not_implemented(\"1.1\");\n}\n\nstruct S {  // yours\n};\n");
}

TEST(Markers, ReplaceEachRegionBelowAnExerciseLine) {
  const std::string exercise = "  // EXERCISE(1.1): x\n  // SOLUTION_BEGIN(1.1)\n  g();\n  // SOLUTION_END(1.1)\n",
                    stub = "  // EXERCISE(1.1): x\n  not_implemented(\"1.1\");\n";
  EXPECT_EQ(starter_of("void f() {\n" + exercise + "}\nvoid g() {\n" + exercise + "}\n"),
            "void f() {\n" + stub + "}\nvoid g() {\n" + stub + "}\n");
}

TEST(Markers, OfOneExerciseCanBeObeyedAlone) {
  const std::string solution =
      "// SOLUTION_BEGIN(1.1)\nint one = 1;\n// SOLUTION_END(1.1)\n\nint f() {\n  // EXERCISE(1.1): one.\n"
      "  // SOLUTION_BEGIN(1.1)\n  return one;\n  // SOLUTION_END(1.1)\n}\nint g() {\n  // EXERCISE(1.2): two.\n"
      "  // SOLUTION_BEGIN(1.2)\n  return 2;\n  // SOLUTION_END(1.2)\n}\n";
  EXPECT_EQ(without_exercise(solution, "f.cpp", "1.2"),
            "// SOLUTION_BEGIN(1.1)\nint one = 1;\n// SOLUTION_END(1.1)\n\nint f() {\n  // EXERCISE(1.1): one.\n"
            "  // SOLUTION_BEGIN(1.1)\n  return one;\n  // SOLUTION_END(1.1)\n}\nint g() {\n  // EXERCISE(1.2): two.\n"
            "  not_implemented(\"1.2\");\n}\n");
  EXPECT_EQ(without_exercise(solution, "f.cpp", "1.1"),
            "// SOLUTION_BEGIN(1.1)\nint one = 1;\n// SOLUTION_END(1.1)\n\nint f() {\n  // EXERCISE(1.1): one.\n"
            "  not_implemented(\"1.1\");\n}\nint g() {\n  // EXERCISE(1.2): two.\n  // SOLUTION_BEGIN(1.2)\n  return 2;\n  // SOLUTION_END(1.2)\n}\n");
  EXPECT_EQ(without_exercise(solution, "f.cpp", "1.3"), solution);
}

TEST(Markers, LeaveOtherFilesAsTheyAre) {
  const std::string text = "int a;\n\n\nint b;  // a solution of the exercise\n";
  EXPECT_EQ(starter_of(text), text);
}

TEST(Markers, MayNotNest) {
  EXPECT_EQ(refusal_of("void f() {\n  // EXERCISE(1.1): x\n  // SOLUTION_BEGIN(1.1)\n  // SOLUTION_BEGIN(1.1)\n"),
            "f.cpp:4: SOLUTION_BEGIN(1.1) stands inside the region 1.1 of line 3");
  EXPECT_EQ(refusal_of("void f() {\n  // EXERCISE(1.1): x\n  // SOLUTION_BEGIN(1.1)\n  // EXERCISE(1.2): y\n"),
            "f.cpp:4: EXERCISE(1.2) stands inside the region 1.1");
}

TEST(Markers, MustMatch) {
  const std::string begin = "void f() {\n  // EXERCISE(1.1): x\n  // SOLUTION_BEGIN(1.1)\n";
  EXPECT_EQ(refusal_of(begin + "}\n"), "f.cpp:3: SOLUTION_BEGIN(1.1) has no SOLUTION_END(1.1)");
  EXPECT_EQ(refusal_of(begin + "  // SOLUTION_END(1.2)\n}\n"),
            "f.cpp:4: SOLUTION_END(1.2) closes the region 1.1 of line 3");
  EXPECT_EQ(refusal_of("// SOLUTION_END(1.1)\n"), "f.cpp:1: SOLUTION_END(1.1) has no SOLUTION_BEGIN(1.1)");
}

TEST(Markers, OfAHelperNeedAnExerciseInTheFile) {
  const std::string region = "  // SOLUTION_BEGIN(1.1)\n  // SOLUTION_END(1.1)\n}\n";
  EXPECT_EQ(refusal_of("void f() {\n" + region), "f.cpp:2: no line EXERCISE(1.1) stands in the file of the region 1.1");
}

TEST(Markers, OfAnExerciseStandDirectlyAboveItsRegion) {
  const std::string region = "  // SOLUTION_BEGIN(1.1)\n  // SOLUTION_END(1.1)\n}\n",
                    refusal = "f.cpp:2: no SOLUTION_BEGIN(1.1) stands directly below EXERCISE(1.1)";
  const std::string exercise = "void f() {\n  // EXERCISE(1.1): x\n";
  EXPECT_EQ(refusal_of(exercise + "  g();\n" + region), refusal);
  EXPECT_EQ(refusal_of(exercise + "\n" + region), refusal);
  EXPECT_EQ(refusal_of(exercise + "  // EXERCISE(1.1): y\n" + region), refusal);
  EXPECT_EQ(refusal_of(exercise + "  // SOLUTION_BEGIN(1.2)\n"), refusal);
  EXPECT_EQ(refusal_of(exercise), refusal);
  EXPECT_EQ(refusal_of(exercise + "}\n" + region), refusal);
}

TEST(Markers, MustBeWellFormed) {
  for (const char* line : {"// EXERCISE(1.1)", "// EXERCISE(1.1):", "// EXERCISE 1.1: x", "//EXERCISE(1.1): x",
                           "// SOLUTION_BEGIN(1.1): x", "// SOLUTION_BEGIN 1.1", "// SOLUTION_BEGIN(1)",
                           "// SOLUTION_BEGIN(D1.1)", "// SOLUTION_START(1.1)", "int a;  // SOLUTION_BEGIN(1.1)",
                           "// solution_begin(1.1)", "// Exercise(1.1): x", "// SOLUTION_END(1.1) "}) {
    EXPECT_EQ(refusal_of(std::string("\n") + line + "\n").substr(0, 27), "f.cpp:2: malformed marker; ") << line;
  }
}

}  // namespace
}  // namespace waitless::course
