#include "common/model/read_config.h"
#include "common/model/tensor_reader.h"
#include "common/tensor/parallel.h"

namespace waitless {

Model read_llama(TensorReader& tensors) {
  Model model;
  model.config = read_config(Hyperparameters(tensors.file(), "llama"));
  tensors.take_embedding_and_output(model);
  model.layers.resize(std::size_t(model.config.n_layers));
  parallel_for(model.config.n_layers, [&](Index l) { model.layers[l] = tensors.take_layer(model.config, int(l)); });
  return model;
}

}  // namespace waitless
