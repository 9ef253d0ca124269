#include <numeric>
#include <vector>

#include "common/testing/on_device.h"
#include "common/testing/random_model.h"
#include "forward_cuda.h"
#include "kernels_cuda.h"

/// What ./course profile 01 runs: one forward pass of a small random model over 32 tokens, and the choice of the next.
int main() {
  using namespace waitless;
  constexpr int kTokens = 32;
  const Model model = random_model(small_config());
  std::vector<int> tokens(kTokens);
  std::iota(tokens.begin(), tokens.end(), 1);
  const Batch batch = Batch::causal(0, 0, tokens);
  DeviceWorkspace workspace;
  OnDevice logits = OnDevice::unwritten(Index(batch.logit_rows.size()), model.config.vocab_size);
  forward_cuda(upload(model), batch, naive_ops_cuda(), workspace, logits);
  DeviceBuffer<int> next(batch.logit_rows.size());
  argmax_cuda(logits, next.data());
}
