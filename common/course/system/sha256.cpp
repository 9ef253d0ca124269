#include "common/course/system/sha256.h"

#include <string>

#include "common/base/error.h"
#include "common/course/system/process.h"
#include "common/course/system/text.h"

namespace waitless::course {

std::map<std::filesystem::path, std::string> sha256(const std::vector<std::filesystem::path>& files) {
  if (files.empty()) return {};
  std::vector<std::string> command = {"sha256sum"};
  if (find_program("sha256sum").empty()) command = {"shasum", "-a", "256"};
  command.push_back("--");
  for (const auto& file : files) command.push_back(file.string());
  const ProcessResult result = run_process(command);
  const std::vector<std::string> lines = split_lines(result.output);
  if (!result.ok() || lines.size() != files.size())
    throw InputError("cannot hash: " + std::string(trim(result.output)));

  // One line a file, in their order: the hash, then the name. A leading backslash says that the name is escaped.
  std::map<std::filesystem::path, std::string> hashes;
  for (std::size_t i = 0; i < files.size(); ++i) hashes[files[i]] = lines[i].substr(lines[i][0] == '\\' ? 1 : 0, 64);
  return hashes;
}

}  // namespace waitless::course
