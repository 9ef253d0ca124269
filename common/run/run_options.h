#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "common/run/models.h"
#include "common/run/run.h"

namespace waitless {

/// What the command line of a chapter's program asks for.
struct RunOptions {
  std::string model = kDefaultModel;
  std::string prompt = "It is a truth universally acknowledged";
  std::string chat;
  int max_tokens = 64;
  float temperature = 0;
  int top_k = 0;
  float top_p = 1;
  std::uint64_t seed = 1;
  std::filesystem::path record;
  bool cuda = false;
  std::string compare;     // chapter of a baseline
  std::string experiment;  // option of the experiment that runs instead
};

/// Reads the options of a chapter's program and calls `run` with them. What is wrong with them, or goes wrong in `run`,
/// is printed as one sentence.
/// @return the exit status
int run_with_options(int argc, char** argv, const ChapterProgram& chapter,
                     const std::function<void(const RunOptions&)>& run);

}  // namespace waitless
