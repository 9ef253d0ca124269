#include "kernels_cuda.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "common/model/device_batch.h"
#include "common/testing/compare.h"
#include "common/testing/cuda_test.h"
#include "common/testing/guarded.h"
#include "common/testing/mistakes.h"
#include "common/testing/on_device.h"
#include "common/testing/random_model.h"
#include "operator_mistakes.h"
#include "oracles.h"

namespace waitless {
namespace {

using OperatorsCuda = CudaTest;
using EmbedCuda = CudaTest;
using RmsNormCuda = CudaTest;
using RopeCuda = CudaTest;
using LinearCuda = CudaTest;
using AttentionCuda = CudaTest;
using SwigluCuda = CudaTest;
using AddCuda = CudaTest;
using ArgmaxCuda = CudaTest;

/// A matrix of which only the rows from `first_row` on are in memory, at `rows`: for offsets that need 64 bits. In 32
/// bits they come out as another address.
ConstDeviceMatrix far_rows(const OnDevice& rows, int first_row) {
  ConstDeviceMatrix m = rows;
  const std::uintptr_t start = reinterpret_cast<std::uintptr_t>(m.data);
  m.data = reinterpret_cast<const float*>(start - std::uintptr_t(first_row) * std::uintptr_t(m.cols) * sizeof(float));
  m.rows += first_row;
  return m;
}

constexpr int kFarRow = 1 << 26;  // times 64 columns is 2^32 elements

// Grades exercise C1.1.
TEST_F(EmbedCuda, CopiesTheRowOfEachToken) {
  // Oracle: by hand. 31 rows of 33 do not fill the last thread block.
  const Matrix table = random_matrix(50, 33);
  std::vector<int> tokens;
  for (int t = 0; t < 31; ++t) tokens.push_back((t * 13 + 4) % 50);
  OnDevice x = OnDevice::unwritten(31, 33);
  embed_cuda(OnDevice(table), DeviceBatch(Batch::causal(0, 0, tokens)).view(), x);
  Matrix expected(31, 33), first(31, 33);
  for (int t = 0; t < 31; ++t) {
    expected.row(t) = table.row(tokens[t]);
    first.row(t) = table.row(tokens[0]);
  }
  EXPECT_TRUE(matches(expected, x.to_host(), 0,
                      {{"row t of the table is taken, not that of the token", table.topRows(31).cast<double>()},
                       {"every row is that of the first token", first.cast<double>()}}));
}

// Grades exercise C1.1.
TEST_F(EmbedCuda, FindsRowsOfALargeTable) {
  // Oracle: by hand. Only the last four rows of the table are in memory, beyond 2^32 elements.
  const Matrix rows = random_matrix(4, 64);
  const OnDevice last_rows(rows);
  OnDevice x = OnDevice::unwritten(2, 64);
  const DeviceBatch batch(Batch::causal(0, 0, std::vector{kFarRow + 3, kFarRow + 1}));
  embed_cuda(far_rows(last_rows, kFarRow), batch.view(), x);
  EXPECT_EQ(x.to_host().row(0), rows.row(3)) << "the offset of a row needs 64 bits";
  EXPECT_EQ(x.to_host().row(1), rows.row(1));
}

// Grades exercise C1.1.
TEST_F(EmbedCuda, CopiesVectorsWhereThereIsNoToken) {
  // Oracle: by hand. Rows 1, 2 and 4 are vectors 0, 1 and 2.
  const Matrix table = random_matrix(50, 33), vectors = random_matrix(3, 33, 2);
  Batch batch = Batch::causal(0, 0, std::vector{7, Batch::kVector, Batch::kVector, 0, Batch::kVector, 49});
  batch.vectors.assign(vectors.data(), vectors.data() + vectors.size());
  OnDevice x = OnDevice::unwritten(6, 33);
  embed_cuda(OnDevice(table), DeviceBatch(batch).view(), x);
  Matrix expected(6, 33);
  expected << table.row(7), vectors.topRows(2), table.row(0), vectors.row(2), table.row(49);
  EXPECT_TRUE(matches(expected, x.to_host(), 0)) << "token -1 - i stands for row i of batch.vectors";
}

/// Expects x normed, of the `rows` that are wanted if there are any.
void expect_rms_norm(const Matrix& x, const Matrix& gain, float eps, const std::vector<int>& rows = {}) {
  const Index R = rows.empty() ? x.rows() : Index(rows.size());
  Matrix wanted = x;
  for (std::size_t r = 0; r < rows.size(); ++r) wanted.row(Index(r)) = x.row(rows[r]);
  wanted.conservativeResize(R, x.cols());
  OnDevice out = OnDevice::unwritten(R, x.cols());
  const DeviceBuffer<int> on_device(rows);
  rms_norm_cuda(OnDevice(x), OnDevice(gain), eps, rows.empty() ? nullptr : on_device.data(), out);
  std::vector<Mistake> mistakes = rms_norm_warp_mistakes(wanted, gain, double(eps));
  if (!rows.empty()) {
    mistakes.push_back({"`rows` is ignored: the first rows are normed",
                        oracle::rms_norm(x.topRows(R).cast<double>(), gain.cast<double>(), double(eps))});
  }
  EXPECT_TRUE(
      matches(oracle::rms_norm(wanted.cast<double>(), gain.cast<double>(), double(eps)), out.to_host(), 3e-6, mistakes))
      << "[" << R << ", " << x.cols() << "], eps " << eps;
}

// Grades exercise C1.2.
TEST_F(RmsNormCuda, MatchesDoublePrecisionForAnyShape) {
  // Oracle: double precision. Widths that a warp does not divide, and an eps as large as the mean squares.
  for (const auto& [T, D] : {std::pair{2, 576}, {1, 1}, {3, 31}, {5, 33}}) {
    Matrix x = random_matrix(T, D, 3);
    for (int t = 0; t < T; ++t) x.row(t) *= float(t + 1);
    for (const float eps : {1e-5f, 0.5f}) expect_rms_norm(x, random_matrix(1, D, 4), eps);
  }
}

// Grades exercise C1.2.
TEST_F(RmsNormCuda, NormsTheChosenRows) {
  // Oracle: double precision. Rows 4 and 1, in this order.
  Matrix x = random_matrix(5, 40);
  for (int t = 0; t < 5; ++t) x.row(t) *= float(t + 1);
  expect_rms_norm(x, random_matrix(1, 40, 2), 0.5f, {4, 1});
}

// Grades exercise C1.2.
TEST_F(RmsNormCuda, FindsRowsOfALargeMatrix) {
  // Oracle: invariance. Only the last rows are in memory, beyond 2^32 elements.
  const OnDevice x(random_matrix(4, 64)), gain(random_matrix(1, 64, 2));
  OnDevice near = OnDevice::unwritten(2, 64), far = OnDevice::unwritten(2, 64);
  rms_norm_cuda(x, gain, 1e-5f, DeviceBuffer<int>(std::vector<int>{3, 1}).data(), near);
  rms_norm_cuda(far_rows(x, kFarRow), gain, 1e-5f, DeviceBuffer<int>(std::vector<int>{kFarRow + 3, kFarRow + 1}).data(),
                far);
  EXPECT_EQ(near.to_host(), far.to_host()) << "the offset of a row needs 64 bits";
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

void expect_rope(const Matrix& x, const std::vector<int>& position, int head_dim,
                 const RopeParameters& parameters = {}) {
  OnDevice on_device(x);
  rope_cuda(on_device, DeviceBuffer<int>(position).data(), head_dim, parameters);
  std::vector<Mistake> mistakes = rope_mistakes(x, position, head_dim, parameters);
  mistakes.push_back({"the position is rounded to a float",
                      oracle::rope(x.cast<double>(), std::vector<int>(position.size(), int(float(position[0]))),
                                   head_dim, double(parameters.base), double(parameters.position_scale))});
  EXPECT_TRUE(matches(
      oracle::rope(x.cast<double>(), position, head_dim, double(parameters.base), double(parameters.position_scale)),
      on_device.to_host(), 2e-6, mistakes))
      << "[" << x.rows() << ", " << x.cols() / head_dim << " x " << head_dim << "], position " << position.back();
}

// Grades exercise C1.3.
TEST_F(RopeCuda, MatchesDoublePrecisionForAnyShape) {
  // Oracle: double precision, far positions included.
  for (const auto& [T, heads, head_dim] : {std::tuple{3, 5, 6}, {1, 1, 2}, {31, 2, 32}, {4, 9, 64}}) {
    std::vector<int> position;
    for (int t = 0; t < T; ++t) position.push_back((t + 1) * 257 % 8192);
    expect_rope(random_matrix(T, heads * head_dim), position, head_dim);
  }
}

// Grades exercise C1.3.
TEST_F(RopeCuda, TakesPositionsThatAFloatCannotHold) {
  // Oracle: double precision. The float next to 2^24 + 1 is 2^24, a whole radian away.
  expect_rope(Matrix{{1.0f, 0.0f}}, {16777217}, 2);
}

// Grades exercise C1.3.
TEST_F(RopeCuda, TakesBaseAndScaleFromItsParameters) {
  // Oracle: double precision.
  const Matrix x = random_matrix(2, 24);
  expect_rope(x, {7, 20}, 8, {.base = 500000.0f, .position_scale = 4.0f});
  for (const float scale : {2.0f, 2.5f, 0.75f}) expect_rope(x, {3, 20}, 8, {.position_scale = scale});
}

// Grades exercise C1.4.
TEST_F(LinearCuda, MatchesDoublePrecisionForAnyShape) {
  // Oracle: double precision. Outputs that do not fill the last thread block.
  for (const auto& [T, I, O] : {std::tuple{3, 31, 33}, {1, 1, 1}, {1, 33, 31}, {4, 8, 8}, {5, 96, 129}}) {
    const Matrix w = random_matrix(O, I, 1), x = random_matrix(T, I, 2);
    OnDevice out = OnDevice::unwritten(T, O);
    linear_cuda(OnDevice(w), OnDevice(x), out);
    const RowMajorXd expected = x.cast<double>() * w.cast<double>().transpose();
    EXPECT_TRUE(matches(expected, out.to_host(), 1e-5, linear_mistakes(w, x, Guarded::kUnwritten)))
        << T << " rows, " << I << " -> " << O;
  }
}

// Grades exercise C1.4.
TEST_F(LinearCuda, WritesNothingElse) {
  // Oracle: by hand. The memory behind the matrix keeps what it held.
  const Matrix w = random_matrix(33, 8, 1), x = random_matrix(2, 8, 2);
  OnDevice out = OnDevice::unwritten(6, 33);
  linear_cuda(OnDevice(w), OnDevice(x), DeviceMatrix(out).top_rows(2));
  EXPECT_EQ(out.to_host().bottomRows(4), Matrix::Constant(4, 33, Guarded::kUnwritten));
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

/// @param is_causal: the batch is one sequence from its start, for which the usual mistakes are known
void expect_oracle(const Heads& heads, const Batch& batch, bool is_causal) {
  Config config;
  config.n_heads = heads.n_heads;
  config.n_kv_heads = heads.n_kv_heads;
  config.head_dim = heads.head_dim;
  const int T = batch.n_rows();
  const Matrix q = random_matrix(T, config.q_dim(), 1) * 3, k = random_matrix(T, config.kv_dim(), 2),
               v = random_matrix(T, config.kv_dim(), 3);
  EXPECT_TRUE(matches(oracle::attention(config, q.cast<double>(), k.cast<double>(), v.cast<double>(), batch),
                      attention_of(heads, q, k, v, batch), 5e-6,
                      is_causal ? attention_mistakes(config, q, k, v) : std::vector<Mistake>{}))
      << T << " rows, " << heads.n_heads << " heads on " << heads.n_kv_heads << ", head_dim " << heads.head_dim;
}

// Grades exercise C1.5.
TEST_F(AttentionCuda, MatchesDoublePrecisionForAnyShape) {
  // Oracle: double precision. Fewer rows than threads and more; heads narrower than the thread block and wider.
  for (const auto& [T, heads] : {std::pair{33, Heads{6, 2, 8}}, {1, {1, 1, 2}}, {31, {4, 4, 6}}, {70, {2, 1, 66}}}) {
    expect_oracle(heads, Batch::causal(0, 0, T), true);
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
  Batch behind_gists = Batch::causal(3, 0, 4);  // rows that see nothing before position 1, and a context
  behind_gists.first_visible = {0, 1, 1, 1};
  behind_gists.context.assign(4, {0, 1, 2});
  batch.append(behind_gists);
  expect_oracle({2, 1, 4}, batch, false);
}

// Grades exercise C1.5.
TEST_F(AttentionCuda, IsNotMovedByWhatIsHidden) {
  // Oracle: invariance. Infinity and NaN in the key and value of a later token, and of another sequence.
  const Heads heads{4, 2, 6};
  const Matrix q = random_matrix(6, 24, 1);
  Matrix k = random_matrix(6, 12, 2), v = random_matrix(6, 12, 3);
  Batch batch = Batch::causal(0, 0, 5);
  batch.append(Batch::causal(1, 0, 1));
  const Matrix before = attention_of(heads, q, k, v, batch);
  for (const float poison : {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
    for (Matrix* m : {&k, &v}) m->bottomRows(2).setConstant(poison);
    const Matrix after = attention_of(heads, q, k, v, batch);
    EXPECT_TRUE(near(before.topRows(4), after.topRows(4), 0, "(0 times NaN is NaN: do not multiply what is hidden)"))
        << poison;
  }
}

// Grades exercise C1.5.
TEST_F(AttentionCuda, DoesNotOverflowOnLargeScores) {
  // Oracle: by hand. Scores of 0 and 1000: all weight falls on row 1.
  const Matrix q{{0, 0}, {1000, 0}}, k{{0, 0}, {1.4142135f, 0}}, v{{5, 6}, {7, 8}};
  EXPECT_TRUE(matches(Matrix{{5, 6}, {7, 8}}, attention_of({1, 1, 2}, q, k, v, Batch::causal(0, 0, 2)), 1e-6))
      << "exp(1000) overflows unless the maximum is subtracted";
}

// Grades exercise C1.5.
TEST_F(AttentionCuda, DoesNotVanishOnVeryNegativeScores) {
  // Oracle: by hand. Each score is -2000, so a row is the mean of the values that it sees; what it does not see weighs
  // nothing, however small the others are.
  const Matrix q{{-2000, 0}, {-2000, 0}}, k{{1.4142135f, 0}, {1.4142135f, 0}}, v{{5, 6}, {7, 8}};
  EXPECT_TRUE(matches(Matrix{{5, 6}, {6, 7}}, attention_of({1, 1, 2}, q, k, v, Batch::causal(0, 0, 2)), 1e-6))
      << "exp(-2000) is 0 unless the maximum, a negative one, is subtracted";
}

// Grades exercise C1.6.
TEST_F(SwigluCuda, MatchesDoublePrecision) {
  // Oracle: double precision. 7 * 41 elements do not fill the last thread block; the result lands apart, on the gate
  // and on up.
  Matrix gate = random_matrix(7, 41, 1) * 30;
  gate(0, 0) = 200.0f;
  gate(0, 1) = -200.0f;
  const Matrix up = random_matrix(7, 41, 2);
  const RowMajorXd expected = oracle::swiglu(gate.cast<double>(), up.cast<double>());
  const std::vector<Mistake> mistakes = swiglu_mistakes(gate, up);
  OnDevice on_gate(gate), on_up(up), apart = OnDevice::unwritten(7, 41);
  swiglu_cuda(OnDevice(gate), OnDevice(up), apart);
  EXPECT_TRUE(matches(expected, apart.to_host(), 3e-6, mistakes));
  swiglu_cuda(on_gate, OnDevice(up), on_gate);
  EXPECT_TRUE(matches(expected, on_gate.to_host(), 3e-6, mistakes)) << "out is the gate";
  swiglu_cuda(OnDevice(gate), on_up, on_up);
  EXPECT_TRUE(matches(expected, on_up.to_host(), 3e-6, mistakes)) << "out is up";
}

// Grades exercise C1.6.
TEST_F(AddCuda, AddsElementByElement) {
  // Oracle: by hand.
  const Matrix x = random_matrix(7, 41, 1), y = random_matrix(7, 41, 2);
  OnDevice sum(x);
  add_cuda(sum, OnDevice(y));
  EXPECT_TRUE(
      matches(x + y, sum.to_host(), 0, {{"y replaces x", y.cast<double>()}, {"x stays as it was", x.cast<double>()}}));
}

// Guards the launchers, which are given.
TEST_F(OperatorsCuda, LaunchNothingWithoutRows) {
  // Oracle: the header. CUDA refuses a grid without thread blocks.
  OnDevice none = OnDevice::unwritten(0, 8);
  const OnDevice table(random_matrix(3, 8)), gain(random_matrix(1, 8)), empty_rows(Matrix(1, 0));
  DeviceBuffer<int> column(1);
  EXPECT_NO_THROW(embed_cuda(table, BatchView{}, none));
  EXPECT_NO_THROW(rms_norm_cuda(none, gain, 0.0f, nullptr, none));
  EXPECT_NO_THROW(rope_cuda(none, nullptr, 4, {}));
  EXPECT_NO_THROW(linear_cuda(OnDevice(random_matrix(8, 8)), OnDevice(Matrix(0, 8)), none));
  EXPECT_NO_THROW(swiglu_cuda(none, none, none));
  EXPECT_NO_THROW(add_cuda(none, OnDevice(Matrix(0, 8))));
  EXPECT_NO_THROW(argmax_cuda(none, nullptr));
  EXPECT_THROW(argmax_cuda(empty_rows, column.data()), std::invalid_argument);
}

std::vector<int> argmax_of(const Matrix& x) {
  DeviceBuffer<int> column(std::vector<int>(std::size_t(x.rows()), -1));
  argmax_cuda(OnDevice(x), column.data());
  return column.to_host();
}

// Grades exercise C1.7.
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

// Grades exercise C1.7.
TEST_F(ArgmaxCuda, TakesTheFirstOfEqualValues) {
  // Oracle: by hand. Equal values held by one thread (256 apart) and by different ones.
  Matrix x = Matrix::Constant(1, 600, 0.5f);
  EXPECT_EQ(argmax_of(x), std::vector<int>{0});
  x(0, 3) = x(0, 100) = x(0, 259) = 2.0f;
  EXPECT_EQ(argmax_of(x), std::vector<int>{3});
  x(0, 3) = 0.0f;
  EXPECT_EQ(argmax_of(x), std::vector<int>{100});
}

// Grades exercise C1.7.
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
  EXPECT_EQ(argmax_of(Matrix::Constant(2, 300, -std::numeric_limits<float>::infinity())), (std::vector<int>{0, 0}))
      << "of equal values the first, -infinity too";
}

// Grades exercise C1.7.
TEST_F(ArgmaxCuda, PassesOverNan) {
  // Oracle: the header. Whoever comes first, a NaN is never the largest; not even -infinity is smaller.
  const float nan = std::nanf(""), forbidden = -std::numeric_limits<float>::infinity();
  EXPECT_EQ(argmax_of(Matrix{{nan, 1.0f, 2.0f}}), std::vector<int>{2}) << "{NaN, 1, 2}";
  EXPECT_EQ(argmax_of(Matrix{{2.0f, nan, 1.0f}}), std::vector<int>{0}) << "{2, NaN, 1}";
  EXPECT_EQ(argmax_of(Matrix{{nan, forbidden}}), std::vector<int>{1}) << "{NaN, -infinity}";
  Matrix long_row = Matrix::Constant(1, 700, nan);
  EXPECT_EQ(argmax_of(long_row), std::vector<int>{0}) << "a row of NaN";
  long_row(0, 300) = forbidden;
  EXPECT_EQ(argmax_of(long_row), std::vector<int>{300}) << "699 NaN, and -infinity in column 300";
  long_row(0, 556) = long_row(0, 600) = -7.0f;  // 300 and 556 belong to one thread
  EXPECT_EQ(argmax_of(long_row), std::vector<int>{556});
}

}  // namespace
}  // namespace waitless
