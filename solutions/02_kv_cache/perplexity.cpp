#include "perplexity.h"

#include <cmath>
#include <numeric>

#include "01_naive_generation/forward.h"

namespace waitless {

double perplexity(const Model& model, std::span<const int> tokens, int window, const Ops& ops) {
  check_argument(window >= 2, "perplexity: a window needs at least 2 tokens");
  const std::size_t n_windows = tokens.size() / std::size_t(window);
  check_argument(n_windows > 0, "perplexity: the text is shorter than one window");
  Batch batch;
  Workspace workspace;
  Matrix logits(window - 1, model.config.vocab_size);
  double surprise = 0;
  for (std::size_t i = 0; i < n_windows; ++i) {
    const auto text = tokens.subspan(i * window, window);
    batch.clear();
    batch.add_causal(0, 0, text);
    batch.logit_rows.resize(window - 1);  // the last token's successor is not in the window
    std::iota(batch.logit_rows.begin(), batch.logit_rows.end(), 0);
    forward(model, batch, ops, workspace, logits);
    for (int t = 0; t < window - 1; ++t) {
      const float highest = logits.row(t).maxCoeff();
      const double log_sum = std::log((logits.row(t).array() - highest).exp().cast<double>().sum()) + highest;
      surprise += log_sum - logits(t, text[t + 1]);
    }
  }
  return std::exp(surprise / double(n_windows * (window - 1)));
}

}  // namespace waitless
