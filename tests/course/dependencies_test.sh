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
  grep -q "waitless_fetch($name [a-z0-9-]* https://" "$dependencies" || fail "$name is not downloaded where it is missing"
done

# Without a network, one sentence names the package. (--fresh would need CMake 3.24.)
mkdir -p offline
cat >offline/CMakeLists.txt <<CMAKE
cmake_minimum_required(VERSION 3.22)
project(offline LANGUAGES CXX)
set(CMAKE_FIND_USE_CMAKE_SYSTEM_PATH OFF)  # libraries of the system are not found
include("$dependencies")
CMAKE
expect 1 '^-- stop: [A-Za-z0-9]* could not be downloaded: install lib[a-z0-9]*-dev, or connect this machine to the network$' \
  env https_proxy=http://127.0.0.1:9 cmake -S offline -B offline/build

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
compiler=$(sed -n 's/^CMAKE_CXX_COMPILER:[A-Z]*=//p' "$build/CMakeCache.txt")
generator=$(sed -n 's/^CMAKE_GENERATOR:INTERNAL=//p' "$build/CMakeCache.txt")

# conda: its folder comes first in PATH, and has a new GoogleTest that is of no use to our compiler.
cp -R decoy conda && mkdir conda/bin
echo 'set(PACKAGE_VERSION 99)
set(PACKAGE_VERSION_COMPATIBLE TRUE)' >conda/lib/cmake/GTest/GTestConfigVersion.cmake
expect 1 'an older GoogleTest' env "PATH=$folder/conda/bin:$PATH" cmake -S project -B conda/unknown -G "$generator" "-DCMAKE_CXX_COMPILER=$compiler"
expect 0 'Build files have been written' env "PATH=$folder/conda/bin:$PATH" "CONDA_PREFIX=$folder/conda" "CMAKE_PREFIX_PATH=$folder/conda" \
  cmake -S project -B conda/build -G "$generator" "-DCMAKE_CXX_COMPILER=$compiler"

export CPLUS_INCLUDE_PATH=$folder/decoy/include CMAKE_PREFIX_PATH=$folder/decoy
"$compiler" -fsyntax-only -x c++ project/uses_gtest.cpp 2>/dev/null && fail 'the decoy is not found first'
expect 0 'Build files have been written' cmake -S project -B build -G "$generator" "-DCMAKE_CXX_COMPILER=$compiler"
expect 0 'Built target uses_gtest|Linking CXX executable uses_gtest' cmake --build build
expect 0 'PASSED .* 1 test' build/uses_gtest

finish
