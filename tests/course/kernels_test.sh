#!/usr/bin/env bash
# The kernels of the chapters: correct in each order of threads, and counted alike on every machine.
# usage: kernels_test.sh COURSE_PROGRAM
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "$(dirname "$1")/../.." && pwd)
. "$(dirname "$0")/shell_testing.sh"
cd "$root" || exit 1
if ! [ -x "$build/tests/common/simt_checked/waitless_simt_checked_test" ]; then
  echo "checks and counters are not built"
  exit 77
fi
chapters=$(cd solutions && for folder in */; do compgen -G "$folder*.cu" >/dev/null && echo "${folder%/}"; done)

# A correct kernel raises no alarm and gives its results in whichever order its threads run.
for chapter in $chapters; do
  for order in reverse random:1 random:2; do
    WAITLESS_SIMT_ORDER=$order expect 0 'PASSED' "$build/${chapter}_solution_test" --gtest_brief=1 --gtest_filter='*Cuda*'
  done
done

# counts CHAPTER BUILD: all counters of the chapter's kernels.
counts() {
  local file
  file=$(mktemp)
  WAITLESS_SIMT_PROFILE=$file "$2/${1}_solution_profile" >/dev/null && cat "$file"
  rm -f "$file"
}

for chapter in $chapters; do
  expected=$(counts "$chapter" "$build")
  grep -q '"kernel"' <<<"$expected" || fail "no counters of chapter $chapter"
  for workers in 1 2 8; do
    for order in forward reverse random; do
      [ "$(WAITLESS_SIMT_WORKERS=$workers WAITLESS_SIMT_ORDER=$order counts "$chapter" "$build")" = "$expected" ] ||
        fail "other counters of chapter $chapter with $workers workers, threads in $order order"
    done
  done
done

# Another version of g++ makes other machine code of the kernels, which has to be counted alike. Kernels are always
# optimized in the checked build; host code need not be, and is compiled sooner without.
version() { "$1" -dumpversion | cut -d. -f1; }
ours=$(sed -n 's/^CMAKE_CXX_COMPILER:[A-Z]*=//p' "$build/CMakeCache.txt")
other=
for candidate in g++-11 g++-12 g++-13 g++-14 g++; do
  command -v "$candidate" >/dev/null && [ "$(version "$candidate")" -ge 11 ] &&
    [ "$(version "$candidate")" != "$(version "$ours")" ] && other=$candidate && break
done
if [ -z "$other" ]; then
  [ $failures = 0 ] || exit 1
  echo "there is no second version of g++ to compare counters with"
  exit 77
fi
other_build=$root/build/other-compiler
targets=$(for chapter in $chapters; do echo "${chapter}_solution_profile"; done)
# shellcheck disable=SC2086  # the targets are split on purpose
{ cmake -S . -B "$other_build" -G "$(sed -n 's/^CMAKE_GENERATOR:INTERNAL=//p' "$build/CMakeCache.txt")" \
  -DCMAKE_BUILD_TYPE=Debug "-DCMAKE_CXX_COMPILER=$other" && cmake --build "$other_build" --target $targets; } \
  >"$other_build.log" 2>&1 || fail "$other cannot build the kernels: $(tail -n 20 "$other_build.log")"
for chapter in $chapters; do
  diff <(counts "$chapter" "$build") <(counts "$chapter" "$other_build") >/dev/null ||
    fail "$other makes other counters of chapter $chapter: $(diff <(counts "$chapter" "$build") <(counts "$chapter" "$other_build") | head -n 6)"
done
finish
