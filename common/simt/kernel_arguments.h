#pragma once

#include <cstddef>
#include <exception>
#include <tuple>
#include <utility>

#include "common/simt/thread_block.h"

namespace waitless::simt {

inline void leave_current_fiber() { current.block->leave_fiber(); }

/// A kernel with the arguments of one launch.
template <class... Parameters>
struct KernelArguments {
  using Kernel = void (*)(Parameters...);

  Kernel kernel;
  std::tuple<Parameters...> values;

  /// The body of a fiber: runs CUDA threads one after another, each with its own copy of the arguments.
  ///
  /// The end of the fiber is called by the instruction that calls the kernel. A thread that is continued later returns
  /// from its kernel to that instruction; the processor predicts the return right only if the last call came from
  /// there.
  static void run_fiber() {
    ThreadBlock& block = *current.block;
    const int stack = block.enter_fiber();
    const auto& arguments = *static_cast<const KernelArguments*>(block.arguments());
    const Kernel kernel = arguments.kernel;
    const auto values = arguments.values;
    try {
      for (int turn = block.next_turn();; turn = block.finish_thread(turn)) {
        const bool is_kernel = block.start_thread(turn, stack);
        call(is_kernel ? kernel : reinterpret_cast<Kernel>(&leave_current_fiber), values, Indices());
      }
    } catch (...) {
      block.abandon(std::current_exception());
    }
  }

 private:
  using Indices = std::index_sequence_for<Parameters...>;

  template <std::size_t... I>
  static void call(Kernel kernel, const std::tuple<Parameters...>& values, std::index_sequence<I...>) {
    kernel(std::get<I>(values)...);
  }
};

}  // namespace waitless::simt
