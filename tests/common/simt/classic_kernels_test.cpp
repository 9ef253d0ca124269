#include "tests/common/simt/classic_kernels.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tests/common/simt/kernel_test.h"

namespace waitless::simt_test {
namespace {

/// Numbers k / 8 with -40 <= k <= 40: sums and products of a few thousand are exact in float, in any order.
std::vector<float> exact_numbers(std::size_t n, unsigned seed) {
  std::vector<float> x(n);
  for (float& value : x) {
    seed = seed * 1664525u + 1013904223u;
    value = (static_cast<int>(seed >> 16) % 81 - 40) / 8.0f;
  }
  return x;
}

std::vector<int> numbers(std::size_t n) {
  std::vector<int> x;
  for (const float value : exact_numbers(n, 7)) x.push_back(static_cast<int>(8 * value));
  return x;
}

}  // namespace

class Classics : public KernelTest {};
INSTANTIATE_KERNEL_TEST(Classics);

// Guards a reduction by a tree in shared memory.
TEST_P(Classics, ReductionSumsAllElements) {
  for (const int n : {1, 31, 33, 128, 1000, 5000}) {
    const std::vector<float> x = exact_numbers(n, n);
    EXPECT_EQ(reduce_sum(x), std::accumulate(x.begin(), x.end(), 0.0f)) << n;
  }
}

// Guards a scan over several thread blocks.
TEST_P(Classics, ScanGivesAllPartialSums) {
  for (const int n : {1, 31, 33, 128, 129, 4000}) {
    const std::vector<int> x = numbers(n);
    std::vector<int> expected(n);
    std::partial_sum(x.begin(), x.end(), expected.begin());
    EXPECT_EQ(inclusive_scan(x), expected) << n;
  }
}

// Guards atomics in shared and then in global memory.
TEST_P(Classics, HistogramCountsEachByte) {
  for (const int n : {1, 33, 10000}) {
    std::vector<unsigned char> bytes(n);
    for (int i = 0; i < n; ++i) bytes[i] = static_cast<unsigned char>(i * i % 251);
    std::vector<int> expected(256, 0);
    for (const unsigned char byte : bytes) ++expected[byte];
    EXPECT_EQ(histogram(bytes), expected) << n;
  }
}

// Guards tiles in shared memory with a padded row.
TEST_P(Classics, TransposeMovesEveryElement) {
  for (const auto& [n_rows, n_cols] : {std::pair{1, 1}, {31, 33}, {64, 32}, {100, 70}}) {
    const std::vector<float> x = exact_numbers(static_cast<std::size_t>(n_rows) * n_cols, 3);
    const std::vector<float> y = transpose(x, n_rows, n_cols);
    for (int r = 0; r < n_rows; ++r) {
      for (int c = 0; c < n_cols; ++c) EXPECT_EQ(y[c * n_rows + r], x[r * n_cols + c]);
    }
  }
}

// Guards two barriers in a loop.
TEST_P(Classics, TiledMultiplicationEqualsTheTripleLoop) {
  for (const auto& [m, k, n] : {std::tuple{1, 1, 1}, {16, 16, 16}, {33, 31, 17}, {40, 100, 50}}) {
    const std::vector<float> a = exact_numbers(static_cast<std::size_t>(m) * k, 1);
    const std::vector<float> b = exact_numbers(static_cast<std::size_t>(k) * n, 2);
    const std::vector<float> c = multiply(a, b, m, k, n);
    for (int row = 0; row < m; ++row) {
      for (int col = 0; col < n; ++col) {
        float sum = 0.0f;
        for (int i = 0; i < k; ++i) sum += a[row * k + i] * b[i * n + col];
        EXPECT_EQ(c[row * n + col], sum);
      }
    }
  }
}

// Guards __threadfence and an atomic that elects the last thread block.
TEST_P(Classics, TheLastBlockAddsThePartialSums) {
  for (const int n : {1, 33, 128, 20000}) {
    const std::vector<float> x = exact_numbers(n, n);
    EXPECT_EQ(last_block_sum(x), std::accumulate(x.begin(), x.end(), 0.0f)) << n;
  }
}

// Guards a vote, a population count and a shuffle around one atomic for the warp.
TEST_P(Classics, WarpAggregatedAtomicsKeepEachElementOnce) {
  for (const int n : {1, 33, 1000}) {
    const std::vector<int> x = numbers(n);
    std::vector<int> expected;
    for (const int value : x) {
      if (value % 2 == 0) expected.push_back(value);
    }
    std::vector<int> kept = keep_even(x);
    std::sort(kept.begin(), kept.end());
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(kept, expected) << n;
  }
}

// Guards reductions by shuffles; the oracle is double precision.
TEST_P(Classics, LayerNormEqualsDoublePrecision) {
  const int n_rows = 9;
  for (const int n_cols : {1, 31, 33, 300}) {
    const std::vector<float> x = exact_numbers(static_cast<std::size_t>(n_rows) * n_cols, 5);
    const std::vector<float> gain = exact_numbers(n_cols, 6), bias = exact_numbers(n_cols, 8);
    const std::vector<float> y = layer_norm(x, gain, bias, n_rows);
    for (int r = 0; r < n_rows; ++r) {
      double mean = 0.0, variance = 0.0;
      for (int c = 0; c < n_cols; ++c) mean += x[r * n_cols + c] / static_cast<double>(n_cols);
      for (int c = 0; c < n_cols; ++c) variance += std::pow(x[r * n_cols + c] - mean, 2) / n_cols;
      for (int c = 0; c < n_cols; ++c) {
        const double expected = (x[r * n_cols + c] - mean) / std::sqrt(variance + 1e-5) * gain[c] + bias[c];
        EXPECT_NEAR(y[r * n_cols + c], expected, 5e-5);
      }
    }
  }
}

}  // namespace waitless::simt_test
