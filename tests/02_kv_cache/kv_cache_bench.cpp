// What remembering is worth on this machine. Figures of one run belong together; compare ratios, not runs.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <span>
#include <string>
#include <vector>

#include "01_naive_generation/forward.h"
#include "01_naive_generation/tiled_attention.h"
#include "cache_validity.h"
#include "common/hardware/measure.h"
#include "common/model/find_model.h"
#include "common/model/gguf.h"
#include "common/testing/random_model.h"
#include "common/tokenizer/tokenizer.h"
#include "decoder.h"
#include "kv_bytes.h"
#include "low_rank_kv.h"
#include "perplexity.h"

namespace waitless {
namespace {

/// The shape of SmolLM2-135M with random weights.
const Model& smollm2_shape() {
  static const Model model = [] {
    Config c;
    c.vocab_size = 49152;
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

/// A decoder with n tokens in its cache.
struct Filled {
  int n;
  CachedDecoder decoder;
  explicit Filled(int tokens) : n(tokens), decoder(smollm2_shape(), tokens + 1) {
    prefill(decoder, std::vector<int>(n, 1), 256);
    step();
  }
  /// One token at position n, which is then taken back.
  void step() {
    decode_step(decoder, 1);
    decoder.cache.slots.truncate(0, n);
  }
};

/// One token at the end of a text of n tokens, with and without a cache.
void CachedToken(benchmark::State& state) {
  Filled filled(int(state.range(0)) - 1);
  for (auto _ : state) filled.step();
}
BENCHMARK(CachedToken)->RangeMultiplier(2)->Range(16, 1024)->Unit(benchmark::kMillisecond)->UseRealTime();

void NaiveToken(benchmark::State& state) {
  const Model& model = smollm2_shape();
  const int n = int(state.range(0));
  const Batch batch = Batch::causal(0, 0, std::vector<int>(n, 1));
  const Ops ops = tiled_ops();
  Workspace workspace;
  Matrix logits(1, model.config.vocab_size);
  for (auto _ : state) forward(model, batch, ops, workspace, logits);
}
BENCHMARK(NaiveToken)->RangeMultiplier(2)->Range(16, 1024)->Unit(benchmark::kMillisecond)->UseRealTime()->MinTime(0.2);

/// The bar: a token at position 1,000 costs at most 1.15 times what one at position 10 costs. Taken in turns.
void DecodeFarAgainstNear(benchmark::State& state) {
  Filled far(1000), near(10);
  std::vector<double> far_seconds, near_seconds;
  for (auto _ : state) {
    far_seconds.push_back(seconds_of([&] { far.step(); }));
    near_seconds.push_back(seconds_of([&] { near.step(); }));
  }
  const double bytes =
      double(smollm2_shape().bytes_per_forward() + 1001 * kv_bytes_per_token(kv_shape(smollm2_shape().config), 32));
  state.counters["far_over_near"] = median(far_seconds) / median(near_seconds);
  state.counters["far_ms"] = median(far_seconds) * 1e3;
  state.counters["near_ms"] = median(near_seconds) * 1e3;
  state.counters["share_of_bandwidth"] = bytes / median(far_seconds) / measure_machine().read_bandwidth;
}
BENCHMARK(DecodeFarAgainstNear)->Unit(benchmark::kMillisecond)->UseRealTime()->MinTime(3);

/// What attention to a cache of n tokens reads, against the bandwidth of memory. 30 layers in turn, so that no layer's
/// cache is still in the processor's.
void CacheReadAgainstBandwidth(benchmark::State& state) {
  const Config& config = smollm2_shape().config;
  const int n = int(state.range(0));
  KvCache cache(config, n + 1);
  const Ops ops = tiled_cached_ops(cache);
  const Batch prompt = Batch::causal(0, 0, n), token = Batch::causal(0, n, 1);
  const Matrix k = random_matrix(n, config.kv_dim()), q = random_matrix(1, config.q_dim());
  cache.slots.begin(prompt);
  for (int layer = 0; layer < config.n_layers; ++layer) cache.append(layer, k, k);
  cache.slots.commit();
  ops.begin_step(token);
  Matrix out(1, config.q_dim());
  std::vector<double> seconds;
  for (auto _ : state) {
    seconds.push_back(seconds_of([&] {
      for (int layer = 0; layer < config.n_layers; ++layer) {
        ops.attention(config, layer, q, k.topRows(1), k.topRows(1), token, out);
      }
    }));
  }
  const double rate = double(n + 1) * double(kv_bytes_per_token(kv_shape(config), 32)) / median(seconds);
  state.counters["GB/s"] = rate / 1e9;
  state.counters["share_of_bandwidth"] = rate / measure_machine().read_bandwidth;
}
BENCHMARK(CacheReadAgainstBandwidth)->Arg(1000)->Arg(8000)->Unit(benchmark::kMillisecond)->UseRealTime();

/// The bar: the time to the first token of a prompt of 512 is at most 1.3 times that of its matrix products alone.
void PrefillAgainstGemm(benchmark::State& state) {
  const Model& model = smollm2_shape();
  const int T = 512;
  const std::vector<int> tokens(T, 1);
  CachedDecoder decoder(model, T);
  const Matrix x = random_matrix(T, model.config.d_ff);
  Matrix out(T, model.config.d_ff);
  const auto products = [&] {
    for (const Layer& l : model.layers) {
      for (const Weight* w : {&l.query, &l.key, &l.value, &l.attention_output, &l.gate, &l.up, &l.down}) {
        decoder.ops.linear(*w, x.leftCols(w->cols), out.leftCols(w->rows));
      }
    }
    decoder.ops.linear(model.output, x.topLeftCorner(1, model.config.d_model), decoder.logits);
  };
  prefill(decoder, tokens);
  std::vector<double> whole, gemm;
  for (auto _ : state) {
    whole.push_back(seconds_of([&] {
      decoder.cache.slots.reset();
      prefill(decoder, tokens);
    }));
    gemm.push_back(seconds_of(products));
  }
  state.counters["prefill_over_gemm"] = median(whole) / median(gemm);
  state.counters["prefill_ms"] = median(whole) * 1e3;
}
BENCHMARK(PrefillAgainstGemm)->Unit(benchmark::kMillisecond)->UseRealTime()->Iterations(7);

/// The last T tokens of a text of 1,024 in one pass, on the roofline of this machine: a decode step (1), a draft to
/// verify (8), a chunk (64), a prompt (512). Operations: the matrix products and the pairs of attention that the mask
/// lets see each other. Bytes: the weights, once, and the cache: read up to the last token, and T tokens written.
void Roofline(benchmark::State& state) {
  const Model& model = smollm2_shape();
  const Config& c = model.config;
  const double T = double(state.range(0)), S = 1024;
  const std::vector<int> tokens(std::size_t(T), 1);
  CachedDecoder decoder(model, int(S));
  prefill(decoder, std::vector<int>(std::size_t(S - T), 1), 256);
  const auto pass = [&] {
    prefill(decoder, tokens);
    decoder.cache.slots.truncate(0, int(S - T));
  };
  pass();
  const MachineLimits limits = measure_machine();
  std::vector<double> seconds;
  for (auto _ : state) seconds.push_back(seconds_of(pass));
  const double layer_numbers = double(c.d_model) * double(2 * c.q_dim() + 2 * c.kv_dim() + 3 * c.d_ff);
  const double operations = 2 * T * c.n_layers * layer_numbers + 2 * double(c.vocab_size) * double(c.d_model) +
                            4.0 * c.n_layers * double(c.q_dim()) * (T * S - T * (T - 1) / 2);
  const double bytes = double(model.bytes_per_forward()) + (S + T) * double(kv_bytes_per_token(kv_shape(c), 32));
  state.counters["flop_per_byte"] = operations / bytes;
  state.counters["gflops"] = operations / median(seconds) / 1e9;
  state.counters["bandwidth_gb_s"] = limits.read_bandwidth / 1e9;
  state.counters["peak_gflops"] = limits.peak_flops / 1e9;
}
BENCHMARK(Roofline)->Arg(1)->Arg(8)->Arg(64)->Arg(512)->Unit(benchmark::kMillisecond)->UseRealTime();

/// Bytes of keys and values that a cache for n tokens allocates, beside the weights that a token reads.
void KvMemory(benchmark::State& state) {
  const Model& model = smollm2_shape();
  std::int64_t bytes = 0;
  for (auto _ : state) bytes = KvCache(model.config, int(state.range(0))).bytes();
  state.counters["kv_bytes"] = double(bytes);
  state.counters["weight_bytes"] = double(model.bytes_per_forward());
}
BENCHMARK(KvMemory)->RangeMultiplier(4)->Range(64, 16384)->Iterations(1);

/// What a smaller cache costs: perplexity of the course's model with a latent of so many numbers in place of the keys
/// and values of a layer. 16 windows of the validation text; the directions come from the window before them.
void LowRankKv(benchmark::State& state) {
  const GgufFile file = GgufFile::open(find_model(kDefaultModel));
  const Model model = load_model(file);
  const std::vector<int> text = Tokenizer::from_gguf(file).encode(read_course_text("austen-validation"));
  const int rank = int(state.range(0)), window = 512;
  double result = 0;
  for (auto _ : state) {
    const Model low_rank = with_low_rank_kv(model, std::span(text).first(window), rank);
    result = perplexity(low_rank, std::span(text).subspan(window, 16 * window), window);
  }
  state.counters["kv_bytes"] = double(kv_bytes_per_token({.n_layers = model.config.n_layers, .latent_dim = rank}, 32));
  state.counters["perplexity"] = result;
}
BENCHMARK(LowRankKv)->DenseRange(16, 128, 16)->Iterations(1)->Unit(benchmark::kMillisecond);

/// No measurement but the experiment of 2.8, for its picture: how far the cached row of each token moves in one layer
/// of the course's model when the token in the middle is replaced.
void cache_validity(benchmark::State& state, Batch (*batch_of)(int n_tokens)) {
  const GgufFile file = GgufFile::open(find_model(kDefaultModel));
  const Model model = load_model(file);
  const std::vector<int> tokens = Tokenizer::from_gguf(file).encode_prompt("It is a truth universally acknowledged");
  const int T = int(tokens.size()), j = T / 2;
  Matrix changed;
  for (auto _ : state) changed = changed_cache_rows(model, tokens, batch_of(T), j, tokens[j] + 1);
  for (int t = 0; t < T; ++t) {
    state.counters[(t < 10 ? "token_0" : "token_") + std::to_string(t)] = double(changed(state.range(0), t));
  }
}
void CacheValidityCausal(benchmark::State& state) {
  cache_validity(state, [](int T) { return Batch::causal(0, 0, T); });
}
void CacheValidityBehindPrefix(benchmark::State& state) {
  cache_validity(state, [](int T) { return Batch::prefix_causal(0, 0, T, T / 2 - 1); });
}
void CacheValidityInPrefix(benchmark::State& state) {
  cache_validity(state, [](int T) { return Batch::prefix_causal(0, 0, T, T / 2 + 3); });
}
void CacheValidityBidirectional(benchmark::State& state) {
  cache_validity(state, [](int T) { return Batch::bidirectional_block(0, 0, T); });
}
BENCHMARK(CacheValidityCausal)->DenseRange(0, 3)->Iterations(1)->Unit(benchmark::kMillisecond);
BENCHMARK(CacheValidityBehindPrefix)->DenseRange(0, 3)->Iterations(1)->Unit(benchmark::kMillisecond);
BENCHMARK(CacheValidityInPrefix)->DenseRange(0, 3)->Iterations(1)->Unit(benchmark::kMillisecond);
BENCHMARK(CacheValidityBidirectional)->DenseRange(0, 3)->Iterations(1)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace waitless

BENCHMARK_MAIN();
