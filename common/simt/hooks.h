#pragma once

#include <cstddef>
#include <cstdint>

#include "common/simt/host/runtime_api.h"

namespace waitless::simt {

struct GridShape;

/// What the runtime tells the checks (common/simt/checked). In the fast build nobody listens.
namespace hooks {

#if defined(WAITLESS_SIMT_CHECKED)

/// The checks see one thread block at a time: what they count must not depend on who was faster.
constexpr bool kOneBlockAtATime = true;
/// Freed device memory is not used again before so many bytes have been freed, and unused addresses lie between
/// allocations: so an access to the wrong memory does not land in another buffer.
constexpr std::size_t kQuarantineBytes = 64 << 20;
constexpr std::size_t kGapBytes = 64 << 10;

void allocated(void* start, std::size_t n_bytes, const char* file, int line);
void freed(void* start);
void copied(void* to, const void* from, std::size_t n_bytes, bool to_device, bool from_device, const void* stream);
void filled(void* start, std::size_t n_bytes, const void* stream);

void begin_launch(const GridShape& shape, const void* kernel);
void begin_block();
void end_block();
/// The block has been left, by its end or in the middle of a kernel.
void leave_kernel();
/// The instruction of the kernel that is to blame for what happens at `code`, which may be simt's own.
const void* kernel_code(const void* code);
/// @param is_complete false if something stopped the kernel
void end_launch(bool is_complete);

#else

constexpr bool kOneBlockAtATime = false;
constexpr std::size_t kQuarantineBytes = 0;
constexpr std::size_t kGapBytes = 0;

inline void allocated(void*, std::size_t, const char*, int) {}
inline void freed(void*) {}
inline void copied(void*, const void*, std::size_t, bool, bool, const void*) {}
inline void filled(void*, std::size_t, const void*) {}

inline void begin_launch(const GridShape&, const void*) {}
inline void begin_block() {}
inline void end_block() {}
inline void leave_kernel() {}
inline const void* kernel_code(const void* code) { return code; }
inline void end_launch(bool) {}

#endif

}  // namespace hooks
}  // namespace waitless::simt
