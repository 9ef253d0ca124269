#pragma once

#include <cstddef>
#include <exception>
#include <tuple>

namespace waitless::simt::checked {

/// A kernel with the arguments of one launch, for run_fiber().
struct InvokedKernel {
  void (*invoke)(const void* arguments);
  const void* arguments;
  std::size_t n_bytes;
};

/// The body of a fiber: what KernelArguments::run_fiber is in the fast build, but outside of instrumented code.
void run_fiber();

/// The instrumented part: calls the kernel with arguments that lie on the thread's stack.
template <class... Parameters>
struct KernelArguments {
  void (*kernel)(Parameters...);
  std::tuple<Parameters...> values;

  static void invoke(const void* arguments) {
    const auto& self = *static_cast<const KernelArguments*>(arguments);
    std::apply(self.kernel, self.values);
  }
};

}  // namespace waitless::simt::checked
