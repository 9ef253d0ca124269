#!/usr/bin/env bash
# What CMakeLists.txt says of a chapter, and what add_chapter() makes of it: add_chapter_test.sh PROGRAM
set -u
source=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "$(dirname "$1")/../.." && pwd)
. "$(dirname "$0")/shell_testing.sh"
temporary_folder

# A course of one chapter, with nothing of what the real one stands on, and a machine that has MPI or has not.
mkdir -p solutions/11_ranks chapters/11_ranks tests/11_ranks find
for tree in solutions chapters; do
  echo 'int given() { return WAITLESS_HAS_MPI; }' >$tree/11_ranks/given.cpp
  echo 'int over_mpi() { return FROM_MPI; }' >$tree/11_ranks/exchange_mpi.cpp
  printf 'int given();\nint main() { return given(); }\n' >$tree/11_ranks/main.cpp
done
echo 'int given();
int main() { return given() == EXPECTED ? 0 : 1; }' >tests/11_ranks/ranks_test.cpp
echo 'int over_mpi();
int test_over_mpi() { return over_mpi(); }' >tests/11_ranks/exchange_mpi_test.cpp
cat >find/FindMPI.cmake <<'CMAKE'
if(HAS_MPI)
  add_library(MPI::MPI_CXX INTERFACE IMPORTED)
  target_compile_definitions(MPI::MPI_CXX INTERFACE FROM_MPI=1)
endif()
CMAKE
cat >CMakeLists.txt <<CMAKE
cmake_minimum_required(VERSION 3.22)
project(course LANGUAGES CXX)
enable_testing()
list(APPEND CMAKE_MODULE_PATH "\${PROJECT_SOURCE_DIR}/find" "$source/common/cmake")
include(optional_libraries)
include(add_chapter)
include(list_programs)
foreach(library IN ITEMS common testing run cuda_headers starter_flags)
  add_library(waitless_\${library} INTERFACE)
endforeach()
function(waitless_precompile)
endfunction()
function(waitless_compile_tests target)
  target_compile_definitions(\${target} PRIVATE EXPECTED=\${EXPECTED})
endfunction()
add_executable(waitless_course solutions/11_ranks/main.cpp solutions/11_ranks/given.cpp)
target_compile_definitions(waitless_course PRIVATE WAITLESS_HAS_MPI=0)
add_chapter(11_ranks OPTIONAL_LIBS mpi RANKS 4 \${MORE})
waitless_list_programs(\${PROJECT_BINARY_DIR}/programs.txt)
waitless_list_chapters(\${PROJECT_BINARY_DIR}/chapters.txt)
CMAKE
compiler=$(sed -n 's/^CMAKE_CXX_COMPILER:[A-Z]*=//p' "$build/CMakeCache.txt")
generator=$(sed -n 's/^CMAKE_GENERATOR:INTERNAL=//p' "$build/CMakeCache.txt")
configure() { cmake -S . -B "$1" -G "$generator" "-DCMAKE_CXX_COMPILER=$compiler" "${@:2}"; }

# Without the library: the files that need it are left out, and it is said which package would bring it.
expect 0 '11_ranks: what uses mpi is not available: needs libopenmpi-dev$' configure without -DEXPECTED=0
expect 0 '^11_ranks	lacks	mpi	libopenmpi-dev$' cat without/chapters.txt
grep -q launcher without/chapters.txt && fail 'a launcher without MPI'
expect 0 'Built target 11_ranks_starter_test|Linking CXX executable 11_ranks_st' cmake --build without
expect 0 '100% tests passed' ctest --test-dir without -R 11_ranks

# With it: all files, and a program of four processes.
expect 0 'Build files have been written' configure with -DEXPECTED=1 -DHAS_MPI=1 -DMPIEXEC_EXECUTABLE=/opt/mpiexec -DMPIEXEC_NUMPROC_FLAG=-n
expect 0 '^11_ranks	launcher	env	.*	/opt/mpiexec	-n	4$' cat with/chapters.txt
grep -q lacks with/chapters.txt && fail 'lacks what it has'
expect 0 'Built target 11_ranks_starter_test|Linking CXX executable 11_ranks_st' cmake --build with
expect 0 '/opt/mpiexec. .-n. .4. .*11_ranks_solution_test' ctest --test-dir with -R 11_ranks -N -V

# Every solution's file is compiled, and a starter that lacks one waits for it.
echo 'int more() { return 0; }' >solutions/11_ranks/more.cpp
expect 0 '11_ranks_starter is not built, since it lacks files' configure without
expect 0 'more.cpp' cmake --build without --target 11_ranks_solution --verbose

# What it does not understand, it refuses.
expect 1 'add_chapter\(11_ranks\): there is no library httplib::httplib' configure refused '-DMORE=LIBS;httplib::httplib'
expect 1 'add_chapter\(11_ranks\): not understood: more.cpp' configure refused '-DMORE=more.cpp'
expect 1 'there is no optional library cups' configure refused '-DMORE=OPTIONAL_LIBS;cups'
finish
