#include "common/model/llama_config.h"

#include <cmath>
#include <limits>

#include "common/model/gguf.h"
#include "common/quote.h"

namespace waitless {
namespace {

/// @throws InputError unless 1 <= value <= the largest int
int checked_int(const GgufFile& file, const std::string& key, std::int64_t value) {
  if (value < 1 || value > std::numeric_limits<int>::max()) {
    file.fail("metadata " + in_quotes(key) + " is " + std::to_string(value) + ", which is not possible");
  }
  return int(value);
}

int read_int(const GgufFile& file, const std::string& key) {
  return checked_int(file, key, file.get<std::int64_t>(key));
}

int read_int_or(const GgufFile& file, const std::string& key, int otherwise) {
  return file.has(key) ? read_int(file, key) : otherwise;
}

/// @throws InputError unless value is finite and above 0
float checked_positive(const GgufFile& file, const std::string& key, double value) {
  if (!(float(value) > 0) || !std::isfinite(float(value))) {
    file.fail("metadata " + in_quotes(key) + " is " + std::to_string(value) + "; it must be finite and above 0");
  }
  return float(value);
}

RopeParameters read_rope(const GgufFile& file, int head_dim) {
  RopeParameters rope;
  const std::string base = "llama.rope.freq_base";
  rope.base = checked_positive(file, base, file.get_or<double>(base, rope.base));

  const int rotated = read_int_or(file, "llama.rope.dimension_count", head_dim);
  if (rotated != head_dim) {
    file.fail("rotates " + std::to_string(rotated) + " of the " + std::to_string(head_dim) +
              " numbers of a head (llama.rope.dimension_count); only rotating all of them is supported");
  }
  if (head_dim % 2 != 0) file.fail("has heads of " + std::to_string(head_dim) + " numbers, which RoPE cannot pair");

  // Files from before llama.rope.scaling.* name the factor alone.
  const auto type = file.get_or<std::string>("llama.rope.scaling.type", "linear");
  if (type != "none" && type != "linear") {
    file.fail("uses the rope scaling " + in_quotes(type) + ", which is not supported; none and linear are");
  }
  for (const std::string key : {"llama.rope.scale_linear", "llama.rope.scaling.factor"}) {
    if (type == "linear" && file.has(key)) rope.position_scale = checked_positive(file, key, file.get<double>(key));
  }
  return rope;
}

/// Entries that change the computation of a llama model in ways that the course does not follow.
void refuse_variants(const GgufFile& file) {
  if (file.get_or<std::int64_t>("llama.expert_count", 0) != 0) {
    file.fail("is a mixture of experts (llama.expert_count), which is not supported");
  }
  if (file.get_or<std::int64_t>("llama.attention.sliding_window", 0) != 0) {
    file.fail("uses sliding-window attention (llama.attention.sliding_window), which is not supported");
  }
  if (!file.get_or<bool>("llama.attention.causal", true)) {
    file.fail("is not causal (llama.attention.causal), which is not supported");
  }
  if (file.get_or<bool>("llama.use_parallel_residual", false)) {
    file.fail("uses a parallel residual (llama.use_parallel_residual), which is not supported");
  }
}

}  // namespace

Config read_llama_config(const GgufFile& file) {
  const auto& architecture = file.get<std::string>("general.architecture");
  if (architecture != "llama") file.fail("is of architecture " + in_quotes(architecture) + "; only llama is supported");
  refuse_variants(file);

  Config config;
  config.name = file.get_or<std::string>("general.name", "unnamed");
  config.context_length = read_int(file, "llama.context_length");
  config.n_layers = read_int(file, "llama.block_count");
  if (std::size_t(config.n_layers) > file.tensors().size()) {
    file.fail("claims " + std::to_string(config.n_layers) + " layers, but holds only " +
              std::to_string(file.tensors().size()) + " tensors");
  }
  config.d_model = read_int(file, "llama.embedding_length");
  config.d_ff = read_int(file, "llama.feed_forward_length");
  config.n_heads = read_int(file, "llama.attention.head_count");
  config.n_kv_heads = read_int_or(file, "llama.attention.head_count_kv", config.n_heads);
  const std::string eps = "llama.attention.layer_norm_rms_epsilon";
  config.norm_eps = checked_positive(file, eps, file.get<double>(eps));

  if (config.n_heads % config.n_kv_heads != 0) {
    file.fail("shares " + std::to_string(config.n_kv_heads) + " key/value heads among " +
              std::to_string(config.n_heads) + " query heads, which does not come out even");
  }
  const std::string key_length = "llama.attention.key_length";
  if (!file.has(key_length) && config.d_model % config.n_heads != 0) {
    file.fail("has a width of " + std::to_string(config.d_model) + ", which " + std::to_string(config.n_heads) +
              " heads cannot share evenly");
  }
  config.head_dim = read_int_or(file, key_length, config.d_model / config.n_heads);
  if (read_int_or(file, "llama.attention.value_length", config.head_dim) != config.head_dim) {
    file.fail("has values and keys of different lengths (llama.attention.value_length), which is not supported");
  }
  checked_int(file, key_length, std::int64_t(config.head_dim) * config.n_heads);
  config.rope = read_rope(file, config.head_dim);

  // The vocabulary is what the embedding holds; the metadata may repeat its size, but not contradict it.
  const auto embedding = file.tensors().find("token_embd.weight");
  if (embedding == file.tensors().end()) file.fail("lacks the tensor \"token_embd.weight\"");
  const auto& shape = embedding->second.shape;
  config.vocab_size = checked_int(file, "token_embd.weight", shape.size() < 2 ? 1 : shape[1]);
  const auto agree = [&](const std::string& key, std::size_t size) {
    if (size == std::size_t(config.vocab_size)) return;
    file.fail("has an embedding of " + std::to_string(config.vocab_size) + " tokens, but " + key + " says " +
              std::to_string(size));
  };
  agree("llama.vocab_size", std::size_t(read_int_or(file, "llama.vocab_size", config.vocab_size)));
  const std::string tokens = "tokenizer.ggml.tokens";
  if (file.has(tokens)) agree(tokens, file.get<std::vector<std::string>>(tokens).size());
  return config;
}

}  // namespace waitless
