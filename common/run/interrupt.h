#pragma once

namespace waitless {

/// While one of these exists, the first Ctrl-C does not end the program but lets is_interrupted() say so; a second one
/// ends it.
class CatchInterrupt {
 public:
  CatchInterrupt();
  ~CatchInterrupt();
  CatchInterrupt(const CatchInterrupt&) = delete;
  CatchInterrupt& operator=(const CatchInterrupt&) = delete;
};

/// Whether Ctrl-C has come since the CatchInterrupt that exists was made.
bool is_interrupted();

}  // namespace waitless
