#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace waitless::course {

/// A function around a place in a C++ file.
struct Signature {
  std::vector<std::string> parameters;  // the names of those that have one; a pack is "name..."
  int first_line = 0;                   // of its declaration, counted from 1
  bool is_at_start = false;             // nothing but comments lies between its opening brace and the place
};

/// The function whose body is the innermost open brace at the end of `source`, the text of a file up to a place
/// in it; nothing if that brace opens a namespace, a class, a loop or a lambda.
std::optional<Signature> enclosing_function(std::string_view source);

/// Whether `rest`, the text of a file from a place on, closes the innermost brace before anything else.
bool closes_brace(std::string_view rest);

}  // namespace waitless::course
