#include "operators_cuda.h"

#include <limits>
#include <vector>

#include "common/testing/compare.h"
#include "common/testing/cuda_test.h"
#include "common/testing/on_device.h"
#include "common/testing/random_model.h"
#include "oracles.h"

namespace waitless {
namespace {

using EmbedCuda = CudaTest;
using RmsNormCuda = CudaTest;
using RopeCuda = CudaTest;
using LinearCuda = CudaTest;
using AttentionCuda = CudaTest;
using SwigluCuda = CudaTest;
using AddCuda = CudaTest;
using ArgmaxCuda = CudaTest;

// Grades exercise C1.1.
TEST_F(EmbedCuda, CopiesTheRowOfEachToken) {
  // Oracle: by hand. 31 rows of 33 do not fill the last thread block.
  const Matrix table = random_matrix(50, 33);
  std::vector<int> tokens;
  for (int t = 0; t < 31; ++t) tokens.push_back(t * 13 % 50);
  OnDevice x = OnDevice::unwritten(31, 33);
  embed_cuda(OnDevice(table), DeviceBuffer<int>(tokens).data(), x);
  const Matrix got = x.to_host();
  for (int t = 0; t < 31; ++t) EXPECT_TRUE(near(table.row(tokens[t]), got.row(t), 0)) << "row " << t;
}

// Grades exercise C1.2.
TEST_F(RmsNormCuda, MatchesDoublePrecisionForAnyShape) {
  // Oracle: double precision. Widths that a warp does not divide, and an eps as large as the mean squares.
  for (const auto& [T, D] : {std::pair{1, 1}, {3, 31}, {5, 33}, {2, 576}}) {
    Matrix x = random_matrix(T, D, 3);
    for (int t = 0; t < T; ++t) x.row(t) *= float(t + 1);
    const Matrix gain = random_matrix(1, D, 4);
    OnDevice out = OnDevice::unwritten(T, D);
    for (const float eps : {1e-5f, 0.5f}) {
      rms_norm_cuda(OnDevice(x), OnDevice(gain), eps, nullptr, out);
      EXPECT_TRUE(near(oracle::rms_norm(x.cast<double>(), gain.cast<double>(), double(eps)), out.to_host(), 3e-6,
                       "(does every lane end up with the sum of all 32?)"))
          << "[" << T << ", " << D << "], eps " << eps;
    }
  }
}

// Grades exercise C1.2.
TEST_F(RmsNormCuda, NormsTheChosenRows) {
  // Oracle: double precision. Rows 4 and 1, in this order.
  const Matrix x = random_matrix(5, 40), gain = random_matrix(1, 40, 2);
  OnDevice out = OnDevice::unwritten(2, 40);
  const DeviceBuffer<int> rows(std::vector<int>{4, 1});
  rms_norm_cuda(OnDevice(x), OnDevice(gain), 1e-5f, rows.data(), out);
  const oracle::MatrixXd all = oracle::rms_norm(x.cast<double>(), gain.cast<double>(), 1e-5);
  EXPECT_TRUE(near(all.row(4), out.to_host().row(0), 3e-6));
  EXPECT_TRUE(near(all.row(1), out.to_host().row(1), 3e-6));
}

// Grades exercise C1.2.
TEST_F(RmsNormCuda, MayWriteOverItsInput) {
  // Oracle: invariance.
  const Matrix x = random_matrix(3, 70), gain = random_matrix(1, 70, 2);
  OnDevice apart = OnDevice::unwritten(3, 70), in_place(x);
  rms_norm_cuda(OnDevice(x), OnDevice(gain), 1e-5f, nullptr, apart);
  rms_norm_cuda(in_place, OnDevice(gain), 1e-5f, nullptr, in_place);
  EXPECT_EQ(apart.to_host(), in_place.to_host());
}

Matrix rope_of(const Matrix& x, const std::vector<int>& position, int head_dim, const RopeParameters& parameters = {}) {
  OnDevice on_device(x);
  rope_cuda(on_device, DeviceBuffer<int>(position).data(), head_dim, parameters);
  return on_device.to_host();
}

// Grades exercise C1.3.
TEST_F(RopeCuda, MatchesDoublePrecisionForAnyShape) {
  // Oracle: double precision, far positions included.
  for (const auto& [T, heads, head_dim] : {std::tuple{1, 1, 2}, {3, 5, 6}, {31, 2, 32}, {4, 9, 64}}) {
    const Matrix x = random_matrix(T, heads * head_dim);
    std::vector<int> position;
    for (int t = 0; t < T; ++t) position.push_back(t * 257 % 8192);
    EXPECT_TRUE(near(oracle::rope(x.cast<double>(), position, head_dim, 10000), rope_of(x, position, head_dim), 2e-6,
                     "(the place within the head decides the angle; compute it in double)"))
        << "[" << T << ", " << heads << " x " << head_dim << "]";
  }
}

// Grades exercise C1.3.
TEST_F(RopeCuda, TakesBaseAndScaleFromItsParameters) {
  // Oracle: double precision.
  const Matrix x = random_matrix(2, 24);
  EXPECT_TRUE(near(oracle::rope(x.cast<double>(), {7, 20}, 8, 500000, 4),
                   rope_of(x, {7, 20}, 8, {.base = 500000.0f, .position_scale = 4.0f}), 2e-6));
}

// Grades exercise C1.4.
TEST_F(LinearCuda, MatchesDoublePrecisionForAnyShape) {
  // Oracle: double precision. Outputs that do not fill the last thread block.
  for (const auto& [T, I, O] : {std::tuple{1, 1, 1}, {1, 33, 31}, {3, 31, 33}, {5, 96, 129}}) {
    const Matrix w = random_matrix(O, I, 1), x = random_matrix(T, I, 2);
    OnDevice out = OnDevice::unwritten(T, O);
    linear_cuda(OnDevice(w), OnDevice(x), out);
    const Eigen::MatrixXd expected = x.cast<double>() * w.cast<double>().transpose();
    EXPECT_TRUE(near(expected, out.to_host(), 1e-5)) << T << " rows, " << I << " -> " << O;
  }
}

// Grades exercise C1.4.
TEST_F(LinearCuda, WritesNothingElse) {
  // Oracle: by hand. The memory behind the matrix keeps what it held.
  const Matrix w = random_matrix(33, 8, 1), x = random_matrix(2, 8, 2);
  OnDevice out = OnDevice::unwritten(6, 33);
  linear_cuda(OnDevice(w), OnDevice(x), DeviceMatrix(out).top_rows(2));
  EXPECT_EQ(out.to_host().bottomRows(4), Matrix::Constant(4, 33, 99.0f));
}

struct Heads {
  int n_heads, n_kv_heads, head_dim;
};

Matrix attention_of(const Heads& heads, const Matrix& q, const Matrix& k, const Matrix& v, const Batch& batch) {
  Config config;
  config.n_heads = heads.n_heads;
  config.n_kv_heads = heads.n_kv_heads;
  config.head_dim = heads.head_dim;
  OnDevice out = OnDevice::unwritten(q.rows(), q.cols());
  const DeviceBatch device_batch(batch);
  attention_cuda(config, OnDevice(q), OnDevice(k), OnDevice(v), device_batch.view(), out);
  return out.to_host();
}

void expect_oracle(const Heads& heads, const Batch& batch, const char* hint) {
  Config config;
  config.n_heads = heads.n_heads;
  config.n_kv_heads = heads.n_kv_heads;
  config.head_dim = heads.head_dim;
  const int T = batch.n_rows();
  const Matrix q = random_matrix(T, config.q_dim(), 1) * 3, k = random_matrix(T, config.kv_dim(), 2),
               v = random_matrix(T, config.kv_dim(), 3);
  EXPECT_TRUE(near(oracle::attention(config, q.cast<double>(), k.cast<double>(), v.cast<double>(), batch),
                   attention_of(heads, q, k, v, batch), 5e-6, hint))
      << T << " rows, " << heads.n_heads << " heads on " << heads.n_kv_heads << ", head_dim " << heads.head_dim;
}

// Grades exercise C1.5.
TEST_F(AttentionCuda, MatchesDoublePrecisionForAnyShape) {
  // Oracle: double precision. Fewer rows than threads and more; heads narrower than the thread block and wider.
  for (const auto& [T, heads] : {std::pair{1, Heads{1, 1, 2}}, {31, {4, 4, 6}}, {33, {6, 2, 8}}, {70, {2, 1, 66}}}) {
    expect_oracle(heads, Batch::causal(0, 0, T), "(is a barrier missing between writing and reading shared memory?)");
  }
}

// Grades exercise C1.5.
TEST_F(AttentionCuda, IgnoresTokensAfterTheQuery) {
  // Oracle: invariance. Changing the last key and value may move only the last row, and must move it.
  const Heads heads{4, 2, 6};
  const Matrix q = random_matrix(5, 24, 1);
  Matrix k = random_matrix(5, 12, 2), v = random_matrix(5, 12, 3);
  const Batch batch = Batch::causal(0, 0, 5);
  const Matrix before = attention_of(heads, q, k, v, batch);
  k.row(4).setConstant(3.0f);
  v.row(4).setConstant(100.0f);
  const Matrix after = attention_of(heads, q, k, v, batch);
  EXPECT_EQ(before.topRows(4), after.topRows(4)) << "the mask lets a query see a later token";
  EXPECT_NE(before.row(4), after.row(4));
}

// Grades exercise C1.5.
TEST_F(AttentionCuda, ServesSequencesBlocksAndTrees) {
  // Oracle: double precision. Everything a batch can hold, at once.
  Batch batch = Batch::causal(0, 0, 3);
  batch.append(Batch::causal(1, 4, 2));
  batch.append(Batch::tree(0, 3, {Batch::kRoot, 0, 0, 2}));
  batch.append(Batch::bidirectional_block(1, 6, 3));
  batch.append(Batch::prefix_causal(2, 0, 4, 3));
  expect_oracle({2, 1, 4}, batch, "(ask sees(batch, t, s))");
}

// Grades exercise C1.5.
TEST_F(AttentionCuda, DoesNotOverflowOnLargeScores) {
  // Oracle: by hand. Scores of 0 and 1000: all weight falls on row 1.
  const Matrix q{{0, 0}, {1000, 0}}, k{{0, 0}, {1.4142135f, 0}}, v{{5, 6}, {7, 8}};
  EXPECT_TRUE(near(Matrix{{5, 6}, {7, 8}}, attention_of({1, 1, 2}, q, k, v, Batch::causal(0, 0, 2)), 1e-6,
                   "(subtract the maximum before exp)"));
}

// Grades exercise C1.5.
TEST_F(AttentionCuda, DoesNotVanishOnVeryNegativeScores) {
  // Oracle: by hand. Each score is -2000, so a row is the mean of the values that it sees; what it does not see weighs
  // nothing, however small the others are.
  const Matrix q{{-2000, 0}, {-2000, 0}}, k{{1.4142135f, 0}, {1.4142135f, 0}}, v{{5, 6}, {7, 8}};
  EXPECT_TRUE(near(Matrix{{5, 6}, {6, 7}}, attention_of({1, 1, 2}, q, k, v, Batch::causal(0, 0, 2)), 1e-6,
                   "(the maximum may be negative, and a hidden row's score is -infinity)"));
}

// Grades exercise C1.6.
TEST_F(SwigluCuda, MatchesDoublePrecision) {
  // Oracle: double precision. 7 * 41 elements do not fill the last thread block; the result lands on the gate.
  Matrix gate = random_matrix(7, 41, 1) * 30;
  gate(0, 0) = 200.0f;
  gate(0, 1) = -200.0f;
  const Matrix up = random_matrix(7, 41, 2);
  OnDevice in_place(gate);
  swiglu_cuda(in_place, OnDevice(up), in_place);
  EXPECT_TRUE(near(oracle::swiglu(gate.cast<double>(), up.cast<double>()), in_place.to_host(), 3e-6));
}

// Grades exercise C1.6.
TEST_F(AddCuda, AddsElementByElement) {
  // Oracle: by hand.
  const Matrix x = random_matrix(7, 41, 1), y = random_matrix(7, 41, 2);
  OnDevice sum(x);
  add_cuda(sum, OnDevice(y));
  EXPECT_EQ(sum.to_host(), x + y);
}

std::vector<int> argmax_of(const Matrix& x) {
  DeviceBuffer<int> column(std::vector<int>(std::size_t(x.rows()), -1));
  argmax_cuda(OnDevice(x), column.data());
  return column.to_host();
}

// Grades exercise C1.6.
TEST_F(ArgmaxCuda, FindsTheLargestInEveryRow) {
  // Oracle: Eigen. Fewer columns than threads, more, and many more.
  for (int V : {1, 31, 257, 2000}) {
    const Matrix x = random_matrix(3, V, 5);
    const std::vector<int> got = argmax_of(x);
    for (int r = 0; r < 3; ++r) {
      Index expected = 0;
      x.row(r).maxCoeff(&expected);
      EXPECT_EQ(got[r], expected) << "row " << r << " of " << V << " columns";
    }
  }
}

// Grades exercise C1.6.
TEST_F(ArgmaxCuda, TakesTheFirstOfEqualValues) {
  // Oracle: by hand. Equal values held by one thread (256 apart) and by different ones.
  Matrix x = Matrix::Constant(1, 600, 0.5f);
  EXPECT_EQ(argmax_of(x), std::vector<int>{0});
  x(0, 3) = x(0, 100) = x(0, 259) = 2.0f;
  EXPECT_EQ(argmax_of(x), std::vector<int>{3});
  x(0, 3) = 0.0f;
  EXPECT_EQ(argmax_of(x), std::vector<int>{100});
}

// Grades exercise C1.6.
TEST_F(ArgmaxCuda, OfMaskedAndNegativeRowsIsStillRight) {
  // Oracle: by hand. Everything below zero, most of it forbidden; fewer columns than threads.
  Matrix x = Matrix::Constant(2, 300, -std::numeric_limits<float>::infinity());
  x(0, 299) = -5.0f;
  x(0, 30) = -6.0f;
  x(1, 257) = -1e30f;
  EXPECT_EQ(argmax_of(x), (std::vector<int>{299, 257}));
  Matrix narrow = Matrix::Constant(1, 31, -3.0f);
  narrow(0, 17) = -2.0f;
  EXPECT_EQ(argmax_of(narrow), std::vector<int>{17}) << "threads without a column have nothing to offer";
}

}  // namespace
}  // namespace waitless
