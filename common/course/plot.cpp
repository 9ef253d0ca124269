#include <algorithm>
#include <cctype>
#include <filesystem>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "common/course/process.h"
#include "common/course/text.h"
#include "common/course/verbs.h"
#include "common/error.h"

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

}  // namespace

int plot_command(const Repository& repository, const std::string& name) {
  const std::string chapter = repository.chapter(name);
  const fs::path results = repository.root / "build" / "bench" / (chapter + ".json");
  const fs::path scripts = repository.tests(chapter) / "plots", folder = repository.root / "build" / "plots" / chapter;
  if (!fs::is_directory(scripts)) throw InputError("chapter " + chapter + " has no plots");
  if (!fs::exists(results))
    throw InputError("there is nothing to plot yet: run ./course bench " + chapter.substr(0, 2));
  const auto json = nlohmann::json::parse(read_text(results), nullptr, false);
  if (!json.is_object() || !json.contains("benchmarks"))
    throw InputError(repository.shown(results) + " is not complete: run ./course bench " + chapter.substr(0, 2));
  for (const auto& [family, csv] : tables(json)) write_text(folder / (family + ".csv"), csv);

  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(scripts)) {
    if (entry.path().extension() == ".gnuplot") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  bool has_failed = false;
  for (const fs::path& script : files) {
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
        std::cerr << result.output << "course: gnuplot " << result.how_it_ended() << " at " << repository.shown(script)
                  << "\n";
        has_failed = true;
      }
    }
  }
  return has_failed ? 1 : 0;
}

}  // namespace waitless::course
