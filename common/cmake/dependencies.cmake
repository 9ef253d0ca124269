# Libraries that the course stands on. Each is taken from the system when an installed package is new
# enough, and otherwise downloaded at a pinned version, that of Debian 12 where its archive is the same, and checked
# against its hash.

include(FetchContent)
set(FETCHCONTENT_QUIET OFF)
set(CMAKE_POLICY_DEFAULT_CMP0077 NEW)  # the options of downloaded libraries heed the variables set here
if(POLICY CMP0135)
  cmake_policy(SET CMP0135 NEW)  # unpacked files are as new as the download
endif()
find_package(Threads REQUIRED)

# A library that the active conda brings is built for conda's own compiler: with another one it does not link.
if(DEFINED ENV{CONDA_PREFIX} AND NOT CMAKE_CXX_COMPILER MATCHES "^$ENV{CONDA_PREFIX}/")
  set(CMAKE_FIND_USE_SYSTEM_ENVIRONMENT_PATH OFF)  # PATH leads to it
  if("$ENV{CMAKE_PREFIX_PATH}" MATCHES "$ENV{CONDA_PREFIX}")
    set(CMAKE_FIND_USE_CMAKE_ENVIRONMENT_PATH OFF)
  endif()
endif()

# Downloads a library at a pinned version; its own tests and examples stay unbuilt. Like those of an installed package,
# the headers of its targets give no warnings. What ./course shows of a failure is the line that begins with "stop: ".
macro(waitless_fetch name package url sha256)
  message(STATUS "${name}: no suitable package is installed, downloading ${url}")
  set(archive ${PROJECT_BINARY_DIR}/downloads/${name})
  if(NOT EXISTS ${archive})
    file(DOWNLOAD ${url} ${archive}.partial TIMEOUT 600 INACTIVITY_TIMEOUT 20 STATUS status
      EXPECTED_HASH SHA256=${sha256})
    list(GET status 0 failed)
    if(failed)
      message(STATUS "stop: ${name} could not be downloaded: install ${package}, or connect this machine to the network")
      message(FATAL_ERROR "${status}")
    endif()
    file(RENAME ${archive}.partial ${archive})
  endif()
  FetchContent_Declare(${name} URL ${archive} URL_HASH SHA256=${sha256})
  FetchContent_MakeAvailable(${name})
  foreach(target IN ITEMS ${ARGN})
    get_target_property(include_dirs ${target} INTERFACE_INCLUDE_DIRECTORIES)
    set_property(TARGET ${target} PROPERTY INTERFACE_SYSTEM_INCLUDE_DIRECTORIES ${include_dirs})
  endforeach()
endmacro()

# Makes the headers of an installed library win over stray copies in /usr/local/include: compilers search
# that folder before /usr/include and ignore any request to do otherwise, so the library's own headers are
# linked into a folder that holds nothing else, and that folder comes first.
function(waitless_pin_headers target include_dir)
  set(pinned ${PROJECT_BINARY_DIR}/third_party/${target})
  string(REPLACE "::" "_" pinned ${pinned})
  file(MAKE_DIRECTORY ${pinned})
  foreach(entry IN LISTS ARGN)
    file(CREATE_LINK ${include_dir}/${entry} ${pinned}/${entry} SYMBOLIC)
  endforeach()
  target_include_directories(${target} SYSTEM BEFORE INTERFACE ${pinned})
endfunction()

find_package(Eigen3 3.4 QUIET NO_MODULE)
if(NOT TARGET Eigen3::Eigen)
  set(BUILD_TESTING OFF)
  set(EIGEN_BUILD_DOC OFF)
  waitless_fetch(Eigen libeigen3-dev https://gitlab.com/libeigen/eigen/-/archive/3.4.0/eigen-3.4.0.tar.bz2
    b4c198460eba6f28d34894e3a5710998818515104d6e74e5cc331ce31e46e626 eigen)
endif()

find_package(GTest 1.11 QUIET CONFIG)
if(TARGET GTest::gtest)
  get_filename_component(include_dir "${GTest_DIR}/../../../../include" ABSOLUTE)
  find_path(WAITLESS_GTEST_INCLUDE gtest/gtest.h HINTS ${include_dir} /usr/include NO_DEFAULT_PATH)
  if(WAITLESS_GTEST_INCLUDE)
    waitless_pin_headers(GTest::gtest ${WAITLESS_GTEST_INCLUDE} gtest)
  endif()
else()
  set(INSTALL_GTEST OFF)
  waitless_fetch(googletest libgtest-dev https://github.com/google/googletest/archive/refs/tags/release-1.12.1.tar.gz
    81964fe578e9bd7c94dfdb09c8e4d6e6759e19967e397dbea48d1c10e45d0df2 gtest gtest_main)
endif()

find_package(benchmark 1.6 QUIET CONFIG)
if(TARGET benchmark::benchmark)
  find_path(WAITLESS_BENCHMARK_INCLUDE benchmark/benchmark.h HINTS /usr/include NO_DEFAULT_PATH)
  if(WAITLESS_BENCHMARK_INCLUDE)
    waitless_pin_headers(benchmark::benchmark ${WAITLESS_BENCHMARK_INCLUDE} benchmark)
  endif()
else()
  set(BENCHMARK_ENABLE_TESTING OFF)
  set(BENCHMARK_ENABLE_WERROR OFF)
  waitless_fetch(benchmark libbenchmark-dev https://github.com/google/benchmark/archive/refs/tags/v1.7.1.tar.gz
    6430e4092653380d9dc4ccb45a1e2dc9259d581f4866dc0759713126056bc1d7 benchmark)
endif()

find_package(CLI11 2.1 QUIET CONFIG)
if(NOT TARGET CLI11::CLI11)
  waitless_fetch(CLI11 libcli11-dev https://github.com/CLIUtils/CLI11/archive/refs/tags/v2.3.2.tar.gz
    aac0ab42108131ac5d3344a9db0fdf25c4db652296641955720a4fbe52334e22 CLI11)
endif()

find_package(nlohmann_json 3.10 QUIET CONFIG)
if(NOT TARGET nlohmann_json::nlohmann_json)
  waitless_fetch(nlohmann_json nlohmann-json3-dev https://github.com/nlohmann/json/archive/refs/tags/v3.11.2.tar.gz
    d69f9deb6a75e2580465c6c4c5111b89c4dc2fa94e3a85fcd2ffcd9a143d9273 nlohmann_json)
endif()

# PCRE2 (regular expressions of the tokenizer) installs no CMake package on Debian.
add_library(waitless_pcre2 INTERFACE)
find_path(WAITLESS_PCRE2_INCLUDE pcre2.h)
find_library(WAITLESS_PCRE2_LIBRARY pcre2-8)
if(WAITLESS_PCRE2_INCLUDE AND WAITLESS_PCRE2_LIBRARY)
  target_include_directories(waitless_pcre2 SYSTEM INTERFACE ${WAITLESS_PCRE2_INCLUDE})
  target_link_libraries(waitless_pcre2 INTERFACE ${WAITLESS_PCRE2_LIBRARY})
else()
  set(PCRE2_BUILD_PCRE2GREP OFF)
  set(PCRE2_BUILD_TESTS OFF)
  waitless_fetch(pcre2 libpcre2-dev https://github.com/PCRE2Project/pcre2/releases/download/pcre2-10.42/pcre2-10.42.tar.gz
    c33b418e3b936ee3153de2c61cc638e7e4fe3156022a5c77d0711bcbb9d64f1f)
  target_include_directories(waitless_pcre2 SYSTEM INTERFACE ${pcre2_BINARY_DIR})
  target_link_libraries(waitless_pcre2 INTERFACE pcre2-8-static)
endif()
target_compile_definitions(waitless_pcre2 INTERFACE PCRE2_CODE_UNIT_WIDTH=8)
