#include "common/simt/faults.h"

#include <signal.h>
#include <sys/ucontext.h>  // on macOS <ucontext.h> is an error
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <string>

#include "common/simt/current.h"
#include "common/simt/device_memory.h"
#include "common/simt/hooks.h"
#include "common/simt/source_line.h"
#include "common/simt/switch_fiber.h"
#include "common/simt/thread_block.h"

namespace waitless::simt {
namespace {

constexpr int kSignals[] = {SIGSEGV, SIGBUS};
struct sigaction previous_actions[2];

/// Makes the interrupted thread continue `fiber` when the handler returns.
void continue_with([[maybe_unused]] void* context, [[maybe_unused]] void* fiber) {
#if defined(__linux__) && defined(__x86_64__)
  auto& registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  registers[REG_RIP] = reinterpret_cast<greg_t>(&waitless_resume_fiber);
  registers[REG_RSI] = reinterpret_cast<greg_t>(fiber);
#elif defined(__linux__) && defined(__aarch64__)
  auto& registers = static_cast<ucontext_t*>(context)->uc_mcontext;
  registers.pc = reinterpret_cast<std::uintptr_t>(&waitless_resume_fiber);
  registers.regs[1] = reinterpret_cast<std::uintptr_t>(fiber);
#endif
}

void print(const std::string& sentence) {
  [[maybe_unused]] const auto written = write(STDERR_FILENO, sentence.data(), sentence.size());
}

/// The handler runs in the middle of ordinary code; what it calls is safe enough for a process that is about to end.
void handle(int signal_number, siginfo_t* info, void* context) {
  const void* const code = interrupted_code(context);
  if (current.block != nullptr && code != nullptr) {
    void* const caller = current.block->fail({info->si_addr, hooks::kernel_code(code)});
    announce_resume(caller, current.block->stacks());
    continue_with(context, caller);
    return;
  }
  const int which = signal_number == SIGSEGV ? 0 : 1;
  if (is_device_address(info->si_addr)) {
    const SourceLine line = source_line(code);
    print("\nsimt: host code" + (line.function.empty() ? "" : " in " + line.function) +
          (line.place.empty() ? "" : " (" + line.place + ")") +
          " accesses device memory; the host can reach it only through cudaMemcpy.\n");
  }
  // Returning repeats the access, now with the handler that was there before: a debugger or core dump shows the line.
  sigaction(signal_number, &previous_actions[which], nullptr);
}

}  // namespace

const void* interrupted_code([[maybe_unused]] void* context) {
#if defined(__linux__) && defined(__x86_64__)
  return reinterpret_cast<const void*>(static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
#elif defined(__linux__) && defined(__aarch64__)
  return reinterpret_cast<const void*>(static_cast<ucontext_t*>(context)->uc_mcontext.pc);
#else
  return nullptr;
#endif
}

void give_up_interrupted_block(void* context, Finding (*describe)()) {
  void* const caller = current.block->fail(describe);
  announce_resume(caller, current.block->stacks());
  continue_with(context, caller);
}

void install_fault_handler() {
  // A thread that has overflowed its stack needs another one to handle that on.
  static thread_local bool has_stack = false;
  if (!has_stack) {
    has_stack = true;
    stack_t present;
    if (sigaltstack(nullptr, &present) == 0 && (present.ss_flags & SS_DISABLE) != 0) {
      constexpr std::size_t kSize = 256 << 10;
      stack_t stack{};
      stack.ss_sp = std::malloc(kSize);  // kept for the life of the thread and beyond: 256 KiB of addresses
      stack.ss_size = kSize;
      sigaltstack(&stack, nullptr);
    }
  }
  static std::once_flag once;
  std::call_once(once, [] {
    struct sigaction action {};
    action.sa_sigaction = handle;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    sigemptyset(&action.sa_mask);
    for (int which = 0; which < 2; ++which) sigaction(kSignals[which], &action, &previous_actions[which]);
  });
}

}  // namespace waitless::simt
