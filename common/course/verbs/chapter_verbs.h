#pragma once

#include <string>
#include <vector>

#include "common/course/system/repository.h"

namespace waitless::course {

/// A command that a chapter brings: ./course NAME becomes the chapter's program, called with this name.
struct ChapterVerb {
  std::string name, summary;
  std::string chapter;  // "02_kv_cache"
};

/// What the chapters declare in tests/NN_name/verbs.csv, in the order of chapters.
/// @throws InputError if such a file cannot be read, or two chapters bring the same verb
std::vector<ChapterVerb> chapter_verbs(const Repository& repository);

}  // namespace waitless::course
