// Guards common/model/weight: panels, gaps between rows, scales, and formats that a chapter brings.
#include <gtest/gtest.h>

#include <cmath>

#include "common/model/formats/block_format.h"
#include "common/model/model.h"
#include "common/testing/compare.h"
#include "common/testing/gguf_writer.h"
#include "common/testing/random_model.h"
#include "common/testing/refuses.h"
#include "tests/common/model/pack_panels.h"
#include "tests/common/model/random_blocks.h"

namespace waitless {
namespace {

/// x W^T with panels: as many sums as a panel has rows grow together, over k in order.
Matrix linear_with_panels(const Weight& w, const Matrix& x) {
  const Index n = w.panel_rows;
  Matrix out = Matrix::Zero(x.rows(), w.n_panels() * n);  // with the padding of the last panel
  for (Index p = 0; p < w.n_panels(); ++p) {
    const float* panel = reinterpret_cast<const float*>(w.panel_data(p));
    for (Index t = 0; t < x.rows(); ++t) {
      for (Index k = 0; k < w.cols; ++k) {
        for (Index r = 0; r < n; ++r) out(t, p * n + r) += x(t, k) * panel[k * n + r];
      }
    }
  }
  EXPECT_EQ(out.rightCols(out.cols() - w.rows), Matrix::Zero(x.rows(), out.cols() - w.rows)) << "the padding";
  return out.leftCols(w.rows);
}

// Guards the layout of panels.
TEST(PackedWeight, GivesTheProductThatThePlainOneGives) {
  // Oracle: Eigen on the row-major weight.
  for (const auto& [rows, cols] : {std::pair<Index, Index>(1, 1), {31, 33}, {64, 7}, {65, 20}, {130, 48}}) {
    const Weight plain = make_weight(random_matrix(rows, cols));
    const Matrix x = random_matrix(3, cols, 2);
    EXPECT_TRUE(near(x * plain.f32().transpose(), linear_with_panels(pack_panels(plain, 64), x), 1e-5)) << rows;
  }
}

// Guards rows out of panels, which the embedding needs.
TEST(PackedWeight, ExpandsToWhatThePlainOneExpandsTo) {
  // Oracle: the row-major weight, in every format.
  for (const WeightFormat* format : file_formats()) {
    const Weight plain = format->values == 32 ? random_blocks(format->type, 33, 64).weight
                                              : stored_as(format->type)(make_weight(random_matrix(33, 64)));
    for (const int panel_rows : {2, 16, 64}) {
      const Weight packed = pack_panels(plain, panel_rows);
      EXPECT_EQ(expand(packed).f32(), expand(plain).f32()) << format->name << " " << panel_rows;
      EXPECT_EQ(expand(packed).panel_rows, 1);
      EXPECT_EQ(find_non_finite_row(packed), -1);
    }
  }
}

// Guards the sizes that bandwidth is computed from.
TEST(PackedWeight, CountsItsPaddingAndItsScales) {
  // Oracle: by hand: three panels of 64 rows of 20 halves.
  Weight w = pack_panels(stored_as(WeightType::kF16)(make_weight(random_matrix(130, 20))), 64);
  EXPECT_EQ(w.bytes(), 3 * 64 * 20 * 2);
  const std::vector<std::byte> scales(12);
  w.scales = scales;
  EXPECT_EQ(w.bytes(), 3 * 64 * 20 * 2 + 12);
}

// Guards operators that read row-major floats.
TEST(PackedWeight, IsNotTakenForPlainFloats) {
  const Weight w = pack_panels(make_weight(random_matrix(5, 4)), 8);
  EXPECT_TRUE(refuses_with<std::invalid_argument>([&] { w.f32(); }, {"F32 in panels of 8 rows", "expand()"}));
}

// Guards the columns that a rank of chapter 11 owns.
TEST(Weight, MayBeSomeColumnsOfAnotherWithoutACopy) {
  // Oracle: Eigen's block of the whole. In Q8_0 the cut is at a block's border.
  const Weight whole = make_weight(random_matrix(7, 10));
  Weight part = whole;
  part.data += 3 * sizeof(float);
  part.cols = 4;
  part.stride = whole.row_bytes();
  const Matrix expected = whole.f32().middleCols(3, 4);
  EXPECT_EQ(part.f32(), expected);
  EXPECT_EQ(expand(part).f32(), expected);
  EXPECT_EQ(expand(part).stride, 0);
  EXPECT_EQ(part.bytes(), 7 * 4 * 4);
  EXPECT_EQ(expand(pack_panels(part, 4)).f32(), expected);

  const RandomBlocks blocks = random_blocks(WeightType::kQ8_0, 5, 96);
  Weight right = blocks.weight;
  right.data += right.format->bytes;
  right.cols = 64;
  right.stride = blocks.weight.row_bytes();
  EXPECT_EQ(expand(right).f32(), blocks.values.rightCols(64));
}

/// A format of this test alone: signed bytes, and a scale for each row in Weight::scales.
const WeightFormat kInt8ByRows = {
    .name = "int8 by rows",
    .type = WeightType::kFirstOwn,
    .values = 1,
    .bytes = 1,
    .expand_row =
        [](const Weight& w, Index row, float* out) {
          const float scale = reinterpret_cast<const float*>(w.scales.data())[row];
          for (Index c = 0; c < w.cols; ++c) out[c] = scale * float(std::int8_t(w.row_data(row)[c * w.panel_rows]));
        },
    .row_is_finite = [](const Weight& w,
                        Index row) { return std::isfinite(reinterpret_cast<const float*>(w.scales.data())[row]); },
};

Weight to_int8_by_rows(const Weight& from_file) {
  struct Memory {
    std::vector<std::int8_t> codes;
    std::vector<float> scales;
  };
  const Weight f32 = expand(from_file);
  const auto memory = std::make_shared<Memory>();
  for (Index r = 0; r < f32.rows; ++r) {
    const float scale = f32.f32().row(r).cwiseAbs().maxCoeff() / 127;
    memory->scales.push_back(scale);
    for (Index c = 0; c < f32.cols; ++c) memory->codes.push_back(std::int8_t(std::lround(f32.f32()(r, c) / scale)));
  }
  Weight w = from_file;
  w.format = &kInt8ByRows;
  w.data = reinterpret_cast<const std::byte*>(memory->codes.data());
  w.scales = std::as_bytes(std::span(memory->scales));
  w.owner = w.scales_owner = memory;
  return w;
}

// Guards formats that chapters bring.
TEST(CarriedFormat, IsReadLikeAnyOther) {
  // Oracle: half a step of 1/127 of the largest value.
  const Matrix values = random_matrix(33, 20);
  const Weight w = to_int8_by_rows(make_weight(values));
  EXPECT_TRUE(near(values, expand(w).f32(), 0.501 / 127));
  EXPECT_EQ(expand(pack_panels(w, 16)).f32(), expand(w).f32());
  EXPECT_EQ(w.bytes(), 33 * 20 + 33 * 4);
  EXPECT_EQ(find_non_finite_row(w), -1);
  EXPECT_TRUE(refuses_with<std::invalid_argument>([&] { w.f32(); }, {"int8 by rows"}));
}

// Guards quantization at loading.
TEST(CarriedFormat, CanBeWhatAModelIsLoadedAs) {
  // Oracle: the model that was written.
  const Model model = random_model(small_config());
  const Model loaded = load_model(parse_gguf(to_gguf(model).bytes()), {.convert = to_int8_by_rows});
  EXPECT_EQ(loaded.layers[1].up.format, &kInt8ByRows);
  EXPECT_EQ(loaded.layers[1].up.layer, 1);
  EXPECT_EQ(loaded.layers[1].feed_forward_norm.type(), WeightType::kF32);
  EXPECT_TRUE(near(model.layers[1].up.f32(), expand(loaded.layers[1].up).f32(), 0.01));
}

/// Another one, of blocks that need no scales beside them: two values that share a byte.
struct HalfByteBlock {
  static constexpr int kValues = 2;
  std::uint8_t codes;
};
void decode(const HalfByteBlock& b, float* out) {
  out[0] = float(b.codes & 15);
  out[1] = float(b.codes >> 4);
}
bool is_finite(const HalfByteBlock&) { return true; }
const WeightFormat kHalfBytes = format_of<HalfByteBlock>("half bytes", WeightType(2000));

// Guards files in formats that chapters bring.
TEST(CarriedFormat, CanBeReadFromAFile) {
  // Oracle: by hand.
  GgufWriter file;
  file.tensors.push_back({"m", {4, 1}, 2000, "\x21\x43", {}});
  std::string bytes = file.bytes();
  const auto words = std::make_shared<std::vector<std::uint64_t>>(bytes.size() / 8 + 1);
  std::copy(bytes.begin(), bytes.end(), reinterpret_cast<char*>(words->data()));
  const std::span in(reinterpret_cast<const std::byte*>(words->data()), bytes.size());
  EXPECT_TRUE(refuses([&] { GgufFile::parse("m.gguf", in, words); }, "of type number 2000, which is not supported"));
  const GgufFile read = GgufFile::parse("m.gguf", in, words, {&kHalfBytes});
  EXPECT_EQ(expand(read.weight("m", WeightRole::kQuery, 0, 1, 4)).f32(), Matrix({{1, 2, 3, 4}}));
}

}  // namespace
}  // namespace waitless
