#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "common/cuda/cuda_check.h"
#include "common/simt/settings.h"

namespace waitless::simt_test {

/// One worker, and each order in which threads and thread blocks may get their turn.
inline std::vector<simt::Settings> all_orders() {
  return {{1, simt::ThreadOrder::kForward, 0},
          {1, simt::ThreadOrder::kReverse, 0},
          {1, simt::ThreadOrder::kRandom, 1},
          {1, simt::ThreadOrder::kRandom, 2}};
}

/// Runs the tests' kernels in another order, and restores the order at the end.
class InOrder {
 public:
  explicit InOrder(const simt::Settings& settings) : before_(simt::settings()) { simt::set_settings(settings); }
  ~InOrder() { simt::set_settings(before_); }
  InOrder(const InOrder&) = delete;
  InOrder& operator=(const InOrder&) = delete;

 private:
  simt::Settings before_;
};

/// @return the message of the CudaError that the call throws, or "" if it throws none
inline std::string finding(void (*call)()) {
  try {
    call();
  } catch (const CudaError& error) {
    return error.what();
  }
  return "";
}

inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// The numbers of the lines of a source file that end with a text.
inline std::vector<int> lines_with(const std::string& file, const std::string& text) {
  std::ifstream source(std::string(WAITLESS_SOURCE_DIR "/") + file);
  std::vector<int> numbers;
  std::string line;
  for (int number = 1; std::getline(source, line); ++number) {
    if (line.ends_with(text)) numbers.push_back(number);
  }
  return numbers;
}

}  // namespace waitless::simt_test
