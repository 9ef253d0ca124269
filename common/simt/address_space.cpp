#include "common/simt/address_space.h"

#include <sys/mman.h>

namespace waitless::simt {

NoAddressSpace::NoAddressSpace(std::size_t n_bytes)
    : what_("simt cannot reserve " + std::to_string((n_bytes >> 20) + 1) +
            " MB of addresses: if `ulimit -v` prints a number, the address space is limited; ulimit -v unlimited") {}

void* reserve_addresses(std::size_t n_bytes, int protection) {
  void* memory = mmap(nullptr, n_bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw NoAddressSpace(n_bytes);
  return memory;
}

}  // namespace waitless::simt
