#!/usr/bin/env bash
# Libraries that the course stands on: dependencies_test.sh PROGRAM
# An older GoogleTest in /usr/local, which compilers and CMake search before /usr, must not come into the build.
set -u
source=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "$(dirname "$1")/../.." && pwd)
. "$(dirname "$0")/shell_testing.sh"
temporary_folder

# Every download is pinned, and there is one for every library.
dependencies=$source/common/cmake/dependencies.cmake
[ "$(grep -cE '^ +waitless_fetch\(' "$dependencies")" = "$(grep -cE '^ +[0-9a-f]{64}\b' "$dependencies")" ] ||
  fail 'a download has no SHA-256'
for name in Eigen googletest benchmark CLI11 nlohmann_json pcre2; do
  grep -q "waitless_fetch($name https://" "$dependencies" || fail "$name is not downloaded where it is missing"
done

# What was downloaded is not mistaken for another copy, and would be downloaded once more here.
[ -e "$build/_deps" ] && finish

# The decoy: headers that do not compile, and a CMake package of an old version that would give them. CPLUS_INCLUDE_PATH
# stands where /usr/local/include does: behind the folders of -isystem, before /usr/include.
mkdir -p decoy/include/gtest decoy/lib/cmake/GTest project
echo '#error an older GoogleTest' >decoy/include/gtest/gtest.h
echo 'message(FATAL_ERROR "an older GoogleTest")' >decoy/lib/cmake/GTest/GTestConfig.cmake
echo 'set(PACKAGE_VERSION 1.8.0)' >decoy/lib/cmake/GTest/GTestConfigVersion.cmake
cat >project/CMakeLists.txt <<CMAKE
cmake_minimum_required(VERSION 3.22)
project(decoy LANGUAGES CXX)
set(CMAKE_CXX_STANDARD 20)
include("$dependencies")
add_executable(uses_gtest uses_gtest.cpp)
target_link_libraries(uses_gtest PRIVATE GTest::gtest GTest::gtest_main)
CMAKE
echo '#include <gtest/gtest.h>
TEST(Decoy, IsNotUsed) { EXPECT_EQ(1, 1); }' >project/uses_gtest.cpp
export CPLUS_INCLUDE_PATH=$folder/decoy/include CMAKE_PREFIX_PATH=$folder/decoy
compiler=$(sed -n 's/^CMAKE_CXX_COMPILER:[A-Z]*=//p' "$build/CMakeCache.txt")
generator=$(sed -n 's/^CMAKE_GENERATOR:INTERNAL=//p' "$build/CMakeCache.txt")
"$compiler" -fsyntax-only -x c++ project/uses_gtest.cpp 2>/dev/null && fail 'the decoy is not found first'
expect 0 'Build files have been written' cmake -S project -B build -G "$generator" "-DCMAKE_CXX_COMPILER=$compiler"
expect 0 'Built target uses_gtest|Linking CXX executable uses_gtest' cmake --build build
expect 0 'PASSED .* 1 test' build/uses_gtest

finish
