#pragma once

/// Thread-local storage at the cost of a global variable.
///
/// `__thread` and not thread_local: the compiler refuses initializers that need code, so no access has to ask whether
/// that code has run. Local-exec: the variable lives in the program and not in a shared library, so its distance from
/// the thread pointer is a constant.
#if defined(__ELF__)
#define WAITLESS_SIMT_THREAD_LOCAL __thread __attribute__((tls_model("local-exec")))
#else
#define WAITLESS_SIMT_THREAD_LOCAL __thread
#endif
