#include "common/simt/checked/allocations.h"

#include <sys/mman.h>

#include <algorithm>
#include <fstream>
#include <new>
#include <regex>

#include "common/simt/address_space.h"

namespace waitless::simt::checked {

DeviceAllocations::DeviceAllocations() : base_(static_cast<const char*>(device_memory_begin())) {
  const std::size_t n_bytes = kDeviceMemorySize / kGranule * sizeof(std::uint32_t);
  by_granule_ = static_cast<std::uint32_t*>(reserve_addresses(n_bytes, PROT_READ | PROT_WRITE));
  allocations_.push_back(std::make_unique<DeviceAllocation>());
}

void DeviceAllocations::add(const void* start, std::size_t n_bytes, const char* file, int line) {
  auto allocation = std::make_unique<DeviceAllocation>();
  allocation->offset = offset_of(start);
  allocation->n_bytes = n_bytes;
  allocation->is_live = true;
  allocation->file = file;
  allocation->line = line;
  allocation->shadow = Shadow(n_bytes);
  const auto number = static_cast<std::uint32_t>(allocations_.size());
  for (std::size_t granule = allocation->offset / kGranule;
       granule <= (allocation->offset + std::max<std::size_t>(n_bytes, 1) - 1) / kGranule; ++granule) {
    by_granule_[granule] = number;
  }
  allocations_.push_back(std::move(allocation));
}

void DeviceAllocations::remove(const void* start) {
  DeviceAllocation& allocation = *allocations_[find(offset_of(start))];
  allocation.is_live = false;
  allocation.shadow = Shadow();
  allocation.initialised_bits = {};
}

std::uint32_t DeviceAllocations::find_or_previous(std::size_t offset) const {
  constexpr std::size_t kFarthest = 1 << 20;
  for (std::size_t distance = 0; distance <= std::min(offset, kFarthest); distance += kGranule) {
    if (const std::uint32_t number = find(offset - distance); number != 0) return number;
  }
  return 0;
}

DeviceAllocation* DeviceAllocations::find_live(const void* address) {
  if (!is_device_address(address)) return nullptr;
  DeviceAllocation& allocation = *allocations_[find(offset_of(address))];
  return allocation.is_live ? &allocation : nullptr;
}

void DeviceAllocations::set_initialised(const void* start, std::size_t n_bytes) {
  DeviceAllocation* const allocation = find_live(start);
  if (allocation == nullptr || allocation->is_initialised || n_bytes == 0) return;
  const std::size_t first = offset_of(start) - allocation->offset;
  if (first == 0 && n_bytes == allocation->n_bytes) {
    allocation->is_initialised = true;
    allocation->initialised_bits = {};
    return;
  }
  std::vector<std::uint8_t>& bits = allocation->initialised_bits;
  if (bits.empty()) bits.resize(allocation->n_bytes / 8 + 8);
  for (std::size_t byte = first; byte < first + n_bytes;) {
    if (byte % 8 == 0 && byte + 8 <= first + n_bytes) {
      bits[byte / 8] = 0xff;
      byte += 8;
    } else {
      bits[byte / 8] |= 1u << byte % 8;
      ++byte;
    }
  }
}

bool DeviceAllocations::is_initialised(const DeviceAllocation& allocation, std::size_t offset, std::size_t size) {
  if (allocation.is_initialised) return true;
  const std::vector<std::uint8_t>& bits = allocation.initialised_bits;
  for (std::size_t byte = offset; byte < offset + size; ++byte) {
    const bool is_set = !bits.empty() && (bits[byte / 8] >> byte % 8 & 1) != 0;
    if (!is_set && !allocation.shadow.is_written(byte, 1)) return false;
  }
  return true;
}

void DeviceAllocations::copy_initialised(const void* to, const void* from, std::size_t n_bytes) {
  const DeviceAllocation* const source = find_live(from);
  if (source == nullptr || source->is_initialised) return set_initialised(to, n_bytes);
  const std::size_t offset = offset_of(from) - source->offset;
  // In runs of bytes that are initialised.
  for (std::size_t begin = 0; begin < n_bytes;) {
    std::size_t end = begin;
    while (end < n_bytes && is_initialised(*source, offset + end, 1)) ++end;
    set_initialised(static_cast<const char*>(to) + begin, end - begin);
    begin = end + 1;
  }
}

std::string variable_declared_at(const char* file, int line) {
#if defined(WAITLESS_SIMT_SOURCE_DIR)
  std::ifstream source(file[0] == '/' ? file : std::string(WAITLESS_SIMT_SOURCE_DIR "/") + file);
#else
  std::ifstream source(file);
#endif
  std::string text;
  for (int i = 0; i < line; ++i) {
    if (!std::getline(source, text)) return "";
  }
  std::smatch match;
  // Never destroyed: also used while the program ends.
  static const std::regex& declaration = *new std::regex(R"((?:DeviceBuffer<[^;()]*>|OnDevice)\s+(\w+)\s*[({=])");
  static const std::regex& allocation = *new std::regex(R"(cudaMalloc\(\s*&(\w+)\s*,)");
  if (!std::regex_search(text, match, declaration) && !std::regex_search(text, match, allocation)) return "";
  // Of several variables on one line, it cannot be told which one was meant.
  const std::string name = match[1], rest = match.suffix();
  int depth = 1;
  for (const char c : rest) {
    depth += c == '(' || c == '{' || c == '<';
    depth -= c == ')' || c == '}' || c == '>';
    if (depth == 0 && c == ',') return "";
    if (c == ';') break;
  }
  return name;
}

std::string describe(const DeviceAllocation& allocation) {
  const std::string size = std::to_string(allocation.n_bytes) + " bytes";
  if (allocation.file == nullptr) return "an allocation of " + size;
  const std::string place = std::string(allocation.file) + ":" + std::to_string(allocation.line);
  const std::string name = variable_declared_at(allocation.file, allocation.line);
  if (name.empty()) return "the " + size + " allocated at " + place;
  return name + " (" + size + ", allocated at " + place + ")";
}

}  // namespace waitless::simt::checked
