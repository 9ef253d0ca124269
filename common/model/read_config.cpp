#include "common/model/read_config.h"

#include <cmath>
#include <limits>

#include "common/base/quote.h"

namespace waitless {
namespace {

/// @throws InputError unless 1 <= value <= the largest int
int checked_int(const GgufFile& file, const std::string& key, std::int64_t value) {
  if (value < 1 || value > std::numeric_limits<int>::max()) {
    file.fail("metadata " + in_quotes(key) + " is " + std::to_string(value) + ", which is not possible");
  }
  return int(value);
}

RopeParameters read_rope(const Hyperparameters& h, int head_dim) {
  RopeParameters rope;
  rope.base = h.positive_or("rope.freq_base", rope.base);

  const int rotated = h.count_or("rope.dimension_count", head_dim);
  if (rotated != head_dim) {
    h.file().fail("rotates " + std::to_string(rotated) + " of the " + std::to_string(head_dim) +
                  " numbers of a head (" + h.key("rope.dimension_count") + "); only rotating all of them is supported");
  }
  if (head_dim % 2 != 0) {
    h.file().fail("has heads of " + std::to_string(head_dim) + " numbers, which RoPE cannot pair");
  }

  // Files from before rope.scaling.* name the factor alone.
  const auto type = h.get_or<std::string>("rope.scaling.type", "linear");
  if (type != "none" && type != "linear") {
    h.file().fail("uses the rope scaling " + in_quotes(type) + ", which is not supported; none and linear are");
  }
  for (const char* key : {"rope.scale_linear", "rope.scaling.factor"}) {
    if (type == "linear") rope.position_scale = h.positive_or(key, rope.position_scale);
  }
  return rope;
}

/// Entries that change the computation in ways that the course does not follow.
void refuse_variants(const Hyperparameters& h) {
  const auto refuse = [&](const char* what, const char* key) {
    h.file().fail(std::string(what) + " (" + h.key(key) + "), which is not supported");
  };
  if (h.get_or<std::int64_t>("expert_count", 0) != 0) refuse("is a mixture of experts", "expert_count");
  if (h.get_or<std::int64_t>("attention.sliding_window", 0) != 0) {
    refuse("uses sliding-window attention", "attention.sliding_window");
  }
  if (h.get_or<bool>("use_parallel_residual", false)) refuse("uses a parallel residual", "use_parallel_residual");
}

/// The vocabulary is what the embedding holds; the metadata may repeat its size, but not contradict it.
int read_vocab_size(const Hyperparameters& h) {
  const GgufFile& file = h.file();
  const auto embedding = file.tensors().find("token_embd.weight");
  if (embedding == file.tensors().end()) file.fail("lacks the tensor \"token_embd.weight\"");
  const auto& shape = embedding->second.shape;
  const int vocab_size = checked_int(file, "token_embd.weight", shape.size() < 2 ? 1 : shape[1]);
  const auto agree = [&](const std::string& key, std::size_t size) {
    if (size == std::size_t(vocab_size)) return;
    file.fail("has an embedding of " + std::to_string(vocab_size) + " tokens, but " + key + " says " +
              std::to_string(size));
  };
  agree(h.key("vocab_size"), std::size_t(h.count_or("vocab_size", vocab_size)));
  const std::string tokens = "tokenizer.ggml.tokens";
  if (file.has(tokens)) agree(tokens, file.get<std::vector<std::string>>(tokens).size());
  return vocab_size;
}

}  // namespace

int Hyperparameters::count(const char* key) const {
  return checked_int(file_, this->key(key), file_.get<std::int64_t>(this->key(key)));
}

float Hyperparameters::positive(const char* key) const {
  const double value = file_.get<double>(this->key(key));
  if (!(float(value) > 0) || !std::isfinite(float(value))) {
    file_.fail("metadata " + in_quotes(this->key(key)) + " is " + std::to_string(value) +
               "; it must be finite and above 0");
  }
  return float(value);
}

Config read_trunk(const Hyperparameters& h) {
  Config config;
  config.architecture = h.architecture();
  config.name = h.file().get_or<std::string>("general.name", "unnamed");
  config.context_length = h.count("context_length");
  config.n_layers = h.count("block_count");
  if (std::size_t(config.n_layers) > h.file().tensors().size()) {
    h.file().fail("claims " + std::to_string(config.n_layers) + " layers, but holds only " +
                  std::to_string(h.file().tensors().size()) + " tensors");
  }
  config.d_model = h.count("embedding_length");
  config.norm_eps = h.positive("attention.layer_norm_rms_epsilon");
  config.causal = h.get_or<bool>("attention.causal", true);
  config.vocab_size = read_vocab_size(h);
  return config;
}

void read_attention(const Hyperparameters& h, Config& config) {
  config.n_heads = h.count("attention.head_count");
  config.n_kv_heads = h.count_or("attention.head_count_kv", config.n_heads);
  if (config.n_heads % config.n_kv_heads != 0) {
    h.file().fail("shares " + std::to_string(config.n_kv_heads) + " key/value heads among " +
                  std::to_string(config.n_heads) + " query heads, which does not come out even");
  }
  if (!h.has("attention.key_length") && config.d_model % config.n_heads != 0) {
    h.file().fail("has a width of " + std::to_string(config.d_model) + ", which " + std::to_string(config.n_heads) +
                  " heads cannot share evenly");
  }
  config.head_dim = h.count_or("attention.key_length", config.d_model / config.n_heads);
  if (h.count_or("attention.value_length", config.head_dim) != config.head_dim) {
    h.file().fail("has values and keys of different lengths (" + h.key("attention.value_length") +
                  "), which is not supported");
  }
  checked_int(h.file(), h.key("attention.key_length"), std::int64_t(config.head_dim) * config.n_heads);
  config.rope = read_rope(h, config.head_dim);
}

Config read_config(const Hyperparameters& h) {
  refuse_variants(h);
  Config config = read_trunk(h);
  config.d_ff = h.count("feed_forward_length");
  read_attention(h, config);
  return config;
}

}  // namespace waitless
