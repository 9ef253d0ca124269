#!/usr/bin/env bash
# The bank of wrong solutions on a small course: mutants_test.sh PROGRAM
set -u
program=$(realpath "$1")
. "$(dirname "$0")/shell_testing.sh"
fake_course

# A test program that behaves like a GoogleTest one, and what a build leaves behind.
cat >mini_gtest.cpp <<'CPP'
#include <cstdio>
#include <cstring>
#include <string>

#include "solutions/01_first/twice.h"

int main(int argc, char** argv) {
  std::string filter, report, entries;
  for (int i = 1; i < argc; ++i) {
    if (!std::strcmp(argv[i], "--gtest_list_tests")) return std::puts("Twice.\n  DoublesTheNumber\n  KeepsZero\nFourTimes.\n  DoublesTwice"), 0;
    if (!std::strncmp(argv[i], "--gtest_filter=", 15)) filter = std::string(":") + (argv[i] + 15) + ":";
    if (!std::strncmp(argv[i], "--gtest_output=json:", 20)) report = argv[i] + 20;
  }
  const auto test = [&](const char* suite, const char* name, int got(int), int x, int expected) {
    const std::string full = std::string(suite) + "." + name;
    if (filter.find(":" + full + ":") == std::string::npos) return;
    std::printf("[ RUN      ] %s\n", full.c_str());
    std::fflush(stdout);
    const bool ok = got(x) == expected;
    std::printf("%s%s (0 ms)\n", ok ? "[       OK ] " : "[  FAILED  ] ", full.c_str());
    entries += std::string(entries.empty() ? "" : ",") + "{\"classname\":\"" + suite + "\",\"name\":\"" + name +
               "\",\"status\":\"RUN\",\"result\":\"COMPLETED\"" + (ok ? "" : ",\"failures\":[{\"failure\":\"no\"}]") + "}";
  };
  test("Twice", "DoublesTheNumber", twice, 3, 6);
  test("Twice", "KeepsZero", twice, 0, 0);
  test("FourTimes", "DoublesTwice", four_times, 3, 12);
  if (std::FILE* out = std::fopen(report.c_str(), "w")) {
    std::fprintf(out, "{\"testsuites\":[{\"testsuite\":[%s]}]}", entries.c_str());
    std::fclose(out);
  }
}
CPP
cat >>solutions/01_first/twice.h <<'CPP'
template <class... T>
void not_implemented(const char*, T...) { __builtin_trap(); }
CPP
cxx=${CXX:-c++}
cd build/default || exit 1
"$cxx" -I "$folder" -c "$folder/mini_gtest.cpp" -o mini_gtest.o
"$cxx" -c "$folder/solutions/01_first/twice.cpp" -o twice.cpp.o
ar qc lib01_first_solution.a twice.cpp.o
mkdir -p CMakeFiles/01_first_solution_test.dir
echo "$cxx mini_gtest.o -o 01_first_solution_test lib01_first_solution.a" >CMakeFiles/01_first_solution_test.dir/link.txt
echo "CMAKE_AR:FILEPATH=$(command -v ar)" >CMakeCache.txt
cat >compile_commands.json <<JSON
[{"directory": "$PWD", "file": "$folder/solutions/01_first/twice.cpp",
  "command": "$cxx -I'$folder/solutions/01_first' -Werror -o twice.cpp.o -c '$folder/solutions/01_first/twice.cpp'"}]
JSON
cd "$folder" || exit 1
mkdir -p bin tests/01_first/mutants
printf '#!/bin/sh\n' >bin/cmake
chmod +x bin/cmake
PATH=$folder/bin:$PATH

mutant() {  # name, exercise, old, new
  printf 'exercise: %s\nfile: twice.cpp\ncause: to see what happens\n<<<<<<< replace\n%s\n=======\n%s\n>>>>>>> with\n' "$2" "$3" "$4" \
    >"tests/01_first/mutants/$1.mutant"
}
mutant zero 1.1 '2 * x;' '0;'
mutant unused 1.2 'return twice(twice(x));' 'int unused; return 0;'
mutant crash 1.1 '2 * x;' 'x ? 2 * x : (__builtin_trap(), 0);'
expect 0 '^5 of 5 mutants of 01_first killed' "$program" mutants 01 --jobs 2
expect 0 '^1 of 1 mutants' "$program" mutants 01 --only zero

mutant same 1.1 '2 * x;' 'x + x;'
expect 1 'survived: every test of 1.1 passes' "$program" mutants 01
expect 1 '^5 of 6 mutants' "$program" mutants 01
rm tests/01_first/mutants/same.mutant
mutant elsewhere 1.2 '2 * x;' '3 * x;'
expect 1 'breaks exercises that do not need it: 1.1 \(Twice.DoublesTheNumber\)' "$program" mutants 01 --only elsewhere
mutant elsewhere 1.1 '5 * x;' '3 * x;'
expect 1 "twice.cpp has no '5 \* x;' to replace" "$program" mutants 01 --only elsewhere
mutant elsewhere 1.1 '2 * x;' '2 * y;'
expect 1 "does not compile: .*error: .*y" "$program" mutants 01 --only elsewhere
[ -z "$(ls build/mutants)" ] || fail "left in build/mutants: $(ls build/mutants)"
"$cxx" build/default/mini_gtest.o build/default/lib01_first_solution.a -o untouched && ./untouched --gtest_filter=Twice.KeepsZero | grep -q OK ||
  fail 'the solution was changed'

finish
