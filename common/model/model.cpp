#include "common/model/model.h"

#include <numeric>

#include "common/base/error.h"
#include "common/base/quote.h"
#include "common/model/gguf.h"
#include "common/model/layer_weights.h"
#include "common/model/tensor_reader.h"

namespace waitless {

Index Model::n_parameters() const {
  Index total = 0;
  for_each_weight(*this, [&](const std::string&, const Weight& w) { total += w.rows * w.cols; });
  return total;
}

Index Model::bytes_per_forward() const {
  Index total = output_norm.bytes() + output.bytes();
  for (const Layer& layer : layers) {
    for_each_weight(layer, [&](const std::string&, const Weight& w) { total += w.bytes(); });
  }
  return total;
}

void require_causal(const Config& config, const char* who) {
  if (config.causal) return;
  throw InputError(std::string(who) + " needs a causal model, but " + in_quotes(config.name) +
                   " lets tokens see later ones (" + config.architecture + ".attention.causal is false)");
}

std::vector<int> all_layers(const Config& config) {
  std::vector<int> layers(config.n_layers);
  std::iota(layers.begin(), layers.end(), 0);
  return layers;
}

Model load_model(const GgufFile& file, const LoadOptions& options) {
  const auto& architecture = file.get<std::string>("general.architecture");
  const auto reader = options.architectures.find(architecture);
  if (reader == options.architectures.end()) {
    std::string known;
    for (const auto& [name, read] : options.architectures) known += (known.empty() ? "" : ", ") + name;
    file.fail("is of architecture " + in_quotes(architecture) + ", which is not supported; supported: " + known);
  }
  TensorReader tensors(file, options.convert);
  Model model = reader->second(tensors);
  tensors.refuse_the_rest();
  return model;
}

Model load_model(const std::filesystem::path& path, const LoadOptions& options) {
  return load_model(GgufFile::open(path, options.more_formats), options);
}

}  // namespace waitless
