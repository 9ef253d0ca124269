#include "cached_ops_cuda.h"

#include <memory>
#include <stdexcept>

#include "cached_kernels_cuda.h"
#include "device_attention_plan.h"

namespace waitless {
namespace {

constexpr int kNoStep = -1;

}  // namespace

DeviceOps cached_ops_cuda(DeviceKvCache& cache, const DeviceOps& base) {
  /// What the layers of a step share.
  struct Step {
    DeviceAttentionPlan plan;
    DeviceAttentionScratch scratch;
    int n_rows = kNoStep;  // of its batch
  };
  const auto step = std::make_shared<Step>();

  DeviceOps ops = base;
  ops.begin_step = [&cache, step, before = base.begin_step](const Batch& batch, cudaStream_t stream) {
    step->n_rows = kNoStep;
    if (before) before(batch, stream);
    cache.slots.begin(batch);
    step->plan.make(
        batch, cache.slots.slots(), [&cache](int sequence) { return cache.slots.spans(sequence); }, stream);
    step->n_rows = batch.n_rows();
  };
  ops.end_step = [&cache, step, before = base.end_step] {
    step->n_rows = kNoStep;
    if (before) before();
    cache.slots.commit();
  };
  ops.attention = [&cache, step](const Config& config, int layer, ConstDeviceMatrix q, ConstDeviceMatrix k,
                                 ConstDeviceMatrix v, const BatchView& batch, DeviceMatrix out, cudaStream_t stream) {
    if (step->n_rows != batch.n_rows) {
      throw std::invalid_argument("attention: the step did not begin with this batch");
    }
    const DeviceKvView view = cache.view(layer);
    const AttentionPlanView& plan = step->plan.view();
    append_cuda(view, plan.slot, k, v, stream);
    decode_attention_cuda(config, view, plan, q, k, v, batch, step->scratch, out, stream);
    prefill_attention_cuda(config, view, plan, q, k, v, batch, out, stream);
  };
  return ops;
}

}  // namespace waitless
