#!/bin/bash
# Runs past each __syncthreads() and __syncwarp() of some .cu files in turn, as if it had been deleted; one that votes is
# replaced by what the thread itself said. The tests have to notice, or redundant_waits.txt has to say why there is
# nothing to notice.
#
# usage: deleted_waits.sh PROGRAM FILTER FILE...
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
program=$1 filter=$2
shift 2
failures=0 n=0
for file in "$@"; do
  number=0
  while IFS=: read -r line _; do
    number=$((number + 1)) n=$((n + 1))
    place="$file:$line"
    output=$(WAITLESS_SIMT_SKIP_WAIT="$place" "$program" --gtest_brief=1 --gtest_filter="$filter" 2>&1)
    status=$?
    if grep -q "no kernel came to" <<<"$output"; then
      echo "$place: no test runs it"
      failures=$((failures + 1))
    elif grep -q "^$file $number:" "$here/redundant_waits.txt"; then
      if [ $status -ne 0 ]; then
        echo "$place: is not redundant, though redundant_waits.txt says so"
        failures=$((failures + 1))
      fi
    elif [ $status -eq 0 ]; then
      echo "$place: nobody notices when it is deleted"
      failures=$((failures + 1))
    fi
  done < <(grep -nE '^[^/]*(__syncthreads(_or|_and|_count)?|__syncwarp)\(' "$root/$file")
done
echo "$n waits, $failures failures"
[ $failures -eq 0 ]
