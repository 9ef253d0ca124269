#pragma once

#include <cstdint>
#include <string>

#include "common/model/config.h"
#include "common/model/gguf.h"

namespace waitless {

/// The metadata of one architecture. Keys are given without its name: "block_count" for "llama.block_count".
class Hyperparameters {
 public:
  /// `file` must live as long as this.
  Hyperparameters(const GgufFile& file, std::string architecture) : file_(file), name_(std::move(architecture)) {}

  const GgufFile& file() const { return file_; }
  const std::string& architecture() const { return name_; }
  std::string key(const char* key) const { return name_ + "." + key; }
  bool has(const char* key) const { return file_.has(this->key(key)); }

  /// @throws InputError naming the key if it is missing, of another kind, or not from 1 to the largest int
  int count(const char* key) const;
  int count_or(const char* key, int otherwise) const { return has(key) ? count(key) : otherwise; }

  /// @throws InputError naming the key if it is missing, of another kind, or not finite and above 0
  float positive(const char* key) const;
  float positive_or(const char* key, float otherwise) const { return has(key) ? positive(key) : otherwise; }

  /// T is a kind of metadata: std::int64_t, double, bool, std::string or a vector of one of them.
  template <class T>
  T get_or(const char* key, T otherwise) const {
    return file_.get_or<T>(this->key(key), std::move(otherwise));
  }

 private:
  const GgufFile& file_;
  std::string name_;
};

/// Reads the shape of a decoder with the layers of Llama: the functions below, and the width of the feed-forward block.
/// @throws InputError if an entry is missing or impossible, or the model needs something that the course does not
///         support (experts, other rope scalings, partial rotation, ...)
Config read_config(const Hyperparameters& hyperparameters);

/// What every decoder has: names, d_model, n_layers, context_length, norm_eps, causal, and vocab_size as the embedding
/// of the file has it.
Config read_trunk(const Hyperparameters& hyperparameters);

/// Heads and RoPE. config.d_model must be known.
void read_attention(const Hyperparameters& hyperparameters, Config& config);

}  // namespace waitless
