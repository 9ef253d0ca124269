#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "common/model/config.h"
#include "common/model/weight.h"

namespace waitless {

class GgufFile;
class TensorReader;

/// The weights of one decoder layer. Matrices are [outputs, inputs]; norms are [1, d_model]. W is Weight, or its twin
/// on the device.
template <class W>
struct BasicLayer {
  std::string kind = "attention";  // layers of other kinds leave some of the nine empty, and hold others in `extra`
  W attention_norm;
  W query;             // [n_heads * head_dim, d_model]
  W key;               // [n_kv_heads * head_dim, d_model]
  W value;             // [n_kv_heads * head_dim, d_model]
  W attention_output;  // [d_model, n_heads * head_dim]
  W feed_forward_norm;
  W gate;  // [d_ff, d_model]
  W up;    // [d_ff, d_model]
  W down;  // [d_model, d_ff]

  /// By the rest of the tensor's name: "attn_q.bias" for blk.0.attn_q.bias.
  std::map<std::string, W, std::less<>> extra;
};

using Layer = BasicLayer<Weight>;

/// The numbers of the layers of a kind, in order.
template <class W>
std::vector<int> layers_of_kind(const std::vector<BasicLayer<W>>& layers, std::string_view kind) {
  std::vector<int> of_kind;
  for (std::size_t l = 0; l < layers.size(); ++l) {
    if (layers[l].kind == kind) of_kind.push_back(int(l));
  }
  return of_kind;
}

/// 0, 1, ..., n_layers - 1.
std::vector<int> all_layers(const Config& config);

struct Model {
  Config config;
  Weight token_embedding;  // [vocab_size, d_model]
  std::vector<Layer> layers;
  Weight output_norm;  // [1, d_model]
  Weight output;       // [vocab_size, d_model]; the token embedding itself when the two are tied

  /// Others outside the layers, by the name of the tensor.
  std::map<std::string, Weight, std::less<>> extra;

  bool has_tied_output() const { return output.data == token_embedding.data; }

  /// How many values all weights hold, those of a tied embedding once.
  Index n_parameters() const;

  /// Bytes of all weights that one forward pass reads: every matrix once, and the embedding only as the output
  /// projection (a row of it per token otherwise, which is not counted). Extra weights outside the layers do not belong
  /// to the pass.
  Index bytes_per_forward() const;
};

/// @throws InputError "<who> needs a causal model, ..." if this one is not
void require_causal(const Config& config, const char* who);

/// What to make of a matrix of the file. The result may keep the file's memory.
using ConvertWeight = std::function<Weight(const Weight& from_file)>;

/// The simplest: no copy, the weights stay in the mapped file. (The default, expand(), makes F32 of every format.)
inline Weight keep_as_in_file(const Weight& from_file) { return from_file; }

/// Makes a model of the tensors of a file; see tensor_reader.h.
using ArchitectureReader = std::function<Model(TensorReader& tensors)>;

/// Reads a `llama` model.
Model read_llama(TensorReader& tensors);

struct LoadOptions {
  /// Called once for each matrix, by several threads at a time. Later chapters pack (03), quantize (10) and slice (11)
  /// weights here. Norms and other weights that are not is_matrix() become F32 in any case.
  ConvertWeight convert = expand;

  /// Who reads files of which `general.architecture`. A chapter adds its own.
  std::map<std::string, ArchitectureReader> architectures = {{"llama", read_llama}};

  /// Formats of weights that files may use beside the usual ones.
  MoreFormats more_formats = {};
};

/// Reads a model.
/// @throws InputError if the file is broken, is of an unknown architecture, or uses what the course does not
///         support; the sentence names the file and the reason
Model load_model(const std::filesystem::path& path, const LoadOptions& options = {});
Model load_model(const GgufFile& file, const LoadOptions& options = {});

}  // namespace waitless
