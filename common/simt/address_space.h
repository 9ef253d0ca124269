#pragma once

#include <cstddef>
#include <new>
#include <string>

namespace waitless::simt {

/// The system gives no more addresses, which is not the same as no more memory: simt reserves many and uses few.
class NoAddressSpace : public std::bad_alloc {
 public:
  explicit NoAddressSpace(std::size_t n_bytes);
  const char* what() const noexcept override { return what_.c_str(); }

 private:
  std::string what_;
};

/// Addresses for `n_bytes`, which take memory when they are first used and are zero then.
/// @param protection as mmap()'s
/// @throws NoAddressSpace
void* reserve_addresses(std::size_t n_bytes, int protection);

}  // namespace waitless::simt
