#include "what_fits.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <stdexcept>

namespace waitless {
namespace {

// Grades exercise 2.11.
TEST(WhatFits, AddsUpTheHandComputedBill) {
  // Oracle: by hand. Memory of 1000; weights 300; 2 bytes a token: 3 sequences of 100 tokens take 600.
  const MemoryBill bill = what_fits({.weight_bytes = 300, .kv_bytes_per_token = 2}, 1000, 100, 3);
  EXPECT_EQ(bill.weight_bytes, 300);
  EXPECT_EQ(bill.kv_bytes, 600);
  EXPECT_EQ(bill.left_bytes, 100);
  EXPECT_TRUE(bill.fits());
  EXPECT_EQ(bill.largest_batch, 3) << "3.5 sequences of 200 bytes are 3";
  EXPECT_EQ(bill.longest_context, 116) << "700 / (3 * 2), rounded down";
}

// Grades exercise 2.11.
TEST(WhatFits, FindsTheEdgeExactly) {
  // Oracle: invariance. The largest batch fits and one more does not; likewise the longest context.
  const MemoryNeeds needs{.weight_bytes = 13'476'831'232, .kv_bytes_per_token = 524288};
  const std::int64_t memory = 80LL << 30;
  const MemoryBill bill = what_fits(needs, memory, 4096, 8);
  EXPECT_TRUE(what_fits(needs, memory, 4096, bill.largest_batch).fits());
  EXPECT_FALSE(what_fits(needs, memory, 4096, bill.largest_batch + 1).fits());
  EXPECT_TRUE(what_fits(needs, memory, bill.longest_context, 8).fits());
  EXPECT_FALSE(what_fits(needs, memory, bill.longest_context + 1, 8).fits());
  EXPECT_EQ(what_fits({.weight_bytes = 10, .kv_bytes_per_token = 1}, 20, 5, 2).left_bytes, 0);
  EXPECT_TRUE(what_fits({.weight_bytes = 10, .kv_bytes_per_token = 1}, 20, 5, 2).fits());
}

// Grades exercise 2.11.
TEST(WhatFits, SaysWhenNotEvenTheWeightsDo) {
  // Oracle: by hand.
  const MemoryBill bill = what_fits({.weight_bytes = 300, .kv_bytes_per_token = 2}, 200, 10, 1);
  EXPECT_FALSE(bill.fits());
  EXPECT_EQ(bill.left_bytes, -120);
  EXPECT_EQ(bill.largest_batch, 0);
  EXPECT_EQ(bill.longest_context, 0);
}

// Grades exercise 2.11.
TEST(WhatFits, CountsInSixtyFourBits) {
  // Oracle: by hand. 2^32 tokens; then a cache of exactly 2^63 - 1 bytes, the most that there is.
  const std::int64_t most = std::numeric_limits<std::int64_t>::max(), million = 1 << 20;
  EXPECT_EQ(what_fits({.weight_bytes = 0, .kv_bytes_per_token = 1}, 0, million, 4096).kv_bytes, 4096 * million);
  const MemoryBill largest = what_fits({.weight_bytes = 0, .kv_bytes_per_token = 7}, most, most / 7, 1);
  EXPECT_EQ(largest.kv_bytes, most);
  EXPECT_EQ(largest.left_bytes, 0);
  EXPECT_EQ(largest.largest_batch, 1);
}

// Grades exercise 2.11.
TEST(WhatFits, RefusesWhatSixtyFourBitsDoNotHold) {
  // Oracle: the header. 2^72 bytes, of which the lower 64 bits are 0; then 2^63 bytes, by the caches and by the sum.
  const std::int64_t one = 1;
  const auto refuses = [](const MemoryNeeds& needs, std::int64_t context, std::int64_t batch) {
    EXPECT_THROW(what_fits(needs, 1LL << 50, context, batch), std::invalid_argument)
        << needs.weight_bytes << " + " << batch << " * " << context << " * " << needs.kv_bytes_per_token;
  };
  refuses({.weight_bytes = 0, .kv_bytes_per_token = one << 40}, one << 22, one << 10);
  refuses({.weight_bytes = 0, .kv_bytes_per_token = one << 21}, one << 21, one << 21);
  refuses({.weight_bytes = one << 62, .kv_bytes_per_token = 1}, one << 62, 1);
  refuses({.weight_bytes = 1, .kv_bytes_per_token = 7}, std::numeric_limits<std::int64_t>::max() / 7, 1);
}

// Grades exercise 2.11.
TEST(WhatFits, RefusesNonsense) {
  // Oracle: the header.
  EXPECT_THROW(what_fits({.weight_bytes = -1, .kv_bytes_per_token = 2}, 10, 1, 1), std::invalid_argument);
  EXPECT_THROW(what_fits({.weight_bytes = 1, .kv_bytes_per_token = 0}, 10, 1, 1), std::invalid_argument);
  EXPECT_THROW(what_fits({.weight_bytes = 1, .kv_bytes_per_token = 1}, -1, 1, 1), std::invalid_argument);
  EXPECT_THROW(what_fits({.weight_bytes = 1, .kv_bytes_per_token = 1}, 10, 0, 1), std::invalid_argument);
  EXPECT_THROW(what_fits({.weight_bytes = 1, .kv_bytes_per_token = 1}, 10, 1, 0), std::invalid_argument);
}

}  // namespace
}  // namespace waitless
