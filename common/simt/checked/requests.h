#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "common/simt/checked/record.h"

namespace waitless::simt::checked {

/// The kinds of memory whose requests are counted.
enum class Space : std::uint8_t { kGlobal, kShared };

enum class Direction : std::uint8_t { kRead, kWrite, kAtomic };

/// The lanes of a warp that executed one instruction for the n-th time: on a GPU one request to memory.
struct Request {
  std::uint32_t lanes;        // a bit for each
  std::uint32_t allocation;   // of the first lane that came
  std::uint32_t offsets[32];  // of the lanes, in device memory or in the thread block's shared memory
};

/// The requests of one instruction by one warp since the warp's lanes last met.
struct RequestQueue {
  std::array<std::uint32_t, 32> n_executed{};  // by each lane
  std::vector<Request> requests;
  std::uint32_t n_used = 0;
  bool is_listed = false;
};

/// An instruction that accesses memory: at -O2, one place in the kernel's source, or in a copy of it in an unrolled
/// loop.
struct Site {
  const void* code;  // the address after the call into the checks
  Space space;
  Direction direction;
  std::uint8_t size;
  std::array<std::unique_ptr<RequestQueue>, 32> queues;  // by warp
};

/// How many 32-byte sectors of device memory a request touches: what a GPU has to move.
int count_sectors(const Request& request, unsigned size);

/// In how many rounds a GPU can serve a request to shared memory. It has 32 banks of 4 bytes; one round reads at most
/// one word from each, for any number of lanes. Requests of 8 and 16 bytes a lane are served by half and quarter warps.
int count_wavefronts(const Request& request, unsigned size);

/// Groups the accesses of lanes into requests. A warp's n-th execution of an instruction is one request however its
/// lanes took turns; the count starts anew when all lanes have met at a barrier or warp function.
class Requests {
 public:
  /// Receives each request that is complete.
  class Sink {
   public:
    /// @param n_pieces sectors or wavefronts
    virtual void add_request(const Site& site, const Request& request, int n_pieces) = 0;

   protected:
    ~Sink() = default;
  };

  explicit Requests(Sink& sink) : sink_(sink) {}

  /// @return the site of an instruction; the same for the same arguments
  unsigned find_site(const void* code, Space space, Direction direction, unsigned size) {
    const std::uint64_t key = key_of(code, space, direction, size);
    for (std::size_t at = hash(key);; ++at) {
      const Slot& slot = table_[at & (kTableSize - 1)];
      if (slot.key == key) return slot.site;
      if (slot.key == 0) return add_site(key, code, space, direction, size);
    }
  }
  Site& site(unsigned number) { return *sites_[number]; }
  const Site& site(unsigned number) const { return *sites_[number]; }

  void add(Site& site, unsigned thread, std::uint32_t offset, std::uint32_t allocation) {
    const unsigned warp = thread / 32, lane = thread % 32;
    RequestQueue* queue = site.queues[warp].get();
    if (queue == nullptr || !queue->is_listed) [[unlikely]]
      queue = &prepare(site, warp);
    if (queue->n_executed[lane] == queue->requests.size()) [[unlikely]]
      grow(site, *queue);
    const std::uint32_t n = queue->n_executed[lane]++;
    Request& request = queue->requests[n];
    if (n == queue->n_used) {
      request.lanes = 0;
      request.allocation = allocation;
      ++queue->n_used;
    }
    request.lanes |= 1u << lane;
    request.offsets[lane] = offset;
  }

  /// The lanes of the warp have met: its requests are complete.
  void complete_warp(unsigned warp);
  void complete_all();

 private:
  static constexpr std::size_t kTableSize = 1 << 16;
  struct Slot {
    std::uint64_t key = 0;
    unsigned site = 0;
  };

  static std::uint64_t key_of(const void* code, Space space, Direction direction, unsigned size) {
    return reinterpret_cast<std::uintptr_t>(code) << 9 | static_cast<unsigned>(space) << 7 |
           static_cast<unsigned>(direction) << 5 | size;
  }
  static std::size_t hash(std::uint64_t key) { return key * 0x9e3779b97f4a7c15u >> 48; }

  unsigned add_site(std::uint64_t key, const void* code, Space space, Direction direction, unsigned size);
  RequestQueue& prepare(Site& site, unsigned warp);
  void grow(Site& site, RequestQueue& queue);
  void complete(Site& site, RequestQueue& queue);

  Sink& sink_;
  std::vector<Slot> table_ = std::vector<Slot>(kTableSize);
  std::vector<std::unique_ptr<Site>> sites_;
  std::array<std::vector<Site*>, 32> listed_;  // by warp: sites with requests
};

}  // namespace waitless::simt::checked
