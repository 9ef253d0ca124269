#include "common/course/verbs.h"
#include "common/error.h"

namespace waitless::course {

int docs_command(const Repository&) { throw InputError("not written yet"); }

}  // namespace waitless::course
