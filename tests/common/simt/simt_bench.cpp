/// The cost of simt: nanoseconds per CUDA thread, and a matrix product, with one worker and with two.
/// Run with --benchmark_repetitions=15 --benchmark_report_aggregates_only and read the median.

#include "tests/common/simt/simt_bench.h"

#include <benchmark/benchmark.h>

#include "common/simt/settings.h"

namespace waitless::simt_test {
namespace {

void run(benchmark::State& state, void (BenchKernels::*kernel)(), int n_threads) {
  const simt::Settings before = simt::settings();
  simt::set_settings({static_cast<int>(state.range(0)), simt::ThreadOrder::kForward, 0});
  BenchKernels kernels;
  for (auto _ : state) (kernels.*kernel)();
  if (n_threads != 0) {
    state.counters["per_thread"] = benchmark::Counter(
        n_threads, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
  }
  simt::set_settings(before);
}

void scale(benchmark::State& state) { run(state, &BenchKernels::scale, BenchKernels::kThreads); }
void one_barrier(benchmark::State& state) { run(state, &BenchKernels::one_barrier, BenchKernels::kThreads); }
void shuffle_sum(benchmark::State& state) { run(state, &BenchKernels::shuffle_sum, BenchKernels::kThreads); }
void multiply(benchmark::State& state) { run(state, &BenchKernels::multiply, 0); }

BENCHMARK(scale)->ArgName("workers")->Arg(1)->Arg(2)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(one_barrier)->ArgName("workers")->Arg(1)->Arg(2)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(shuffle_sum)->ArgName("workers")->Arg(1)->Arg(2)->UseRealTime()->Unit(benchmark::kMillisecond);
BENCHMARK(multiply)->ArgName("workers")->Arg(1)->Arg(2)->UseRealTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace waitless::simt_test

BENCHMARK_MAIN();
