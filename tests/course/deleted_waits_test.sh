#!/bin/bash
# Each barrier of the chapters' kernels and of simt's own tests, as if it were deleted: somebody has to notice.
# usage: deleted_waits_test.sh COURSE_PROGRAM
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "$(dirname "$1")/../.." && pwd)
cd "$root" || exit 1
failed=0

try() {
  local program=$1 filter=$2
  shift 2
  bash tests/common/simt_checked/deleted_waits.sh "$program" "$filter" "$@" || failed=1
}

semantics=$build/tests/common/simt_checked/waitless_simt_semantics_checked_test
if ! [ -x "$semantics" ]; then
  echo "checks and counters are not built"
  exit 77
fi
try "$semantics" '*forward_1_worker:*reverse_1_worker' tests/common/simt/*_kernels.cu
for folder in solutions/*/; do
  chapter=$(basename "$folder")
  compgen -G "$folder*.cu" >/dev/null && try "$build/${chapter}_solution_test" '*Cuda*' "$folder"*.cu
done
exit $failed
