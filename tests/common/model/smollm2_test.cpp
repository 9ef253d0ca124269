// Guards common/model on a real model: its numbers, and the memory that loading takes.
#include "common/testing/smollm2.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "common/model/gguf.h"
#include "common/model/model.h"
#include "common/testing/refuses.h"

namespace waitless {
namespace {

class SmolLm2Model : public NeedsSmolLm2 {};

/// The largest memory that this process has occupied since reset_peak_memory(), in bytes; 0 if the system does not
/// tell (only Linux does).
double peak_memory() {
  std::ifstream in("/proc/self/status");
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("VmHWM:")) return std::stod(line.substr(6)) * 1024;
  }
  return 0;
}

bool reset_peak_memory() {
  std::ofstream out("/proc/self/clear_refs");
  out << "5";
  return bool(out.flush());
}

// Guards the metadata.
TEST_F(SmolLm2Model, HasTheShapeThatItsAuthorsPublished) {
  // Oracle: config.json of HuggingFaceTB/SmolLM2-135M-Instruct.
  const Config c = load_model(path_, {.convert = keep_as_in_file}).config;
  EXPECT_EQ(c.vocab_size, 49152);
  EXPECT_EQ(c.context_length, 8192);
  EXPECT_EQ(c.n_layers, 30);
  EXPECT_EQ(c.n_heads, 9);
  EXPECT_EQ(c.n_kv_heads, 3);
  EXPECT_EQ(c.head_dim, 64);
  EXPECT_EQ(c.d_model, 576);
  EXPECT_EQ(c.d_ff, 1536);
  EXPECT_EQ(c.rope.base, 100000);
}

// Guards the peak memory of loading.
TEST_F(SmolLm2Model, TakesAtMostAQuarterMoreMemoryThanItsExpandedWeights) {
  // Oracle: the operating system's count.
  const double before = peak_memory();
  if (before == 0 || !reset_peak_memory()) GTEST_SKIP() << "this system does not count the memory of a process";
  const double start = peak_memory();
  const Model model = load_model(path_);
  const double weights = double(model.bytes_per_forward());
  EXPECT_NEAR(weights, 538.06e6, 0.01e6);  // 134.5 million numbers
  EXPECT_LE(peak_memory() - start, 1.25 * weights);
}

// Guards against truncated files.
TEST_F(SmolLm2Model, IsRefusedIfTruncatedAtAnyHundredthOfItsLength) {
  std::ifstream in(path_, std::ios::binary);
  std::vector<std::uint64_t> words(std::filesystem::file_size(path_) / 8 + 1);
  const std::size_t size = std::size_t(std::filesystem::file_size(path_));
  in.read(reinterpret_cast<char*>(words.data()), std::streamsize(size));
  for (std::size_t percent = 0; percent < 100; ++percent) {
    const std::span bytes(reinterpret_cast<const std::byte*>(words.data()), size * percent / 100);
    EXPECT_TRUE(refuses([&] { GgufFile::parse("cut.gguf", bytes, nullptr); }, "cut.gguf: ")) << percent << " %";
  }
}

}  // namespace
}  // namespace waitless
