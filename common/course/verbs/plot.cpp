#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "common/base/error.h"
#include "common/course/system/build.h"
#include "common/course/system/process.h"
#include "common/course/system/terminal.h"
#include "common/course/system/text.h"
#include "common/course/verbs/verbs.h"

namespace waitless::course {
namespace {

namespace fs = std::filesystem;

/// "CachedToken/16/real_time" -> CachedToken and 16; without a number 0.
std::pair<std::string, std::string> family_and_argument(const std::string& name) {
  const std::size_t slash = name.find('/');
  std::string argument;
  for (std::size_t i = slash; i < name.size() && argument.empty(); i = name.find('/', i + 1)) {
    const std::string part = name.substr(i + 1, name.find('/', i + 1) - i - 1);
    if (!part.empty() && std::all_of(part.begin(), part.end(), [](unsigned char c) { return std::isdigit(c); }))
      argument = part;
  }
  return {name.substr(0, slash), argument.empty() ? "0" : argument};
}

double milliseconds(const nlohmann::json& entry) {
  const std::string unit = entry.value("time_unit", "ns");
  return entry.value("real_time", 0.0) * (unit == "ns" ? 1e-6 : unit == "us" ? 1e-3 : unit == "s" ? 1e3 : 1);
}

/// A table for each family of benchmarks: its argument, milliseconds, and its counters.
std::map<std::string, std::string> tables(const nlohmann::json& results) {
  static const std::set<std::string> bookkeeping = {"family_index",     "per_family_instance_index",
                                                    "repetitions",      "threads",
                                                    "repetition_index", "iterations",
                                                    "real_time",        "cpu_time"};
  std::map<std::string, std::string> csv;
  for (const auto& entry : results.at("benchmarks")) {
    const auto [family, argument] = family_and_argument(entry.value("name", ""));
    std::string head = "argument,milliseconds", row = argument + "," + std::to_string(milliseconds(entry));
    for (const auto& [key, value] : entry.items()) {
      if (!value.is_number() || bookkeeping.count(key)) continue;
      head += "," + key;
      row += "," + value.dump();
    }
    if (csv[family].empty()) csv[family] = head + "\n";
    csv[family] += row + "\n";
  }
  return csv;
}

/// Families whose table a plot reads and that were not measured.
std::vector<std::string> not_measured(const fs::path& script, const fs::path& folder) {
  static const std::regex table("\"(\\w+)\\.csv\"");
  const std::string text = read_text(script);
  std::set<std::string> families;
  for (std::sregex_iterator i(text.begin(), text.end(), table), end; i != end; ++i) {
    if (!fs::exists(folder / ((*i)[1].str() + ".csv"))) families.insert((*i)[1]);
  }
  return {families.begin(), families.end()};
}

/// Asks whether to run the benchmarks now, and does so after a yes.
/// @throws InputError where nobody can be asked, or after a no
void offer_to_measure(const Repository& repository, const std::string& chapter) {
  const std::string target = chapter + "_bench", number = chapter.substr(0, 2);
  build_targets(repository, {target});
  const ProcessResult list = run_process({executable(repository, target).string(), "--benchmark_list_tests"});
  const std::string how_long = std::to_string(split_lines(list.output).size()) + " measurements of a few seconds each";
  const std::string nothing = "there is nothing to plot yet: run ./course bench " + number + " first, " + how_long;
  if (isatty(STDIN_FILENO) == 0 || !is_terminal()) throw InputError(nothing);
  std::cout << "There is nothing to plot yet. ./course bench " << number << " takes " << how_long
            << ". Measure now? [y/N] " << std::flush;
  std::string answer;
  std::getline(std::cin, answer);
  if (answer.empty() || (answer[0] != 'y' && answer[0] != 'Y')) throw InputError(nothing);
  if (bench_command(repository, chapter, {}) != 0) throw InputError("the benchmarks failed");
}

}  // namespace

int plot_command(const Repository& repository, const std::string& name) {
  const std::string chapter = repository.chapter(name);
  const fs::path results = repository.root / "build" / "bench" / (chapter + ".json");
  const fs::path scripts = repository.tests(chapter) / "plots", folder = repository.root / "build" / "plots" / chapter;
  if (!fs::is_directory(scripts)) throw InputError("chapter " + chapter + " has no plots");
  if (!fs::exists(results)) offer_to_measure(repository, chapter);
  const auto json = nlohmann::json::parse(read_text(results), nullptr, false);
  if (!json.is_object() || !json.contains("benchmarks"))
    throw InputError(repository.shown(results) + " is not complete: run ./course bench " + chapter.substr(0, 2));
  if (fs::is_directory(folder)) {
    for (const auto& entry : fs::directory_iterator(folder)) {
      if (entry.path().extension() == ".csv") fs::remove(entry.path());  // of an earlier measurement
    }
  }
  for (const auto& [family, csv] : tables(json)) write_text(folder / (family + ".csv"), csv);

  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(scripts)) {
    if (entry.path().extension() == ".gnuplot") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  bool has_failed = false;
  for (const fs::path& script : files) {
    if (const auto missing = not_measured(script, folder); !missing.empty()) {
      std::cout << "left out " << script.stem().string() << ": the latest benchmarks have no "
                << join(missing, " and no ") << "\n";
      continue;
    }
    for (const auto& [ending, terminal] :
         {std::pair<std::string, std::string>{"svg", "svg size 800,480 font 'sans,14' background 'white'"},
          {"png", "pngcairo size 1200,720 font 'sans,18'"}}) {
      const fs::path picture = folder / (script.stem().string() + "." + ending);
      ProcessOptions options;
      options.folder = folder;
      const ProcessResult result = run_process(
          {"gnuplot", "-e",
           "set datafile separator ','; set terminal " + terminal + "; set output '" + picture.string() + "'",
           script.string()},
          options);
      if (result.ok()) {
        std::cout << "wrote " << repository.shown(picture) << "\n";
      } else {
        fs::remove(picture);
        std::cerr << result.output << "course: gnuplot " << result.how_it_ended() << " at " << repository.shown(script)
                  << "\n";
        has_failed = true;
      }
    }
  }
  return has_failed ? 1 : 0;
}

}  // namespace waitless::course
