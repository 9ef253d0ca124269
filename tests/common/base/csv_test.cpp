#include "common/base/csv.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "common/model/find_model.h"
#include "common/testing/refuses.h"

namespace waitless {
namespace {

/// A file with this text, deleted at the end.
class Table {
 public:
  explicit Table(const std::string& text) : path_(std::filesystem::path(testing::TempDir()) / "table.csv") {
    std::ofstream(path_) << text;
  }
  ~Table() { std::filesystem::remove(path_); }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

TEST(Csv, ReadsFieldsByTheNamesOfTheirColumns) {
  // Oracle: RFC 4180: quotes keep commas, and two quotes stand for one.
  const Table table("name,note\nA,\"one, two\"\n\nB,\"say \"\"no\"\"\"\n");
  const auto rows = read_csv(table.path());
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].at("note"), "one, two");
  EXPECT_EQ(rows[1].at("name"), "B");
  EXPECT_EQ(rows[1].at("note"), "say \"no\"");
}

TEST(Csv, NamesTheLineThatHasAnotherNumberOfFields) {
  // Oracle: the header.
  EXPECT_TRUE(refuses([&] { read_csv(Table("a,b\n1,2\n1,2,3\n").path()); }, "table.csv:3: has 3 fields, expected 2"));
  EXPECT_TRUE(refuses([&] { read_csv("/nowhere/table.csv"); }, "cannot read /nowhere/table.csv"));
}

TEST(Csv, NamesTheColumnThatHoldsNoNumber) {
  // Oracle: the header.
  const auto rows = read_csv(Table("name,size\nA,80\nB,eighty\nC,\nD,8 0\n").path());
  EXPECT_EQ(csv_number(rows[0], "size"), 80);
  for (int i = 1; i < 4; ++i) EXPECT_TRUE(refuses([&] { csv_number(rows[i], "size"); }, "no number in column size"));
  EXPECT_TRUE(refuses([&] { csv_number(rows[0], "weight"); }, "no number in column weight"));
}

TEST(Csv, OfTheCourseHoldNumbersAndSources) {
  // Oracle: what ./course fits and ./course profile read from each row.
  for (const auto& [file, columns] :
       {std::pair<const char*, std::vector<std::string>>{"hardware.csv",
                                                         {"memory_gib", "bandwidth_gb_s", "peak_bf16_tflops"}},
        {"model_shapes.csv", {"parameters", "n_layers", "n_kv_heads", "head_dim", "latent_dim", "rope_dim"}}}) {
    std::set<std::string> names;
    for (const CsvRow& row : read_csv(repository_root() / "datasets" / file)) {
      EXPECT_TRUE(names.insert(row.at("name")).second) << file << " names " << row.at("name") << " twice";
      EXPECT_FALSE(row.at("source").empty()) << row.at("name");
      for (const std::string& column : columns) EXPECT_GE(csv_number(row, column), 0) << row.at("name");
    }
    EXPECT_GE(names.size(), 5u);
  }
}

}  // namespace
}  // namespace waitless
