#include "common/simt/checked/requests.h"

#include <algorithm>
#include <stdexcept>

namespace waitless::simt::checked {
namespace {

constexpr std::uint32_t kSectorBytes = 32, kWordBytes = 4, kBanks = 32;

// A lane that executes an instruction more often than this before the others follow does not wait for them in vain.
constexpr std::size_t kMaxQueuedRequests = 1 << 16;

}  // namespace

int count_sectors(const Request& request, unsigned size) {
  std::uint32_t seen[64];
  int n = 0;
  for (std::uint32_t rest = request.lanes; rest != 0; rest &= rest - 1) {
    const std::uint32_t offset = request.offsets[__builtin_ctz(rest)];
    for (std::uint32_t sector = offset / kSectorBytes; sector <= (offset + size - 1) / kSectorBytes; ++sector) {
      // Neighbours mostly share a sector, so the last one is compared first.
      int i = n;
      while (i > 0 && seen[i - 1] != sector) --i;
      if (i == 0) seen[n++] = sector;
    }
  }
  return n;
}

int count_wavefronts(const Request& request, unsigned size) {
  const int lanes_per_phase = size <= 4 ? 32 : size == 8 ? 16 : 8;
  int total = 0;
  for (int first = 0; first < 32; first += lanes_per_phase) {
    std::uint32_t words[kBanks][32];
    int n_words[kBanks] = {};
    int longest = 0;
    for (int lane = first; lane < first + lanes_per_phase; ++lane) {
      if ((request.lanes >> lane & 1) == 0) continue;
      const std::uint32_t offset = request.offsets[lane];
      for (std::uint32_t word = offset / kWordBytes; word <= (offset + size - 1) / kWordBytes; ++word) {
        const std::uint32_t bank = word % kBanks;
        int i = n_words[bank];
        while (i > 0 && words[bank][i - 1] != word) --i;
        if (i != 0) continue;
        words[bank][n_words[bank]++] = word;
        longest = std::max(longest, n_words[bank]);
      }
    }
    total += longest;
  }
  return total;
}

unsigned Requests::add_site(std::uint64_t key, const void* code, Space space, Direction direction, unsigned size) {
  if (sites_.size() == kTableSize / 2) throw std::length_error("simt: too many instructions that access memory");
  const auto number = static_cast<unsigned>(sites_.size());
  sites_.push_back(std::make_unique<Site>());
  Site& site = *sites_.back();
  site.code = code;
  site.space = space;
  site.direction = direction;
  site.size = static_cast<std::uint8_t>(size);
  std::size_t at = hash(key);
  while (table_[at & (kTableSize - 1)].key != 0) ++at;
  table_[at & (kTableSize - 1)] = {key, number};
  return number;
}

RequestQueue& Requests::prepare(Site& site, unsigned warp) {
  if (site.queues[warp] == nullptr) site.queues[warp] = std::make_unique<RequestQueue>();
  RequestQueue& queue = *site.queues[warp];
  queue.is_listed = true;
  listed_[warp].push_back(&site);
  return queue;
}

void Requests::grow(Site& site, RequestQueue& queue) {
  if (queue.requests.size() >= kMaxQueuedRequests) return complete(site, queue);
  queue.requests.resize(std::max<std::size_t>(8, 2 * queue.requests.size()));
}

void Requests::complete(Site& site, RequestQueue& queue) {
  for (std::uint32_t i = 0; i < queue.n_used; ++i) {
    const Request& request = queue.requests[i];
    const int n_pieces =
        site.space == Space::kGlobal ? count_sectors(request, site.size) : count_wavefronts(request, site.size);
    sink_.add_request(site, request, n_pieces);
  }
  queue.n_used = 0;
  queue.n_executed.fill(0);
}

void Requests::complete_warp(unsigned warp) {
  for (Site* site : listed_[warp]) {
    RequestQueue& queue = *site->queues[warp];
    complete(*site, queue);
    queue.is_listed = false;
  }
  listed_[warp].clear();
}

void Requests::complete_all() {
  for (unsigned warp = 0; warp < 32; ++warp) complete_warp(warp);
}

}  // namespace waitless::simt::checked
