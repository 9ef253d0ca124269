#include "common/testing/guarded.h"

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <cmath>

namespace waitless {
namespace {

// Guards the guards around what a function under test may write.
TEST(Guarded, HoldsItsValuesInRowsThatLieFurtherApart) {
  // Oracle: the header.
  const Matrix values{{1, 2, 3}, {4, 5, 6}};
  Guarded guarded(values);
  EXPECT_EQ(guarded.values(), values);
  EXPECT_GT(guarded.view().outerStride(), 3);
  EXPECT_EQ(guarded.row(1)[2], 6.0f);
  guarded.view().row(0).setZero();
  EXPECT_EQ(guarded.values(), (Matrix{{0, 0, 0}, {4, 5, 6}}));
  EXPECT_TRUE(std::isnan(guarded.row(0).data()[3])) << "what is read behind a row shows in the result";
}

// Guards the guards around what a function under test may write.
TEST(Guarded, FailsTheTestIfSomethingElseIsWritten) {
  // Oracle: the header. One number behind a row, in front of the first, behind the last.
  const auto write_at = [](std::ptrdiff_t offset) {
    Guarded guarded(2, 3);
    guarded.row(0).data()[offset] = 0.0f;
  };
  const auto behind_the_last = [] {
    Guarded guarded(2, 3);
    guarded.row(1).data()[3] = 0.0f;
  };
  EXPECT_NONFATAL_FAILURE(write_at(3), "0 was written at [0, 3], outside of it");
  EXPECT_NONFATAL_FAILURE(write_at(-1), "outside of it");
  EXPECT_NONFATAL_FAILURE(behind_the_last(), "0 was written at [1, 3], outside of it");
  write_at(2);
}

}  // namespace
}  // namespace waitless
