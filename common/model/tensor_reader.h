#pragma once

#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "common/model/gguf.h"
#include "common/model/model.h"

namespace waitless {

/// Hands out the tensors of a file to the reader of its architecture: checks their values, converts matrices, and
/// remembers which were taken. Threads may take at once.
class TensorReader {
 public:
  /// Both must live as long as the reader.
  TensorReader(const GgufFile& file, const ConvertWeight& convert) : file_(file), convert_(convert) {}

  const GgufFile& file() const { return file_; }
  bool has(std::string_view tensor) const { return file_.tensors().contains(tensor); }

  /// Takes the tensor of that name. What is not is_matrix(role) becomes F32.
  /// @throws InputError if it is missing, has another shape, or holds a value that is not finite
  Weight take(const std::string& name, WeightRole role, int layer, Index rows, Index cols);

  /// Takes the weights of a layer that have a place of their own there, but those of the roles in `lacking`, which stay
  /// empty: for a recurrent layer those of attention.
  Layer take_layer(const Config& config, int layer, const std::vector<WeightRole>& lacking = {});

  /// Takes what lies outside the layers: embedding, final norm and output projection. Without an output of its own the
  /// model uses the embedding, which is then converted once, as kOutput, and shared.
  void take_embedding_and_output(Model& model);

  /// A tensor that nobody asked for would change what the model computes.
  /// @throws InputError naming the first tensor that was not taken
  void refuse_the_rest() const;

 private:
  const GgufFile& file_;
  const ConvertWeight& convert_;
  std::mutex mutex_;
  std::set<std::string, std::less<>> taken_;
};

/// The beginning of the names of a layer's tensors.
inline std::string layer_prefix(int layer) { return "blk." + std::to_string(layer) + "."; }

}  // namespace waitless
