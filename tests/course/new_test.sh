#!/usr/bin/env bash
# A chapter as ./course new writes it is built, tested and shown like any other: new_test.sh PROGRAM
set -u
source=$(cd "$(dirname "$0")/../.." && pwd)
program=$(realpath "$1")
built=$(cd "$(dirname "$1")/../.." && pwd)
. "$(dirname "$0")/shell_testing.sh"
cached() { sed -n "s/^$1:[A-Z]*=//p" "$built/CMakeCache.txt"; }
if ! command -v make >/dev/null || [ ! -f "$built/common/simt/libwaitless_simt_checked.a" ]; then
  echo "make is missing, or checks and counters are not built"
  exit 77
fi
temporary_folder
chapter=99_new_chapter

# A clone with chapter 00 alone.
mkdir solutions chapters tests
cp -R "$source"/{common,course,CMakeLists.txt} .
for tree in solutions chapters tests; do cp -R "$source/$tree/00_warm_up" $tree/; done
cp "$source/chapters/starters.sha256" chapters/
ln -s "$source/datasets" datasets
edit CMakeLists.txt '/^add_subdirectory(tests)/d; /^add_chapter(/{/(00_/!d;}'
export WAITLESS_ROOT=$folder WAITLESS_BUILD=build/default

# What cannot be is refused, and nothing is written.
before=$(find . -type f | sort | xargs -d '\n' cksum)
expect 2 "^course: a chapter is called by two digits and words of small letters, such as 03_roofline, not '03-x'\$" "$program" new 03-x
expect 2 '^course: there is a chapter 00 already: solutions/00_warm_up$' "$program" new 00_cool_down
expect 2 "^course: there is no chapter '98'; the nearest is 00_warm_up\$" "$program" new $chapter --needs 98
[ "$before" = "$(find . -type f | sort | xargs -d '\n' cksum)" ] || fail 'a refused name leaves something behind'

expect 0 "^wrote chapters/$chapter/scale_columns.cu\$" "$program" new $chapter
expect 0 "^add_chapter\\($chapter\\)\$" cat CMakeLists.txt
expect 0 'show nothing of them' "$program" starters --check 99
grep -rn '@[A-Z]*@' */$chapter && fail 'the template shows through'
if command -v clang-format >/dev/null; then
  cp "$source/.clang-format" .
  find */$chapter -name '*.cpp' -o -name '*.h' -o -name '*.cu' | xargs clang-format --dry-run -Werror || fail 'badly formatted'
fi

# A build with warnings as errors. What the chapter stands on has been compiled already, and make takes objects that are
# newer than their sources for what they are.
options=()
for name in CMAKE_CXX_COMPILER CMAKE_BUILD_TYPE WAITLESS_NATIVE WAITLESS_DEBUG_INFO; do options+=("-D$name=$(cached $name)"); done
expect 0 'Build files have been written' cmake -S . -B build/default -G 'Unix Makefiles' -DWAITLESS_WERROR=ON \
  -DCMAKE_EXPORT_COMPILE_COMMANDS=ON "${options[@]}"
for kind in gch o a; do
  (cd "$built" && find common -name "*.$kind" ! -path 'common/course/*') | while read -r file; do
    mkdir -p "build/default/$(dirname "$file")"
    cp "$built/$file" "build/default/$file"
  done
done

# The solution passes, and every scored test fails on the starter for want of it.
expect 0 '^10 of 10 points' "$program" test 99 --solution
expect 1 '^0 of 10 points\. Next: 99.1 scale the columns of a matrix in ' "$program" test 99
scored=$(grep -o '"[A-Za-z]*\.[A-Za-z]*"' tests/$chapter/rubric.json | grep -v '\.c[pu]*"' | tr -d '"')
[ "$(wc -w <<<"$scored")" = 10 ] || fail "the rubric has other tests than ten: $scored"
for test in $scored; do
  expect 1 'not implemented yet: C?99.1 scale_columns' "build/default/${chapter}_starter_test" "--gtest_filter=$test"
done
expect 0 '^12 of 12 mutants of 99_new_chapter killed' "$program" mutants 99

# What a student meets.
expect 0 '^99  new_chapter  +0 of 10 points' "$program" list
for exercise in 99.1 C99.1; do
  for level in 1 2 3; do expect 0 "^$exercise .*, hint $level of 3\$" "$program" hint $exercise --level $level; done
done
expect 0 '^on simt.*\[2, 8\]$' "$program" run 99
expect 0 '^ +1 +2 +3$' "$program" run 99 -- --tokens 1 --columns 3
expect 0 '"generates_text": false' "build/default/${chapter}_solution_run" --describe
expect 0 '^scale_columns_kernel +1 +65536 +100% +525 kB +786 kB +100% +4.00 ' "$program" profile 99 --solution
finish
