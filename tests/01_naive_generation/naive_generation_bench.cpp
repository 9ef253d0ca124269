// What naive generation costs on this machine. Figures of one run belong together; compare ratios, not runs.

#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <vector>

#include "common/base/error.h"
#include "common/hardware/measure.h"
#include "common/model/find_model.h"
#include "common/testing/random_model.h"
#include "count_work.h"
#include "forward.h"
#include "tiled_attention.h"

namespace waitless {
namespace {

/// The shape of SmolLM2-135M with a smaller vocabulary, random weights: 106 M parameters in the layers.
const Model& smollm2_shape() {
  static const Model model = [] {
    Config c;
    c.vocab_size = 4096;
    c.context_length = 2048;
    c.n_layers = 30;
    c.n_heads = 9;
    c.n_kv_heads = 3;
    c.head_dim = 64;
    c.d_model = 576;
    c.d_ff = 1536;
    return random_model(c);
  }();
  return model;
}

double seconds_of(const auto& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

struct Pass {
  const Model& model;
  Batch batch;
  Ops ops;
  Workspace workspace;
  Matrix logits;

  Pass(const Model& m, int n)
      : model(m),
        batch(Batch::causal(0, 0, std::vector<int>(n, 1))),
        ops(tiled_ops()),
        logits(1, m.config.vocab_size) {}
  void run() { forward(model, batch, ops, workspace, logits); }
};

/// One token at the end of a text of n tokens: the naive way is a pass over all of them.
void NaiveToken(benchmark::State& state) {
  Pass pass(smollm2_shape(), int(state.range(0)));
  pass.run();
  for (auto _ : state) pass.run();
  state.counters["GFLOP"] = double(count_forward(pass.model.config, int(state.range(0)), 1).flops) / 1e9;
}
BENCHMARK(NaiveToken)->RangeMultiplier(2)->Range(1, 512)->Unit(benchmark::kMillisecond)->UseRealTime();

/// 512 tokens at once, beside the matrix products alone: how much of Eigen's GEMM rate the whole pass keeps.
void PrefillAgainstGemm(benchmark::State& state) {
  const Model& model = smollm2_shape();
  const int T = 512;
  Pass pass(model, T);
  const Matrix x = random_matrix(T, model.config.d_ff);
  Matrix out(T, model.config.d_ff);
  const auto products = [&] {
    for (const Layer& l : model.layers) {
      for (const Weight* w : {&l.query, &l.key, &l.value, &l.attention_output, &l.gate, &l.up, &l.down}) {
        pass.ops.linear(*w, x.leftCols(w->cols), out.leftCols(w->rows));
      }
    }
  };
  pass.run();
  std::vector<double> whole, share;
  for (auto _ : state) {  // one after the other, so that both meet the same machine
    whole.push_back(seconds_of([&] { pass.run(); }));
    share.push_back(seconds_of(products) / whole.back());
  }
  state.counters["share_of_gemm_rate"] = median(share);
  state.counters["GFLOP/s"] = double(count_forward(model.config, T, 1).flops) / median(whole) / 1e9;
}
BENCHMARK(PrefillAgainstGemm)->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(9);

/// One token alone: every weight is read once and used once.
void OneTokenAgainstBandwidth(benchmark::State& state) {
  Pass pass(smollm2_shape(), 1);
  pass.run();
  std::vector<double> whole;
  for (auto _ : state) whole.push_back(seconds_of([&] { pass.run(); }));
  const double rate = double(pass.model.bytes_per_forward()) / median(whole);
  state.counters["GB/s"] = rate / 1e9;
  state.counters["share_of_bandwidth"] = rate / measure_machine().read_bandwidth;
}
BENCHMARK(OneTokenAgainstBandwidth)->Unit(benchmark::kMillisecond)->UseRealTime();

/// Loading the real model with expansion to f32. Run it alone for the memory figure:
/// --benchmark_filter=LoadSmolLm2
void LoadSmolLm2(benchmark::State& state) {
  std::filesystem::path path;
  try {
    path = find_model("smollm2");
  } catch (const InputError& error) {
    state.SkipWithError(error.what());
    return;
  }
  double f32_bytes = 0;
  for (auto _ : state) {
    const Model model = load_model(path);
    f32_bytes = double(model.bytes_per_forward());
  }
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  state.counters["peak_memory/f32_weights"] = double(usage.ru_maxrss) * 1024 / f32_bytes;
}
BENCHMARK(LoadSmolLm2)->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(1);

}  // namespace
}  // namespace waitless

BENCHMARK_MAIN();
