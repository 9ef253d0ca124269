/// The cost of simt: time per CUDA thread, and a matrix product, with one worker and with two. The checked build, which
/// runs one thread block at a time, also says how much each access to memory takes.
/// Run with --benchmark_repetitions=15 --benchmark_report_aggregates_only and read the median.

#include "tests/common/simt/simt_bench.h"

#include <benchmark/benchmark.h>

#include "common/simt/counters.h"
#include "common/simt/settings.h"

namespace waitless::simt_test {
namespace {

/// To global and shared memory, by all kernels since the counters were reset; 0 in the fast build.
double n_accesses() {
  double n = 0;
  for (const simt::KernelCounters& kernel : simt::all_counters()) {
    n += double(kernel.read().accesses + kernel.written().accesses + kernel.shared.accesses);
  }
  return n;
}

void run(benchmark::State& state, void (BenchKernels::*kernel)(), int n_threads) {
  const simt::Settings before = simt::settings();
  simt::set_settings({static_cast<int>(state.range(0)), simt::ThreadOrder::kForward, 0});
  BenchKernels kernels;
  simt::reset_counters();
  for (auto _ : state) (kernels.*kernel)();
  if (const double n = n_accesses(); n > 0) {
    state.counters["per_access"] = benchmark::Counter(n, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
  }
  if (n_threads != 0) {
    state.counters["per_thread"] =
        benchmark::Counter(n_threads, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
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
