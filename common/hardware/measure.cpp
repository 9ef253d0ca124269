#include "common/hardware/measure.h"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <string>
#include <vector>

#include "common/tensor/matrix.h"
#include "common/tensor/parallel.h"

namespace waitless {
namespace {

template <class Work>
double best_seconds(int repetitions, const Work& work) {
  double best = 1e30;
  for (int i = 0; i < repetitions; ++i) {
    const auto start = std::chrono::steady_clock::now();
    work();
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return best;
}

}  // namespace

MachineLimits measure_machine() {
  MachineLimits limits;

  // 256 MB: no processor's cache holds it.
  constexpr Index kRows = 16384, kCols = 4096, kRowsPerTask = 256;
  const Matrix memory = Matrix::Constant(kRows, kCols, 0.5f);
  const Eigen::VectorXf x = Eigen::VectorXf::Constant(kCols, 0.25f);
  Eigen::VectorXf y(kRows);

  const double product = best_seconds(5, [&] {  // reader 1: a matrix-vector product, rows spread over the threads
    parallel_for(kRows / kRowsPerTask, [&](Index i) {
      y.segment(i * kRowsPerTask, kRowsPerTask).noalias() = memory.middleRows(i * kRowsPerTask, kRowsPerTask) * x;
    });
  });
  const double sum = best_seconds(5, [&] {  // reader 2: the sum of each row
    parallel_for(kRows / kRowsPerTask, [&](Index i) {
      y.segment(i * kRowsPerTask, kRowsPerTask) = memory.middleRows(i * kRowsPerTask, kRowsPerTask).rowwise().sum();
    });
  });
  limits.read_bandwidth = double(memory.size()) * sizeof(float) / std::min(product, sum);

  constexpr Index kN = 1024;
  const Matrix a = Matrix::Constant(kN, kN, 0.5f);
  Matrix c(kN, kN);
  const double gemm = best_seconds(3, [&] { c.noalias() = a * a; });
  limits.peak_flops = 2.0 * kN * kN * kN / gemm;
  return limits;
}

double last_level_cache_bytes() {
  double largest = 0;
  for (int index = 0;; ++index) {
    std::ifstream file("/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/size");
    double size = 0;
    char unit = 0;
    if (!(file >> size)) return largest;
    if (file >> unit) size *= unit == 'M' ? 1 << 20 : 1 << 10;
    largest = std::max(largest, size);
  }
}

}  // namespace waitless
