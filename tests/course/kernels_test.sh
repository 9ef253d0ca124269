#!/usr/bin/env bash
# The kernels of the chapters: correct in each order of threads, and counted alike on every machine.
# usage: kernels_test.sh COURSE_PROGRAM
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "$(dirname "$1")/../.." && pwd)
. "$(dirname "$0")/shell_testing.sh"
if ! [ -x "$build/tests/common/simt_checked/waitless_simt_checked_test" ]; then
  echo "checks and counters are not built"
  exit 77
fi
chapters=$(cd "$root/solutions" && for name in */; do compgen -G "$name*.cu" >/dev/null && echo "${name%/}"; done)
temporary_folder
export build folder

# Runs the commands that it reads, one a line. Programs with checks keep one core busy.
two_at_a_time() { xargs -d '\n' -n 1 -P 2 bash -c; }

# A correct kernel raises no alarm and gives its results in whichever order its threads run.
orders='reverse random:1 random:2'
for chapter in $chapters; do
  for order in $orders; do
    echo "WAITLESS_SIMT_ORDER=$order \"\$build/${chapter}_solution_test\" --gtest_brief=1 --gtest_filter='*Cuda*' \
      >$chapter.$order 2>&1 || echo 'it ended with a status other than 0' >>$chapter.$order"
  done
done | two_at_a_time
for chapter in $chapters; do
  for order in $orders; do
    [[ $(tail -n 1 "$chapter.$order") =~ 'PASSED  ] '[1-9] ]] || fail "kernels of $chapter in $order order: $(cat "$chapter.$order")"
  done
done

# All counters of a chapter's kernels, however many workers take its blocks and in whichever order threads run.
for chapter in $chapters; do
  for workers in 1 2 8; do
    for order in forward reverse random; do
      echo "WAITLESS_SIMT_PROFILE=$chapter.$workers.$order WAITLESS_SIMT_WORKERS=$workers WAITLESS_SIMT_ORDER=$order \
        \"\$build/${chapter}_solution_profile\" >/dev/null"
    done
  done
done | two_at_a_time
for chapter in $chapters; do
  expected=$chapter.1.forward
  grep -q '"kernel"' "$expected" || fail "no counters of chapter $chapter"
  for workers in 1 2 8; do
    for order in forward reverse random; do
      cmp "$expected" "$chapter.$workers.$order" ||
        fail "other counters of chapter $chapter with $workers workers, threads in $order order"
    done
  done
done

# Another version of g++ makes other machine code of the kernels, which has to be counted alike.
version() { "$1" -dumpversion | cut -d. -f1; }
ours=$(sed -n 's/^CMAKE_CXX_COMPILER:[A-Z]*=//p' "$build/CMakeCache.txt")
other=
for candidate in g++-{11..30} g++; do
  command -v "$candidate" >/dev/null && [ "$(version "$candidate")" -ge 11 ] &&
    [ "$(version "$candidate")" != "$(version "$ours")" ] && other=$candidate && break
done
if [ -z "$other" ]; then
  [ $failures = 0 ] || exit 1
  echo "there is no second version of g++ to compare counters with"
  exit 77
fi

# The program that gives the counters, with the kernels of its chapter compiled by $other and all else as it was. It parses
# the headers itself that were precompiled for ours.
for chapter in $chapters; do
  mkdir "other.$chapter"
  sed -n 's/\\"/"/g; s/ -Winvalid-pch//; s|^ *"command": ".*'"$ours"' \(.*-DWAITLESS_SIMT_CHECKED .*\) -o [^ ]*/\([a-z0-9_]*\.cu\.o\) -c \(.*/solutions/'"$chapter"'/[a-z0-9_]*\.cu"\?\)",\?$|cd "$build" \&\& '"$other"' \1 -o "$folder/other.'"$chapter"'/\2" -c \3|p' \
    "$build/compile_commands.json"
done | two_at_a_time || fail "$other cannot compile the kernels"
for chapter in $chapters; do
  program=${chapter}_solution_profile library=lib${chapter}_solution_checked.a
  [ "$(find "other.$chapter" -name '*.cu.o' | wc -l)" = "$(find "$root/solutions/$chapter" -name '*.cu' | wc -l)" ] ||
    fail "not every kernel of $chapter was compiled by $other"
  cp "$build/$library" . && ar r "$library" "other.$chapter"/*.o || fail "ar fails"
  link=$(cat "$build/CMakeFiles/$program.dir/link.txt" 2>/dev/null || ninja -C "$build" -t commands "$program" | tail -n 1)
  link=${link/ $library / \"\$folder/$library\" }
  (cd "$build" && eval "${link/ -o $program/ -o \"\$folder/$program\"}") || fail "$program does not link with kernels of $other"
  WAITLESS_SIMT_PROFILE=$chapter.other "./$program" >/dev/null
  diff "$chapter.1.forward" "$chapter.other" || fail "$other makes other counters of chapter $chapter"
done
finish
