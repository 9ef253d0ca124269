#pragma once

namespace waitless::simt::checked {

/// Arranges for what is said when the program ends: device memory that was not freed, a wait that was to be skipped and
/// never came, and the profile if WAITLESS_SIMT_PROFILE names a file. To be called at the first allocation.
void report_at_exit();

}  // namespace waitless::simt::checked
