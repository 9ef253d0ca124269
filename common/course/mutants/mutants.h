#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/course/system/repository.h"

namespace waitless::course {

/// A plausible wrong solution, tests/NN_name/mutants/<name>.mutant:
///   exercise: 1.5
///   file: attention.cpp
///   cause: the mask lets query t see key t + 1
///   <<<<<<< replace
///   text of the solution, a part of a line or several lines
///   =======
///   what a student may write instead
///   >>>>>>> with
/// There may be several blocks. Every exercise has one more that no file describes: <id>_not_written, the solution with
/// this exercise left as it is in the starter. Exercises that pass with it do not run the code of this one, and are
/// passed by every mutant that stays within it.
struct Mutant {
  std::string name;
  std::string exercise;
  std::string file;
  std::string cause;
  std::vector<std::pair<std::string, std::string>> replacements;  // old text, new text; none if it is not written

  bool is_not_written() const { return replacements.empty(); }
};

/// @throws InputError "<name>:12: ..." for what is not in this form
Mutant parse_mutant(std::string_view text, const std::string& name);

/// `source` with the replacements made.
/// @throws InputError if the old text of one does not occur exactly once in it
std::string apply_mutant(const Mutant& mutant, std::string_view source);

/// The files of the solution that `mutant` changes, by their names in the chapter, as it leaves them.
/// @throws InputError as apply_mutant(), or if the solution has nothing of the exercise
std::map<std::string, std::string> changed_files(const Repository& repository, const std::string& chapter,
                                                 const Mutant& mutant);

/// Whether `mutant` changes nothing but the code between the markers of its exercise.
bool stays_in_exercise(const Repository& repository, const std::string& chapter, const Mutant& mutant);

/// The bank of a chapter in the order of the names, only those that match the pattern `only` unless it is empty.
/// @throws InputError for a wrong file, or for a mutant of an exercise that the rubric lacks
std::vector<Mutant> load_mutants(const Repository& repository, const std::string& chapter, const std::string& only);

}  // namespace waitless::course
