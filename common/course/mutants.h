#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/course/repository.h"

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
/// There may be several blocks.
struct Mutant {
  std::string name;
  std::string exercise;
  std::string file;
  std::string cause;
  std::vector<std::pair<std::string, std::string>> replacements;  // old text, new text
};

/// @throws InputError "<name>:12: ..." for what is not in this form
Mutant parse_mutant(std::string_view text, const std::string& name);

/// `source` with the replacements made.
/// @throws InputError if the old text of one does not occur exactly once in it
std::string apply_mutant(const Mutant& mutant, std::string_view source);

/// The bank of a chapter in the order of the names, only those that match the pattern `only` unless it is empty.
/// @throws InputError for a wrong file, or for a mutant of an exercise that the rubric lacks
std::vector<Mutant> load_mutants(const Repository& repository, const std::string& chapter, const std::string& only);

}  // namespace waitless::course
