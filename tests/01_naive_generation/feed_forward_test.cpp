#include "feed_forward.h"

#include <gtest/gtest.h>

#include "common/testing/allocation_counter.h"
#include "common/testing/guarded.h"
#include "common/testing/mistakes.h"
#include "common/testing/random_model.h"
#include "operator_mistakes.h"
#include "oracles.h"

namespace waitless {
namespace {

/// A linear layer that owes nothing to exercise 1.4, and notes the roles it is called with.
Ops recording_ops(std::vector<WeightRole>* roles) {
  Ops ops;
  ops.linear = [roles](const Weight& w, const ConstMatrixRef& x, MatrixRef out) {
    roles->push_back(w.role);
    out = (x.cast<double>() * oracle::values(w).transpose()).cast<float>();
  };
  return ops;
}

// Grades exercise 1.6.
TEST(Swiglu, GatesTheSecondArgumentByTheFirst) {
  // Oracle: by hand. silu(ln 3) = ln 3 * 3/4 and silu(-ln 3) = -ln 3 * 1/4.
  const float ln_3 = 1.0986123f;
  const Matrix gate{{ln_3, -ln_3, 0.0f}}, up{{4.0f, 4.0f, 4.0f}};
  Guarded out(1, 3);
  swiglu(gate, up, out);
  EXPECT_TRUE(matches(Matrix{{3 * ln_3, -ln_3, 0.0f}}, out.values(), 1e-6, swiglu_mistakes(gate, up)));
}

// Grades exercise 1.6.
TEST(Swiglu, MatchesDoublePrecisionAndMayWriteOverItsInputs) {
  // Oracle: double precision. Extreme gates must not become NaN.
  Matrix gate = random_matrix(5, 33, 1) * 30;
  gate(0, 0) = 200.0f;
  gate(0, 1) = -200.0f;
  const Matrix up = random_matrix(5, 33, 2);
  const oracle::MatrixXd expected = oracle::swiglu(gate.cast<double>(), up.cast<double>());
  const std::vector<Mistake> mistakes = swiglu_mistakes(gate, up);
  Guarded over_gate(gate), over_up(up), apart(5, 33);
  swiglu(gate, up, apart);
  EXPECT_TRUE(matches(expected, apart.values(), 1e-5, mistakes));
  swiglu(over_gate, up, over_gate);
  EXPECT_TRUE(matches(expected, over_gate.values(), 1e-5, mistakes)) << "out is the gate";
  swiglu(gate, over_up, over_up);
  EXPECT_TRUE(matches(expected, over_up.values(), 1e-5, mistakes)) << "out is up";
}

// Grades exercise 1.6.
TEST(Swiglu, RefusesShapesThatDiffer) {
  // Oracle: the header.
  Guarded out(2, 3);
  EXPECT_THROW(swiglu(random_matrix(2, 3), random_matrix(2, 4), out), std::invalid_argument);
  EXPECT_THROW(swiglu(random_matrix(2, 3), random_matrix(1, 3), out), std::invalid_argument);
  EXPECT_THROW(swiglu(random_matrix(1, 3), random_matrix(1, 3), out), std::invalid_argument);
  Guarded nothing(0, 3);
  EXPECT_NO_THROW(swiglu(nothing, nothing, nothing)) << "no rows are no error";
}

// Grades exercise 1.6.
TEST(FeedForward, MatchesDoublePrecision) {
  // Oracle: double precision. One row and several, with room in the workspace for more.
  const Model model = random_model(small_config());
  const Layer& layer = model.layers[1];
  std::vector<WeightRole> roles;
  const Ops ops = recording_ops(&roles);
  Workspace workspace;
  workspace.gate.resize(8, model.config.d_ff);
  workspace.up.resize(8, model.config.d_ff);
  for (int T : {1, 5}) {
    const Matrix x = random_matrix(T, model.config.d_model);
    Guarded out(T, model.config.d_model);
    feed_forward(layer, x, ops, workspace, out);
    const oracle::MatrixXd in = x.cast<double>(), down = oracle::values(layer.down).transpose();
    const oracle::MatrixXd gate = in * oracle::values(layer.gate).transpose();
    const oracle::MatrixXd up = in * oracle::values(layer.up).transpose();
    EXPECT_TRUE(matches(oracle::swiglu(gate, up) * down, out.values(), 1e-5,
                        {{"gate and up are swapped", oracle::swiglu(up, gate) * down},
                         {"the gate is forgotten", up * down},
                         {"up is forgotten", gate * down},
                         {"silu is forgotten", gate.cwiseProduct(up) * down}}))
        << T << " rows";
  }
}

// Grades exercise 1.6.
TEST(FeedForward, GoesThroughTheLinearSeamThreeTimes) {
  // Oracle: counting. Later chapters replace ops.linear: a product that bypasses it would stay unquantized.
  const Model model = random_model(small_config());
  std::vector<WeightRole> roles;
  Workspace workspace;
  workspace.gate.resize(2, model.config.d_ff);
  workspace.up.resize(2, model.config.d_ff);
  Matrix out(2, model.config.d_model);
  feed_forward(model.layers[0], random_matrix(2, model.config.d_model), recording_ops(&roles), workspace, out);
  std::sort(roles.begin(), roles.end());
  EXPECT_EQ(roles, (std::vector{WeightRole::kGate, WeightRole::kUp, WeightRole::kDown}));
}

// Grades exercise 1.6.
TEST(FeedForward, WorksInTheMemoryOfTheWorkspace) {
  // Oracle: counting. The linear layer is replaced by one that asks for no memory.
  if (!counts_allocations) GTEST_SKIP() << "counting allocations needs glibc without a sanitizer";
  const Model model = random_model(small_config());
  Ops ops;
  ops.linear = [](const Weight&, const ConstMatrixRef&, MatrixRef out) { out.setConstant(0.5f); };
  Workspace workspace;
  workspace.gate.resize(2, model.config.d_ff);
  workspace.up.resize(2, model.config.d_ff);
  const Matrix x = random_matrix(2, model.config.d_model);
  Matrix out(2, model.config.d_model);
  feed_forward(model.layers[0], x, ops, workspace, out);
  const std::int64_t before = allocation_count();
  feed_forward(model.layers[0], x, ops, workspace, out);
  EXPECT_EQ(allocation_count() - before, 0) << "gate and up belong into workspace.gate and workspace.up";
}

}  // namespace
}  // namespace waitless
