// The whole pass on trained models, against what llama.cpp computes for the same float32 weights
// (tests/models/README.md says how the expected values were made).

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>
#include <vector>

#include "common/model/find_model.h"
#include "common/model/gguf.h"
#include "common/testing/compare.h"
#include "common/testing/cuda_test.h"
#include "common/testing/on_device.h"
#include "common/testing/smollm2.h"
#include "common/tokenizer/tokenizer.h"
#include "forward.h"
#include "forward_cuda.h"
#include "tiled_attention.h"

namespace waitless {
namespace {

nlohmann::json expected_values(const std::string& model) {
  std::ifstream file(repository_root() / "tests" / "models" / (model + ".expected.json"));
  return nlohmann::json::parse(file);
}

Matrix logits_after(const Model& model, const std::vector<int>& tokens, int first_row) {
  Batch batch = Batch::causal(0, 0, tokens);
  batch.logit_rows.resize(tokens.size() - first_row);
  std::iota(batch.logit_rows.begin(), batch.logit_rows.end(), first_row);
  Workspace workspace;
  Matrix logits(Index(batch.logit_rows.size()), model.config.vocab_size);
  forward(model, batch, tiled_ops(), workspace, logits);
  return logits;
}

/// The same prompt must give the same ids, the same 20 most likely tokens with the same logits, and the same greedy
/// text.
void expect_reference(const std::filesystem::path& path, const std::string& name) {
  const GgufFile file = GgufFile::open(path);
  const Tokenizer tokenizer = Tokenizer::from_gguf(file);
  const Model model = load_model(file);
  for (const auto& expected : expected_values(name)) {
    const std::string prompt = expected.at("prompt");
    SCOPED_TRACE(prompt);
    std::vector<int> tokens =
        expected.value("chat", false) ? tokenizer.encode_chat(prompt) : tokenizer.encode_prompt(prompt);
    ASSERT_EQ(tokens, expected.at("token_ids").get<std::vector<int>>());

    // One pass over prompt and expected text shows all of its steps: row t never sees what comes after it.
    const int last = int(tokens.size()) - 1;
    const auto greedy = expected.at("greedy").get<std::vector<int>>();
    tokens.insert(tokens.end(), greedy.begin(), greedy.end() - 1);
    const Matrix logits = logits_after(model, tokens, last);
    for (const auto& [id, logit] : expected.at("top").get<std::vector<std::pair<int, float>>>()) {
      EXPECT_TRUE(std::abs(logits(0, id) - logit) <= 1e-3f) << "token " << id << ": " << logits(0, id) << " " << logit;
    }
    for (std::size_t i = 0; i < greedy.size(); ++i) {
      Index best = 0;
      logits.row(Index(i)).maxCoeff(&best);
      EXPECT_EQ(best, greedy[i]) << "token " << i << " of the continuation";
    }
  }
}

using SmolLm2Reference = NeedsSmolLm2;

// Guards the whole pass on a real model.
TEST_F(SmolLm2Reference, GivesTheLogitsAndTheTextOfLlamaCpp) {
  // Oracle: llama.cpp on the dequantized weights, with a float32 cache.
  expect_reference(path_, "smollm2");
}

// Guards the whole pass on the models that ship with the course.
TEST(AustenReference, GivesTheLogitsAndTheTextOfLlamaCpp) {
  // Oracle: llama.cpp on the same weights in float32.
  expect_reference(find_model("austen"), "austen-target");
  expect_reference(find_model("austen-draft"), "austen-draft");
}

using AustenOnDevice = CudaTest;

// Guards the device's pass on the default model.
TEST_F(AustenOnDevice, EqualsTheCpu) {
  // Oracle: the CPU twin.
  const Model model = load_model(find_model("austen"));
  std::vector<int> tokens = expected_values("austen-target")[0].at("token_ids");
  tokens.resize(std::min<std::size_t>(tokens.size(), 16));
  DeviceWorkspace workspace;
  OnDevice logits = OnDevice::unwritten(1, model.config.vocab_size);
  forward_cuda(upload(model), Batch::causal(0, 0, tokens), naive_ops_cuda(), workspace, logits);
  EXPECT_TRUE(near(logits_after(model, tokens, int(tokens.size()) - 1), logits.to_host(), 1e-4));
}

}  // namespace
}  // namespace waitless
