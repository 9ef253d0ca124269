#include "forward_cuda.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "operators_cuda.h"

namespace waitless {
namespace {

DeviceMatrix rows_of(DeviceBuffer<float>& buffer, int rows, int cols) { return {buffer.data(), rows, cols}; }

void attention_mixer(const DeviceModel& model, int layer, ConstDeviceMatrix x, const BatchView& batch,
                     const DeviceOps& ops, DeviceWorkspace& workspace, DeviceMatrix out, cudaStream_t stream) {
  const Config& config = model.config;
  const DeviceLayerWeights& weights = model.layers[layer];
  const DeviceMatrix q = rows_of(workspace.q, x.rows, config.q_dim());
  const DeviceMatrix k = rows_of(workspace.k, x.rows, config.kv_dim());
  const DeviceMatrix v = rows_of(workspace.v, x.rows, config.kv_dim());
  const DeviceMatrix attended = rows_of(workspace.attended, x.rows, config.q_dim());
  ops.linear(weights.query, x, q, stream);
  ops.linear(weights.key, x, k, stream);
  ops.linear(weights.value, x, v, stream);
  rope_cuda(q, batch.position, config.head_dim, config.rope, stream);
  rope_cuda(k, batch.position, config.head_dim, config.rope, stream);
  ops.attention(layer, q, k, v, batch, attended, stream);
  ops.linear(weights.attention_output, attended, out, stream);
}

void feed_forward(const DeviceModel& model, int layer, ConstDeviceMatrix x, const DeviceOps& ops,
                  DeviceWorkspace& workspace, DeviceMatrix out, cudaStream_t stream) {
  const DeviceLayerWeights& weights = model.layers[layer];
  const DeviceMatrix gate = rows_of(workspace.gate, x.rows, model.config.d_ff);
  const DeviceMatrix up = rows_of(workspace.up, x.rows, model.config.d_ff);
  ops.linear(weights.gate, x, gate, stream);
  ops.linear(weights.up, x, up, stream);
  swiglu_cuda(gate, up, gate, stream);
  ops.linear(weights.down, gate, out, stream);
}

}  // namespace

DeviceOps naive_device_ops(const Config& config) {
  DeviceOps ops;
  ops.linear = [](const DeviceWeight& w, ConstDeviceMatrix x, DeviceMatrix out, cudaStream_t stream) {
    linear_cuda(w.view(), x, out, stream);
  };
  ops.attention = [config](int, ConstDeviceMatrix q, ConstDeviceMatrix k, ConstDeviceMatrix v, const BatchView& batch,
                           DeviceMatrix out,
                           cudaStream_t stream) { attention_cuda(config, q, k, v, batch, out, stream); };
  return ops;
}

void DeviceWorkspace::reserve(const Config& config, int n_rows) {
  if (n_rows <= capacity) return;
  capacity = std::max(n_rows, 2 * capacity);
  const auto grow = [&](DeviceBuffer<float>& buffer, int cols) {
    buffer = DeviceBuffer<float>(std::size_t(capacity) * cols);
  };
  for (DeviceBuffer<float>* buffer : {&x, &normed, &block}) grow(*buffer, config.d_model);
  for (DeviceBuffer<float>* buffer : {&q, &attended}) grow(*buffer, config.q_dim());
  for (DeviceBuffer<float>* buffer : {&k, &v}) grow(*buffer, config.kv_dim());
  for (DeviceBuffer<float>* buffer : {&gate, &up}) grow(*buffer, config.d_ff);
}

void decode_layers_cuda(const DeviceModel& model, DeviceMatrix x, const BatchView& batch, const DeviceOps& ops,
                        DeviceWorkspace& workspace, int first, int last, cudaStream_t stream) {
  const Config& config = model.config;
  check_device_shape("decode_layers: x", x, batch.n_rows, config.d_model);
  if (first < 0 || last < first || last > config.n_layers) throw std::invalid_argument("decode_layers: no such layers");
  workspace.reserve(config, x.rows);
  const DeviceMatrix normed = rows_of(workspace.normed, x.rows, config.d_model);
  const DeviceMatrix block = rows_of(workspace.block, x.rows, config.d_model);
  for (int l = first; l < last; ++l) {
    const DeviceLayerWeights& layer = model.layers[l];
    rms_norm_cuda(x, layer.attention_norm.view(), config.norm_eps, nullptr, normed, stream);
    if (ops.mixer) {
      ops.mixer(l, normed, batch, block, stream);
    } else {
      attention_mixer(model, l, normed, batch, ops, workspace, block, stream);
    }
    add_cuda(x, block, stream);
    rms_norm_cuda(x, layer.feed_forward_norm.view(), config.norm_eps, nullptr, normed, stream);
    feed_forward(model, l, normed, ops, workspace, block, stream);
    add_cuda(x, block, stream);
  }
}

void forward_cuda(const DeviceModel& model, std::span<const int> tokens, const Batch& batch, const DeviceOps& ops,
                  DeviceWorkspace& workspace, DeviceMatrix logits, cudaStream_t stream) {
  const Config& config = model.config;
  if (int(tokens.size()) != batch.n_rows()) {
    throw std::invalid_argument("forward: needs one token for each row of the batch");
  }
  for (int token : tokens) {
    if (token < 0 || token >= config.vocab_size) {
      throw std::out_of_range("token " + std::to_string(token) + " is outside the vocabulary of " +
                              std::to_string(config.vocab_size));
    }
  }
  const DeviceBuffer<int> device_tokens(tokens);
  const DeviceBatch device_batch(batch);
  const BatchView view = device_batch.view();
  workspace.reserve(config, view.n_rows);
  const DeviceMatrix x = rows_of(workspace.x, view.n_rows, config.d_model);
  const DeviceMatrix normed = rows_of(workspace.normed, view.n_logit_rows, config.d_model);
  embed_cuda(model.token_embedding.view(), device_tokens.data(), x, stream);
  decode_layers_cuda(model, x, view, ops, workspace, 0, config.n_layers, stream);
  rms_norm_cuda(x, model.output_norm.view(), config.norm_eps, view.logit_rows, normed, stream);
  ops.linear(model.output(), normed, logits, stream);
}

}  // namespace waitless
