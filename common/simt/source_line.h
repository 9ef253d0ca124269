#pragma once

#include <string>

namespace waitless::simt {

/// What the debug information says about an instruction.
struct SourceLine {
  std::string function;  // "saxpy_kernel", empty if unknown; that into which others may have been inlined
  std::string place;     // "saxpy.cu:12", empty if unknown; outside of simt if the instruction was inlined from there
};

/// @param code any address in the machine code, a return address for instance
SourceLine source_line(const void* code);

}  // namespace waitless::simt
