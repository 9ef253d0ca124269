#include "common/course/verbs/new.h"

#include <gtest/gtest.h>

#include "common/course/grading/readme_table.h"
#include "common/course/verbs/hints.h"
#include "tests/course/fake_repository.h"

namespace waitless::course {
namespace {

namespace fs = std::filesystem;

const char* const kCMake =
    "project(course)\nadd_chapter(01_first)\nadd_chapter(05_fifth\n  NEEDS 01_first)\n\nmore()\n";

const char* const kTemplateRubric = R"({
  "chapter": "@CHAPTER@",
  "exercises": [
    {"id": "@N@.1", "title": "twice", "file": "twice.cpp", "function": "twice", "track": "cpu", "points": 10,
     "tests": {"basic": ["Twice.DoublesTheNumber"]}}
  ]
}
)";
const char* const kTemplateSolution =
    "// Chapter @NN@\nint twice(int x) {\n  // EXERCISE(@N@.1): double it.\n  // SOLUTION_BEGIN(@N@.1)\n"
    "  return 2 * x;\n  // SOLUTION_END(@N@.1)\n}\n";

/// A course with two chapters and a template of four files.
struct CourseWithTemplate : FakeRepository {
  CourseWithTemplate() {
    put("CMakeLists.txt", kCMake);
    fs::create_directories(repository.solution("05_fifth"));
    put("common/course/template/solutions/twice.cpp", kTemplateSolution);
    put("common/course/template/chapters/README.md", "# @NN@ @TITLE@\n");
    put("common/course/template/tests/rubric.json", kTemplateRubric);
    put("common/course/template/tests/mutants/@N@.1_zero.mutant", "exercise: @N@.1\n");
  }
  /// Everything in it: name -> text.
  std::map<std::string, std::string> content() const {
    std::map<std::string, std::string> texts;
    for (const auto& entry : fs::recursive_directory_iterator(folder.path()))
      texts[entry.path().string()] = entry.is_directory() ? "" : read_text(entry.path());
    return texts;
  }
};

using Names = std::vector<std::string>;

// Guards what an author begins with.
TEST(NewChapter, IsTheTemplateUnderItsOwnNames) {
  const CourseWithTemplate course;
  EXPECT_EQ(new_chapter(course.repository, "03_tensor_cores", {}),
            (Names{"chapters/03_tensor_cores/README.md", "chapters/03_tensor_cores/twice.cpp",
                   "solutions/03_tensor_cores/twice.cpp", "tests/03_tensor_cores/mutants/3.1_zero.mutant",
                   "tests/03_tensor_cores/rubric.json"}));
  EXPECT_EQ(course.get("chapters/03_tensor_cores/README.md"), "# 03 Tensor cores\n");
  EXPECT_EQ(course.get("chapters/03_tensor_cores/twice.cpp"),
            "// Chapter 03\nint twice(int x) {\n  // EXERCISE(3.1): double it.\n  not_implemented(\"3.1\");\n}\n");
  EXPECT_EQ(course.get("tests/03_tensor_cores/mutants/3.1_zero.mutant"), "exercise: 3.1\n");
  EXPECT_EQ(load_rubric(course.repository, "03_tensor_cores").exercises[0].id, "3.1");
}

TEST(NewChapter, StandsBetweenItsNeighboursInCMake) {
  for (const auto& [name, at] : {std::pair{"00_zeroth", "project(course)\n"},
                                 {"03_third", "add_chapter(01_first)\n"},
                                 {"12_twelfth", "  NEEDS 01_first)\n"}}) {
    const CourseWithTemplate course;
    new_chapter(course.repository, name, {});
    std::string expected = kCMake;
    const std::string before = at;
    expected.insert(expected.find(before) + before.size(), "add_chapter(" + std::string(name) + ")\n");
    EXPECT_EQ(course.get("CMakeLists.txt"), expected);
  }
}

TEST(NewChapter, IsBuiltOnEarlierOnes) {
  const CourseWithTemplate course;
  new_chapter(course.repository, "06_sixth", {"5", "first", "05"});
  EXPECT_NE(course.get("CMakeLists.txt").find("\nadd_chapter(06_sixth NEEDS 01_first 05_fifth)\n"), std::string::npos);
  EXPECT_EQ(error_of([&] { new_chapter(course.repository, "03_third", {"05"}); }),
            "03_third cannot be built on 05_fifth, which comes later");
  EXPECT_EQ(error_of([&] { new_chapter(course.repository, "07_seventh", {"02"}); }),
            "there is no chapter '02'; the nearest is 01_first");
}

TEST(NewChapter, IsRefusedForAWrongName) {
  const CourseWithTemplate course;
  const auto before = course.content();
  for (const char* name :
       {"", "3", "third", "3_third", "03_", "03_Third", "03-third", "03_third_", "03_../third", "003_x"}) {
    EXPECT_EQ(error_of([&] { new_chapter(course.repository, name, {}); }),
              "a chapter is called by two digits and words of small letters, such as 03_roofline, not '" +
                  std::string(name) + "'");
  }
  EXPECT_EQ(course.content(), before);
}

TEST(NewChapter, IsRefusedWhereThereIsOne) {
  CourseWithTemplate course;
  course.put("tests/04_fourth/rubric.json", "");
  course.put("CMakeLists.txt", std::string(kCMake) + "add_chapter(08_eighth)\n");
  const auto before = course.content();
  const auto error = [&](const std::string& name) {
    return error_of([&] { new_chapter(course.repository, name, {}); });
  };
  EXPECT_EQ(error("01_first"), "solutions/01_first exists already");
  EXPECT_EQ(error("01_other"), "there is a chapter 01 already: solutions/01_first");
  EXPECT_EQ(error("04_fourth"), "tests/04_fourth exists already");
  EXPECT_EQ(error("04_other"), "there is a chapter 04 already: tests/04_fourth");
  EXPECT_EQ(error("08_other"), "CMakeLists.txt has a chapter 08 already: add_chapter(08_eighth)");
  EXPECT_EQ(course.content(), before);
}

TEST(NewChapter, LeavesNothingBehindIfItFails) {
  CourseWithTemplate course;
  course.put("common/course/template/solutions/zzz.cpp", "// EXERCISE(@N@.2): nothing follows.\n");
  for (const bool has_manifest : {false, true}) {
    if (has_manifest) course.put("chapters/starters.sha256", "");
    const auto before = course.content();
    EXPECT_NE(error_of([&] { new_chapter(course.repository, "03_third", {}); }), "");
    EXPECT_EQ(course.content(), before);
  }
  fs::remove_all(course.folder / "common/course/template/tests");
  const auto before = course.content();
  EXPECT_EQ(error_of([&] { new_chapter(course.repository, "03_third", {}); }),
            "the template lacks the folder common/course/template/tests");
  course.put("CMakeLists.txt", "project(course)\n");
  EXPECT_EQ(error_of([&] { new_chapter(course.repository, "03_third", {}); }),
            "CMakeLists.txt has no add_chapter(...) beside which the new one could stand");
  course.put("CMakeLists.txt", kCMake);
  EXPECT_EQ(course.content(), before);
}

TEST(NewChapter, HasTextsThatAgreeWithItsRubric) {
  FakeRepository course;
  course.put("CMakeLists.txt", kCMake);
  fs::create_directories(course.folder / "common/course");
  fs::copy(fs::path(WAITLESS_SOURCE_DIR) / "common/course/template", course.folder / "common/course/template",
           fs::copy_options::recursive);
  const std::string chapter = "12_twelfth";
  new_chapter(course.repository, chapter, {});
  const Rubric rubric = load_rubric(course.repository, chapter);
  EXPECT_EQ(readme_differences(course.get("chapters/12_twelfth/README.md"), "README.md", rubric), Names{});
  const Hints hints = parse_hints(course.get("chapters/12_twelfth/hints.md"), "hints.md");
  for (const Exercise& exercise : rubric.exercises) {
    ASSERT_TRUE(hints.count(exercise.id)) << exercise.id;
    EXPECT_EQ(hints.at(exercise.id).size(), 3u) << exercise.id;
  }
  EXPECT_EQ(hints.size(), rubric.exercises.size());
}

}  // namespace
}  // namespace waitless::course
