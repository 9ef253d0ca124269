/// Finds source lines with addr2line, which comes with the compiler. All knowledge of ELF and /proc is in this file;
/// where they or addr2line are missing, the answer is empty and messages name no line.

#include "common/simt/source_line.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <sstream>

#if defined(__linux__)
#include <elf.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

namespace waitless::simt {
namespace {

/// "(anonymous namespace)::f<float>(int, float*)" and "void waitless::f(int)" become "f".
std::string short_name(std::string name) {
  for (std::size_t at; (at = name.find("(anonymous namespace)::")) != std::string::npos;) name.erase(at, 23);
  name = name.substr(0, std::min(name.find('<'), name.find('(')));
  const std::size_t before = name.find_last_of(": ");
  return before == std::string::npos ? name : name.substr(before + 1);
}

#if defined(__linux__)

/// The answer of addr2line, without a shell in between.
std::string ask_addr2line(const char* file, const std::string& address) {
  int ends[2];
  if (pipe(ends) != 0) return "";
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDOUT_FILENO);
    if (std::freopen("/dev/null", "w", stderr) == nullptr) _exit(127);
    execlp("addr2line", "addr2line", "-f", "-C", "-i", "-e", file, address.c_str(), static_cast<char*>(nullptr));
    _exit(127);
  }
  close(ends[1]);
  std::string answer;
  char buffer[1024];
  for (ssize_t n; child > 0 && (n = read(ends[0], buffer, sizeof buffer)) > 0;) answer.append(buffer, n);
  close(ends[0]);
  if (child > 0) waitpid(child, nullptr, 0);
  return answer;
}

#endif

}  // namespace

SourceLine source_line(const void* code) {
  SourceLine result;
#if defined(__linux__)
  Dl_info info;
  if (dladdr(code, &info) == 0 || info.dli_fbase == nullptr) return result;
  // A fixed-position program has its final addresses in the file; others are relative to where they were loaded.
  const bool is_fixed = static_cast<const Elf64_Ehdr*>(info.dli_fbase)->e_type == ET_EXEC;
  const std::uintptr_t base = is_fixed ? 0 : reinterpret_cast<std::uintptr_t>(info.dli_fbase);
  char address[32];
  std::snprintf(address, sizeof address, "0x%zx",
                static_cast<std::size_t>(reinterpret_cast<std::uintptr_t>(code) - base));

  std::string file = info.dli_fname;
  if (file.find('/') == std::string::npos) file = "/proc/self/exe";  // started from PATH
  const std::string answer = ask_addr2line(file.c_str(), address);
  // A function and a place on each two lines: first the inlined function that is innermost, last the real one.
  std::istringstream lines(answer);
  bool is_place_final = false;
  for (std::string function, place; std::getline(lines, function) && std::getline(lines, place);) {
    if (function[0] != '?') result.function = short_name(function);
    place = place.substr(0, place.rfind(" (discriminator "));  // a path may have spaces in it
#if defined(WAITLESS_SIMT_SOURCE_DIR)
    if (place.starts_with(WAITLESS_SIMT_SOURCE_DIR "/")) place.erase(0, sizeof WAITLESS_SIMT_SOURCE_DIR);
#endif
    if (is_place_final || place[0] == '?' || place.ends_with("?")) continue;
    result.place = place;
    // Rather the line that calls a function of simt's or of the library than a line in there.
    is_place_final = !place.starts_with("common/simt/") && !place.starts_with("common/cuda/") && place[0] != '/';
  }
#else
  Dl_info info;
  if (dladdr(code, &info) != 0 && info.dli_sname != nullptr) result.function = short_name(info.dli_sname);
#endif
  return result;
}

}  // namespace waitless::simt
