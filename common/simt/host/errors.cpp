#include "common/simt/host/error_codes.h"
#include "common/simt/report.h"

const char* cudaGetErrorString(cudaError_t error) {
  switch (error) {
#define WAITLESS_SIMT_CASE(name, number, sentence) \
  case name:                                       \
    return sentence;
    WAITLESS_SIMT_ERRORS(WAITLESS_SIMT_CASE)
#undef WAITLESS_SIMT_CASE
  }
  return "unrecognized error code";
}

const char* cudaGetErrorName(cudaError_t error) {
  switch (error) {
#define WAITLESS_SIMT_CASE(name, number, sentence) \
  case name:                                       \
    return #name;
    WAITLESS_SIMT_ERRORS(WAITLESS_SIMT_CASE)
#undef WAITLESS_SIMT_CASE
  }
  return "unrecognized error code";
}

cudaError_t cudaGetLastError() { return waitless::simt::take_last_error(); }
cudaError_t cudaPeekAtLastError() { return waitless::simt::last_error(); }
