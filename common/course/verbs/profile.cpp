#include <algorithm>
#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "common/base/csv.h"
#include "common/base/error.h"
#include "common/course/grading/gtest.h"
#include "common/course/system/build.h"
#include "common/course/system/process.h"
#include "common/course/system/terminal.h"
#include "common/course/system/text.h"
#include "common/course/verbs/verbs.h"

namespace waitless::course {
namespace {

struct Accelerator {
  std::string name;
  double bandwidth;   // bytes per second
  double peak_flops;  // dense bf16 operations per second
};

/// @throws InputError if datasets/hardware.csv has no such row
Accelerator find_accelerator(const Repository& repository, const std::string& name) {
  std::vector<std::string> names;
  for (const CsvRow& row : read_csv(repository.root / "datasets" / "hardware.csv")) {
    names.push_back(row.at("name"));
    if (names.back() == name)
      return {name, csv_number(row, "bandwidth_gb_s") * 1e9, csv_number(row, "peak_bf16_tflops") * 1e12};
  }
  throw InputError(unknown("accelerator", name, names));
}

/// One kernel's sums over its buffers.
struct Traffic {
  double bytes = 0, sectors = 0, requests = 0, unique_bytes = 0;

  explicit Traffic(const nlohmann::json& kernel) {
    for (const auto& buffer : kernel.at("buffers")) {
      for (const char* direction : {"read", "written", "atomic"}) {
        const auto& traffic = buffer.at(direction);
        bytes += traffic.at("bytes").get<double>();
        sectors += traffic.at("sectors").get<double>();
        requests += traffic.at("requests").get<double>();
        unique_bytes += traffic.at("unique_bytes").get<double>();
      }
    }
  }
};

std::string number(const char* format, double value) {
  char text[40];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

/// "1.3 us" for what the bytes and operations take at the accelerator's limits, and which of the two.
std::vector<std::string> prediction(const Accelerator& accelerator, double n_bytes, double flops) {
  const double memory = n_bytes / accelerator.bandwidth, arithmetic = flops / accelerator.peak_flops;
  const double time = std::max(memory, arithmetic);
  return {time < 1e-6   ? number("%.1f ns", time * 1e9)
          : time < 1e-3 ? number("%.2f us", time * 1e6)
                        : number("%.2f ms", time * 1e3),
          memory >= arithmetic ? "memory" : "arithmetic"};
}

void print(const nlohmann::json& kernels, const Accelerator& accelerator) {
  constexpr double kSectorBytes = 32;
  std::vector<std::vector<std::string>> rows = {{"kernel", "launches", "threads", "active", "compulsory", "moved",
                                                 "useful", "sectors/req", "wavefr./req", "barriers", "flop/byte",
                                                 "at best", "bound"}};
  for (const auto& kernel : kernels) {
    const Traffic traffic(kernel);
    const double flops = kernel.at("declared_flops").get<double>(), threads = kernel.at("threads").get<double>();
    const double moved = traffic.sectors * kSectorBytes,
                 shared_requests = kernel.at("shared").at("requests").get<double>();
    const bool has_traffic = traffic.requests > 0;
    std::vector<std::string> row = {
        kernel.at("kernel").get<std::string>(),
        number("%.0f", kernel.at("launches").get<double>()),
        number("%.0f", threads),
        number("%.0f%%", 100 * kernel.at("active_threads").get<double>() / threads),
        bytes_text(traffic.unique_bytes),
        bytes_text(moved),
        has_traffic ? number("%.0f%%", 100 * traffic.bytes / moved) : "-",
        has_traffic ? number("%.2f", traffic.sectors / traffic.requests) : "-",
        shared_requests > 0 ? number("%.2f", kernel.at("shared").at("wavefronts").get<double>() / shared_requests)
                            : "-",
        number("%.0f", kernel.at("barriers").get<double>()),
        flops > 0 && has_traffic ? number("%.2f", flops / traffic.unique_bytes) : "-"};
    for (const std::string& cell : prediction(accelerator, traffic.unique_bytes, flops)) row.push_back(cell);
    rows.push_back(row);
  }
  std::cout << table(rows, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}) << "\n";
  std::cout
      << "compulsory: different bytes that the kernel touches.   moved: 32-byte sectors of all requests, before any\n"
         "cache.   useful: the part of these that threads asked for, over 100% if they share.   flop/byte: operations\n"
         "that the launcher declares, for each compulsory byte.\n"
      << "at best: a model, not a measurement: the compulsory bytes at " << number("%.0f", accelerator.bandwidth / 1e9)
      << " GB/s or the operations at " << number("%.0f", accelerator.peak_flops / 1e12) << " TFLOP/s (dense bf16) of "
      << accelerator.name << ", whichever takes longer.\n";
}

}  // namespace

int profile_command(const Repository& repository, const std::string& name, bool solution, const std::string& on) {
  const std::string chapter = repository.chapter(name),
                    target = chapter + (solution ? "_solution_profile" : "_starter_profile");
  const Accelerator accelerator = find_accelerator(repository, on);
  const std::vector<std::string> known = executable_targets(repository);
  if (std::find(known.begin(), known.end(), target) == known.end()) {
    throw InputError("there is nothing to profile: chapter " + chapter + " has no program in tests/" + chapter +
                     "/profile");
  }
  build_targets(repository, {target});
  const auto results = repository.root / "build" / "profile" / (chapter + ".json");
  std::filesystem::create_directories(results.parent_path());
  std::filesystem::remove(results);
  ProcessOptions options;
  options.environment = {{"WAITLESS_SIMT_PROFILE", results.string()}};
  const ProcessResult result = run_process({executable(repository, target).string()}, options);
  if (const std::string missing = not_implemented_text(result.output); !result.ok() && !missing.empty()) {
    std::cerr << "course: " << missing << "; ./course profile " << chapter.substr(0, 2) << " --solution shows ours\n";
    return 1;
  }
  std::cout << result.output;
  if (!result.ok()) {
    std::cerr << "course: " << target << " " << result.how_it_ended() << "\n";
    return 1;
  }
  if (!std::filesystem::exists(results)) {
    std::cerr
        << "course: there are no counters: kernels were compiled without them, which need g++ 11 or newer on Linux\n";
    return 1;
  }
  print(nlohmann::json::parse(read_text(results)), accelerator);
  std::cout << "All counters, by buffer, are in " << repository.shown(results) << "\n";
  return 0;
}

}  // namespace waitless::course
