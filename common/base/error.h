#pragma once

#include <stdexcept>

namespace waitless {

/// Something from outside is unusable: a file, an option, a prompt. The message is one sentence that a person
/// can act on; programs print it and exit with a non-zero status.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace waitless
