#include "common/simt/checked/program.h"

#include <cxxabi.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace waitless::simt::checked {
namespace {

std::string demangle(const char* symbol) {
  int status = 0;
  char* const demangled = abi::__cxa_demangle(symbol, nullptr, nullptr, &status);
  std::string name = demangled == nullptr ? symbol : demangled;
  std::free(demangled);
  return name;
}

/// "scale_kernel" for "void waitless::(anonymous namespace)::scale_kernel<float>(float*)".
std::string short_function_name(std::string name) {
  for (std::size_t at; (at = name.find("(anonymous namespace)::")) != std::string::npos;) name.erase(at, 23);
  name = name.substr(0, std::min(name.find('<'), name.find('(')));
  const std::size_t before = name.find_last_of(": ");
  return before == std::string::npos ? name : name.substr(before + 1);
}

/// The function of a variable "waitless::transpose_kernel(float*, int)::tile".
std::string owner_name(const char* symbol) {
  const std::string name = demangle(symbol);
  return short_function_name(name.substr(0, name.rfind("::")));
}

/// The main program is the first that dl_iterate_phdr() tells of.
int read_segments(dl_phdr_info* info, std::size_t, void* result) {
  Program& program = *static_cast<Program*>(result);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    const std::uintptr_t begin = info->dlpi_addr + segment.p_vaddr, end = begin + segment.p_memsz;
    if (segment.p_type == PT_TLS) program.thread_local_bytes = segment.p_memsz;
    if (segment.p_type != PT_LOAD) continue;
    const bool is_writable = (segment.p_flags & PF_W) != 0;
    std::uintptr_t& first = is_writable ? program.writable_begin : program.constant_begin;
    std::uintptr_t& last = is_writable ? program.writable_end : program.constant_end;
    first = first == 0 ? begin : std::min(first, begin);
    last = std::max(last, end);
  }
  return 1;  // no more
}

int read_base(dl_phdr_info* info, std::size_t, void* result) {
  *static_cast<std::uintptr_t*>(result) = info->dlpi_addr;
  return 1;
}

int read_thread_local_begin(dl_phdr_info* info, std::size_t, void* result) {
  *static_cast<void**>(result) = info->dlpi_tls_data;
  return 1;
}

/// Adds the variables of a program file that is mapped at `file`.
void read_symbols(const char* file, std::uintptr_t base, Program& program) {
  const auto* const header = reinterpret_cast<const ElfW(Ehdr)*>(file);
  const auto* const sections = reinterpret_cast<const ElfW(Shdr)*>(file + header->e_shoff);
  for (int i = 0; i < header->e_shnum; ++i) {
    if (sections[i].sh_type != SHT_SYMTAB) continue;
    const auto* const symbols = reinterpret_cast<const ElfW(Sym)*>(file + sections[i].sh_offset);
    const char* const names = file + sections[sections[i].sh_link].sh_offset;
    for (std::size_t k = 0; k < sections[i].sh_size / sizeof *symbols; ++k) {
      const ElfW(Sym)& symbol = symbols[k];
      const char* const name = names + symbol.st_name;
      const int type = ELF64_ST_TYPE(symbol.st_info);
      if (symbol.st_size == 0 || symbol.st_shndx == SHN_UNDEF) continue;
      // A variable in a function is mangled as _ZZ...; simt's own thread-local variables are not in functions.
      if (type == STT_TLS && std::strncmp(name, "_ZZ", 3) == 0) {
        program.shared.push_back({symbol.st_value, symbol.st_size, variable_name(name), owner_name(name)});
      } else if (type == STT_OBJECT) {
        program.globals.push_back({base + symbol.st_value, symbol.st_size, name, ""});
      } else if (type == STT_FUNC) {
        program.functions.push_back({base + symbol.st_value, symbol.st_size, name, ""});
      }
    }
  }
}

Program read_program() {
  Program program{};
  dl_iterate_phdr(read_segments, &program);
  std::uintptr_t base = 0;
  dl_iterate_phdr(read_base, &base);
  const int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  struct stat status;
  if (file >= 0 && fstat(file, &status) == 0) {
    const auto n_bytes = static_cast<std::size_t>(status.st_size);
    void* const memory = mmap(nullptr, n_bytes, PROT_READ, MAP_PRIVATE, file, 0);
    if (memory != MAP_FAILED) {
      read_symbols(static_cast<const char*>(memory), base, program);
      munmap(memory, n_bytes);
    }
  }
  if (file >= 0) close(file);
  const auto by_start = [](const Variable& a, const Variable& b) { return a.start < b.start; };
  std::sort(program.shared.begin(), program.shared.end(), by_start);
  std::sort(program.globals.begin(), program.globals.end(), by_start);
  std::sort(program.functions.begin(), program.functions.end(), by_start);
  return program;
}

}  // namespace

const Program& program() {
  static const Program the_program = read_program();
  return the_program;
}

char* thread_local_begin() {
  void* begin = nullptr;
  dl_iterate_phdr(read_thread_local_begin, &begin);
  return static_cast<char*>(begin);
}

std::string variable_name(const char* symbol) {
  const std::string name = demangle(symbol);
  const std::size_t before = name.rfind("::");
  return before == std::string::npos ? name : name.substr(before + 2);
}

std::string function_name(const void* function) {
  const Variable* const symbol = find_variable(program().functions, reinterpret_cast<std::uintptr_t>(function));
  return symbol == nullptr ? "kernel" : short_function_name(demangle(symbol->name.c_str()));
}

const Variable* find_variable(const std::vector<Variable>& variables, std::size_t place) {
  auto after = std::upper_bound(variables.begin(), variables.end(), place,
                                [](std::size_t p, const Variable& variable) { return p < variable.start; });
  if (after == variables.begin()) return nullptr;
  const Variable& variable = *--after;
  return place < variable.start + variable.n_bytes ? &variable : nullptr;
}

}  // namespace waitless::simt::checked
