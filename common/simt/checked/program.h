#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace waitless::simt::checked {

/// A variable, as the symbol table of the program names it.
struct Variable {
  std::size_t start, n_bytes;
  std::string name;
  std::string owner;  // of a shared variable: the function that declares it, without namespaces and template arguments
};

/// What the program file says about variables. All knowledge of ELF is in program.cpp.
struct Program {
  /// __shared__ variables by their place in a thread's block of thread-local variables; sorted.
  std::vector<Variable> shared;
  std::size_t thread_local_bytes;
  /// Other variables by their address; sorted.
  std::vector<Variable> globals;
  /// Functions by their address, with their mangled names; sorted.
  std::vector<Variable> functions;
  /// The writable and the constant range of addresses in which they lie.
  std::uintptr_t writable_begin, writable_end;
  std::uintptr_t constant_begin, constant_end;
};

/// Read once, when first asked for.
const Program& program();

/// Where the calling thread's block of thread-local variables starts.
char* thread_local_begin();

/// "tile" for the symbol of a variable `tile` of whatever function or namespace.
std::string variable_name(const char* symbol);

/// "saxpy_kernel" for the address of a function; "kernel" if the symbol table does not tell.
std::string function_name(const void* function);

/// @return the variable that contains the place, or nullptr
const Variable* find_variable(const std::vector<Variable>& variables, std::size_t place);

}  // namespace waitless::simt::checked
