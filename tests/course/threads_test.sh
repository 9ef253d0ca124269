#!/usr/bin/env bash
# How many threads a program has, and how long those wait that have nothing to do: threads_test.sh PROGRAM, of the same build.
set -u
build=$(cd "$(dirname "$1")/../.." && pwd)
. "$(dirname "$0")/shell_testing.sh"
program=$build/tests/waitless_common_test
if ! ldd "$program" 2>/dev/null | grep -q libgomp; then
  echo 'the programs are not linked with libgomp'
  exit 77
fi
unset GOMP_SPINCOUNT OMP_WAIT_POLICY OMP_NUM_THREADS
last_setting() { OMP_DISPLAY_ENV=verbose "${@:2}" "$program" --gtest_filter='OpenMpSettings.*' 2>&1 | grep -o "$1 = '[^']*'" | tail -n 1; }

# libgomp has read what the program set, unless somebody else has decided.
expect 0 "^GOMP_SPINCOUNT = '3000'$" last_setting GOMP_SPINCOUNT env
expect 0 "^GOMP_SPINCOUNT = '77'$" last_setting GOMP_SPINCOUNT env GOMP_SPINCOUNT=77
expect 0 "^OMP_WAIT_POLICY = 'ACTIVE'$" last_setting OMP_WAIT_POLICY env OMP_WAIT_POLICY=active

# A program that may use one processor starts no thread beside its own.
if command -v taskset >/dev/null; then
  expect 0 'PASSED' taskset -c 0 "$program" --gtest_filter='ParallelFor.*'
fi
finish
