#include "common/course/grading/readme_table.h"

#include <gtest/gtest.h>

#include "tests/course/fake_repository.h"

namespace waitless::course {
namespace {

const std::string kHead =
    "# First\n\n| what | formula |\n|---|---|\n| 1.1 | x |\n\n| id | what | file | points |\n|---|---|---|---|\n";
const std::string kFirst = "| 1.1 | twice | `twice.cpp` | 10 |\n", kSecond = "| 1.2 | four | `twice.cpp` | 5 |\n";

std::vector<std::string> differences(const std::string& readme) {
  return readme_differences(readme, "README.md", parse_rubric(kFakeRubric, "r.json"));
}
using Messages = std::vector<std::string>;

// Guards the promises that a chapter's text makes about points.
TEST(ReadmeTable, ThatSaysWhatTheRubricSaysIsRight) {
  EXPECT_EQ(differences(kHead + kFirst + kSecond), Messages{});
  EXPECT_EQ(differences(kHead + kSecond + "\nOn the device:\n\n| id | points |\n|---|---|\n| 1.1 | 10 |\n"),
            Messages{});
}

TEST(ReadmeTable, ShowsEveryExerciseOnce) {
  EXPECT_EQ(differences(kHead + kFirst),
            Messages{"README.md: 1.2 has no row in a table with the columns id and points"});
  EXPECT_EQ(differences(kHead + kFirst + kSecond + kSecond), Messages{"README.md: 1.2 stands in two rows"});
  EXPECT_EQ(differences(kHead + kFirst + kSecond + "| 1.3 | x | `x.cpp` | 5 |\n"),
            Messages{"README.md: 1.3 is not in the rubric"});
}

TEST(ReadmeTable, AgreesInPointsAndFiles) {
  EXPECT_EQ(differences(kHead + kFirst + "| 1.2 | four | `twice.cpp` | 6 |\n"),
            Messages{"README.md: 1.2 gives 6 points, the rubric 5"});
  EXPECT_EQ(differences(kHead + kFirst + "| 1.2 | four | `twice.cpp`, `four.cpp` | 5 |\n"),
            Messages{"README.md: 1.2 is in `twice.cpp`, `four.cpp`, the rubric says twice.cpp"});
  EXPECT_EQ(differences(kHead + kFirst + "| 1.2 | four, optional | `twice.cpp` | 5 |\n"),
            Messages{"README.md: 1.2 is called optional, and in the rubric it is not"});
}

}  // namespace
}  // namespace waitless::course
