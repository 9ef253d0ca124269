#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace waitless::course {

// The markers that a solution file carries, each on a line of its own:
//   // EXERCISE(1.5): what to write         stays in the starter, with the comment lines that go on with it
//   // SOLUTION_BEGIN(1.5)                  from here ...
//   // SOLUTION_END(1.5)                    ... to here is the solution
// A region that stands directly below an EXERCISE line is what the student writes, and becomes
// `not_implemented("1.5");`. Every EXERCISE line has one. Any other region is a helper that only the solution needs, a
// function or the members of a class, and is left out whole, wherever it stands. It belongs to an exercise of its file.

/// What lies between SOLUTION_BEGIN and SOLUTION_END.
struct Region {
  std::string id;
  int first_line = 0;              // of SOLUTION_BEGIN, counted from 1
  int context_line = 0;            // where the function around it begins; of a helper, the region's first line
  std::vector<std::string> lines;  // without the markers
  bool is_helper = false;
};

struct Starter {
  std::string text;
  std::vector<Region> regions;
};

/// What a student gets in place of `solution`, the content of the file `name`.
/// @throws InputError "solutions/01_naive_generation/rope.cpp:12: ..." for a marker that is malformed, nested or
///         unmatched, for an EXERCISE line without its region and for a helper of no exercise
Starter make_starter(std::string_view solution, const std::string& name);

/// The solution as it would be if exercise `id` were the only one that is not written yet. Markers of other exercises
/// stay, and so do helpers, which other exercises may call.
/// @throws InputError as make_starter()
std::string without_exercise(std::string_view solution, const std::string& name, const std::string& id);

}  // namespace waitless::course
