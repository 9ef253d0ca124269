// How long the idle threads of OpenMP look for work before they sleep. By default it is several milliseconds, in which
// they take the processor from whoever has something to do: with two busy neighbours on two processors a program
// becomes six to twenty times slower.

#include <cstdlib>

extern "C" {
// The linker takes this file into every program because CMake says that the program needs this name.
extern const int waitless_openmp_settings;
const int waitless_openmp_settings = 1;
}

#if defined(_OPENMP) && defined(__GLIBC__)

#include <limits.h>
#include <unistd.h>

namespace waitless {
namespace {

constexpr const char* kSpins = "3000";      // of libgomp, about 30 microseconds
constexpr const char* kMilliseconds = "0";  // of LLVM's runtime, which can do without

/// libgomp reads its variables before any code of the program's, so one that finds them unset sets them and starts once
/// more.
__attribute__((constructor)) void let_idle_threads_sleep(int, [[maybe_unused]] char** arguments, char**) {
  if (std::getenv("GOMP_SPINCOUNT") || std::getenv("OMP_WAIT_POLICY")) return;
  setenv("GOMP_SPINCOUNT", kSpins, 0);
  setenv("KMP_BLOCKTIME", kMilliseconds, 0);
#if !defined(__clang__)
  char program[PATH_MAX] = {};
  if (readlink("/proc/self/exe", program, sizeof program - 1) > 0) execv(program, arguments);  // comes back if it fails
#endif
}

}  // namespace
}  // namespace waitless

#endif
