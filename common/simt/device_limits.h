#pragma once

#include <cstddef>

/// The limits of the modelled device, which are those of compute capability 8.0.
namespace waitless::simt {

constexpr int kComputeCapabilityMajor = 8;
constexpr int kComputeCapabilityMinor = 0;
constexpr int kWarpSize = 32;
constexpr unsigned kMaxThreadsPerBlock = 1024;
constexpr unsigned kMaxBlockSize[3] = {1024, 1024, 64};
constexpr unsigned kMaxGridSize[3] = {2147483647, 65535, 65535};
constexpr std::size_t kSharedBytesPerBlock = 48 << 10;      // without asking
constexpr std::size_t kMaxSharedBytesPerBlock = 163 << 10;  // with cudaFuncSetAttribute
constexpr std::size_t kSharedBytesPerMultiprocessor = 164 << 10;
constexpr int kMaxThreadsPerMultiprocessor = 2048;
constexpr int kRegistersPerBlock = 65536;
constexpr std::size_t kConstantBytes = 64 << 10;

}  // namespace waitless::simt
