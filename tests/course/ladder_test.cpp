// Guards verbs/ladder: what programs say of themselves and of a generation, and the table of ./course demo.
#include "common/course/verbs/ladder.h"

#include <gtest/gtest.h>

#include "fake_repository.h"

namespace waitless::course {
namespace {

// Guards what demo asks.
TEST(ProgramDescription, SaysWhetherThereIsText) {
  const ProgramDescription d =
      parse_description(R"({"technique": "echo", "generates_text": true, "has_cuda": false})", "x");
  EXPECT_EQ(d.technique, "echo");
  EXPECT_TRUE(d.generates_text);
  EXPECT_FALSE(d.has_cuda);
  for (const char* text : {"", "It was a truth", "[]", R"({"technique": "echo"})"})
    EXPECT_EQ(error_of([&] { parse_description(text, "x"); }),
              "x: does not describe itself: it needs technique, generates_text and has_cuda");
}

// Guards records.
TEST(Ladder, NeedsEveryNumberOfARecord) {
  EXPECT_EQ(error_of([] { parse_record("{}", "r.json"); }), "r.json: has no number ttft_s");
  EXPECT_EQ(error_of([] { parse_record("It was", "r.json"); }), "r.json: has no number ttft_s");
}

// Guards the column of bandwidth.
TEST(Ladder, ComparesWithTheMemoryOnlyWhatWaitsForIt) {
  // Oracle: by hand. A small model stays in the processor's cache; simt's time says nothing about any memory.
  const LadderStep large{.technique = "large", .backend = "cpu", .bandwidth_share = 0.41};
  const LadderStep small{.technique = "small", .backend = "cpu", .bandwidth_share = 1.06, .fits_cache = true};
  const LadderStep simt{.technique = "simt", .backend = "simt", .bandwidth_share = 0.41};
  EXPECT_NE(ladder_table({large}).find("41 %"), std::string::npos);
  EXPECT_EQ(ladder_table({large}).find("In cache"), std::string::npos);
  EXPECT_EQ(ladder_table({large}).find("simt runs"), std::string::npos);
  const std::string table = ladder_table({small, simt});
  EXPECT_EQ(table.find(" %"), std::string::npos) << table;
  EXPECT_NE(table.find("in cache"), std::string::npos) << table;
  EXPECT_NE(table.find("simt runs CUDA threads"), std::string::npos) << table;
}

}  // namespace
}  // namespace waitless::course
