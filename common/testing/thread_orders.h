#pragma once

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#if defined(WAITLESS_SIMT)
#include "common/simt/settings.h"
#endif

namespace waitless {

/// Runs a test with threads in forward, reverse and random order, where simt runs them; once on a GPU, which chooses
/// its own order. A kernel that lacks a barrier may be right by luck in one of them, hardly in all.
template <class Test>
void in_all_thread_orders(Test test) {
#if defined(WAITLESS_SIMT)
  const simt::Settings before = simt::settings();
  for (const auto& [name, order] : {std::pair{"forward", simt::ThreadOrder::kForward},
                                    {"reverse", simt::ThreadOrder::kReverse},
                                    {"random", simt::ThreadOrder::kRandom}}) {
    SCOPED_TRACE(testing::Message() << "with threads in " << name << " order");
    simt::set_settings({before.n_workers, order, before.seed});
    try {
      test();
    } catch (...) {
      simt::set_settings(before);
      throw;
    }
  }
  simt::set_settings(before);
#else
  test();
#endif
}

}  // namespace waitless
