#pragma once

#include <memory>

namespace waitless::simt_test {

/// Kernels whose cost is that of simt itself. Thread blocks have 256 threads.
class BenchKernels {
 public:
  static constexpr int kThreads = 1 << 20;
  static constexpr int kMatrix = 256;

  BenchKernels();
  ~BenchKernels();

  void scale();        // kThreads threads, each reads, computes and writes one number
  void one_barrier();  // the same with an exchange through shared memory
  void shuffle_sum();  // the same with five shuffles
  void multiply();     // [kMatrix, kMatrix] times [kMatrix, kMatrix] in 16 x 16 tiles

 private:
  struct Buffers;
  std::unique_ptr<Buffers> buffers_;
};

}  // namespace waitless::simt_test
