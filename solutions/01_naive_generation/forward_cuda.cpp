#include "forward_cuda.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "common/base/quote.h"
#include "kernels_cuda.h"

namespace waitless {
namespace {

DeviceMatrix rows_of(DeviceBuffer<float>& buffer, int rows, int cols) { return {buffer.data(), rows, cols}; }

/// As embed() of forward.h checks them: nothing wrong may reach a kernel.
void check_inputs(const Config& config, const Batch& batch) {
  batch.check();
  if (int(batch.token.size()) != batch.n_rows()) {
    throw std::invalid_argument("embed: the batch needs one token for each row");
  }
  const auto n_vectors = std::count(batch.token.begin(), batch.token.end(), Batch::kVector);
  if (batch.vectors.size() != std::size_t(n_vectors) * config.d_model) {
    throw std::invalid_argument("embed: the batch needs a vector for each kVector");
  }
  for (const int token : batch.token) {
    if (token != Batch::kVector && (token < 0 || token >= config.vocab_size)) {
      throw std::out_of_range("token " + std::to_string(token) + " is outside the vocabulary of " +
                              std::to_string(config.vocab_size));
    }
  }
}

void feed_forward_cuda(const DeviceModel& model, int layer, ConstDeviceMatrix x, const DeviceOps& ops,
                       DeviceWorkspace& workspace, DeviceMatrix out, cudaStream_t stream) {
  const DeviceLayer& weights = model.layers[layer];
  const DeviceMatrix gate = rows_of(workspace.gate, x.rows, model.config.d_ff);
  const DeviceMatrix up = rows_of(workspace.up, x.rows, model.config.d_ff);
  ops.linear(weights.gate, x, gate, stream);
  ops.linear(weights.up, x, up, stream);
  swiglu_cuda(gate, up, gate, stream);
  ops.linear(weights.down, gate, out, stream);
}

}  // namespace

void DeviceWorkspace::reserve(const Config& config, int n_rows) {
  const auto grow = [n_rows](DeviceBuffer<float>& buffer, int cols) {
    const std::size_t needed = std::size_t(n_rows) * cols;
    if (needed > buffer.size()) buffer = DeviceBuffer<float>(std::max(needed, 2 * buffer.size()));
  };
  for (DeviceBuffer<float>* buffer : {&x, &normed, &residual_update}) grow(*buffer, config.d_model);
  for (DeviceBuffer<float>* buffer : {&q, &attended}) grow(*buffer, config.q_dim());
  for (DeviceBuffer<float>* buffer : {&k, &v}) grow(*buffer, config.kv_dim());
  for (DeviceBuffer<float>* buffer : {&gate, &up}) grow(*buffer, config.d_ff);
}

const DeviceMixer& DeviceOps::mixer(const std::string& kind) const {
  const auto found = mixers.find(kind);
  if (found == mixers.end()) throw std::invalid_argument("there is no mixer for layers of kind " + in_quotes(kind));
  return found->second;
}

DeviceOps naive_ops_cuda() {
  DeviceOps ops;
  ops.linear = [](const DeviceWeight& w, ConstDeviceMatrix x, DeviceMatrix out, cudaStream_t stream) {
    linear_cuda(w.f32(), x, out, stream);
  };
  ops.attention = [](const Config& config, int, ConstDeviceMatrix q, ConstDeviceMatrix k, ConstDeviceMatrix v,
                     const BatchView& batch, DeviceMatrix out,
                     cudaStream_t stream) { attention_cuda(config, q, k, v, batch, out, stream); };
  ops.mixers["attention"] = attention_mixer_cuda;
  return ops;
}

void attention_mixer_cuda(const DeviceModel& model, int layer, ConstDeviceMatrix x, const BatchView& batch,
                          const DeviceOps& ops, DeviceWorkspace& workspace, DeviceMatrix out, cudaStream_t stream) {
  const Config& config = model.config;
  const DeviceLayer& weights = model.layers[layer];
  const DeviceMatrix q = rows_of(workspace.q, x.rows, config.q_dim());
  const DeviceMatrix k = rows_of(workspace.k, x.rows, config.kv_dim());
  const DeviceMatrix v = rows_of(workspace.v, x.rows, config.kv_dim());
  const DeviceMatrix attended = rows_of(workspace.attended, x.rows, config.q_dim());
  ops.linear(weights.query, x, q, stream);
  ops.linear(weights.key, x, k, stream);
  ops.linear(weights.value, x, v, stream);
  rope_cuda(q, batch.position, config.head_dim, config.rope, stream);
  rope_cuda(k, batch.position, config.head_dim, config.rope, stream);
  ops.attention(config, layer, q, k, v, batch, attended, stream);
  ops.linear(weights.attention_output, attended, out, stream);
}

void decode_layers_cuda(const DeviceModel& model, DeviceMatrix x, const BatchView& batch, const DeviceOps& ops,
                        DeviceWorkspace& workspace, int first, int last, cudaStream_t stream) {
  const Config& config = model.config;
  check_device_shape("decode_layers: x", x, batch.n_rows, config.d_model);
  if (first < 0 || last < first || last > config.n_layers) throw std::invalid_argument("decode_layers: no such layers");
  workspace.reserve(config, x.rows);
  const DeviceMatrix normed = rows_of(workspace.normed, x.rows, config.d_model);
  const DeviceMatrix update = rows_of(workspace.residual_update, x.rows, config.d_model);
  for (int l = first; l < last; ++l) {
    const DeviceLayer& layer = model.layers[l];
    rms_norm_cuda(x, layer.attention_norm.f32(), config.norm_eps, nullptr, normed, stream);
    ops.mixer(layer.kind)(model, l, normed, batch, ops, workspace, update, stream);
    add_cuda(x, update, stream);
    if (layer.feed_forward_norm.rows == 0) continue;
    rms_norm_cuda(x, layer.feed_forward_norm.f32(), config.norm_eps, nullptr, normed, stream);
    feed_forward_cuda(model, l, normed, ops, workspace, update, stream);
    add_cuda(x, update, stream);
  }
}

void forward_cuda(const DeviceModel& model, const Batch& batch, const DeviceOps& ops, DeviceWorkspace& workspace,
                  DeviceMatrix logits, cudaStream_t stream) {
  const Config& config = model.config;
  check_inputs(config, batch);
  check_device_shape("forward: logits", logits, int(batch.logit_rows.size()), config.vocab_size);
  if (ops.begin_step) ops.begin_step(batch, stream);
  workspace.batch.upload(batch, stream);
  const BatchView& view = workspace.batch.view();
  workspace.reserve(config, std::max(view.n_rows, view.n_logit_rows));
  const DeviceMatrix x = rows_of(workspace.x, view.n_rows, config.d_model);
  const DeviceMatrix normed = rows_of(workspace.normed, view.n_logit_rows, config.d_model);
  embed_cuda(model.token_embedding.f32(), view, x, stream);
  decode_layers_cuda(model, x, view, ops, workspace, 0, config.n_layers, stream);
  if (view.n_logit_rows > 0) {
    rms_norm_cuda(x, model.output_norm.f32(), config.norm_eps, view.logit_rows, normed, stream);
    ops.linear(model.output(), normed, logits, stream);
  }
  if (ops.end_step) ops.end_step();
}

}  // namespace waitless
