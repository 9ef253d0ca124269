#include "common/simt/checked/at_exit.h"

#include <cstdio>
#include <cstdlib>
#include <string>

#include "common/simt/checked/allocations.h"
#include "common/simt/checked/experiments.h"
#include "common/simt/counters.h"

namespace waitless::simt::checked {
namespace {

std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + "\"";
}

/// "key": 12
std::string field(const char* key, double value) {
  char text[80];
  std::snprintf(text, sizeof text, "\"%s\": %.17g", key, value);
  return text;
}

std::string to_json(const MemoryTraffic& traffic) {
  return "{" + field("accesses", double(traffic.accesses)) + ", " + field("requests", double(traffic.requests)) + ", " +
         field("sectors", double(traffic.sectors)) + ", " + field("bytes", double(traffic.bytes)) + ", " +
         field("unique_bytes", double(traffic.unique_bytes)) + "}";
}

std::string to_json(const BufferCounters& buffer) {
  const std::string name = buffer.file == nullptr ? "" : variable_declared_at(buffer.file, buffer.line);
  const std::string place = buffer.file == nullptr ? "" : std::string(buffer.file) + ":" + std::to_string(buffer.line);
  return "{\"name\": " + quoted(name) + ", \"place\": " + quoted(place) + ", " +
         field("n_bytes", double(buffer.n_bytes)) + ",\n       \"read\": " + to_json(buffer.read) +
         ",\n       \"written\": " + to_json(buffer.written) + ",\n       \"atomic\": " + to_json(buffer.atomic) + "}";
}

std::string to_json(const KernelCounters& kernel) {
  std::string json =
      "  {\"kernel\": " + quoted(kernel.kernel) + ", " + field("launches", double(kernel.launches)) + ", " +
      field("blocks", double(kernel.blocks)) + ", " + field("threads", double(kernel.threads)) + ",\n   " +
      field("active_threads", double(kernel.active_threads)) + ", " + field("barriers", double(kernel.barriers)) +
      ", " + field("warp_waits", double(kernel.warp_waits)) + ", " + field("declared_flops", kernel.declared_flops) +
      ",\n   \"shared\": {" + field("accesses", double(kernel.shared.accesses)) + ", " +
      field("requests", double(kernel.shared.requests)) + ", " + field("wavefronts", double(kernel.shared.wavefronts)) +
      ", " + field("bytes", double(kernel.shared.bytes)) + "},\n   \"buffers\": [";
  const char* separator = "\n      ";
  for (const BufferCounters& buffer : kernel.buffers) {
    json += separator + to_json(buffer);
    separator = ",\n      ";
  }
  return json + "]}";
}

void write_profile(const char* path) {
  std::FILE* const file = std::fopen(path, "w");
  if (file == nullptr) {
    std::fprintf(stderr, "simt: cannot write the profile to %s\n", path);
    return;
  }
  const char* separator = "";
  std::fprintf(file, "[\n");
  for (const KernelCounters& kernel : all_counters()) {
    std::fprintf(file, "%s%s", separator, to_json(kernel).c_str());
    separator = ",\n";
  }
  std::fprintf(file, "\n]\n");
  std::fclose(file);
}

void report() {
  for (const LiveBuffer& buffer : live_buffers()) {
    std::fprintf(stderr, "simt: the program ends without freeing %s\n", buffer.description.c_str());
  }
  if (std::getenv("WAITLESS_SIMT_SKIP_WAIT") != nullptr && n_skipped_waits() == 0) {
    std::fprintf(stderr, "simt: no kernel came to WAITLESS_SIMT_SKIP_WAIT\n");
  }
  if (const char* path = std::getenv("WAITLESS_SIMT_PROFILE")) write_profile(path);
}

}  // namespace

void report_at_exit() {
  // Objects of static storage whose memory is allocated later are destroyed earlier, so they are not reported.
  static const int registered = std::atexit(report);
  static_cast<void>(registered);
}

}  // namespace waitless::simt::checked
