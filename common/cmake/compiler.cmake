# Language level, warnings and instruction set: the flags that every target of the course shares.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()

include(CheckCXXCompilerFlag)

# waitless_flags: linked by every target of ours. CUDA files take their own flags (common/cuda).
add_library(waitless_flags INTERFACE)
target_include_directories(waitless_flags INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(waitless_flags INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wshadow>
  $<$<AND:$<BOOL:${WAITLESS_WERROR}>,$<COMPILE_LANGUAGE:CXX>>:-Werror>)

# Headers that are parsed already fill g++'s memory to the point where it looks for garbage in vain. This raises the point.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(waitless_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:--param=ggc-min-expand=200>)
endif()

# False alarms of g++ 12: its own AVX-512 intrinsics (GCC bug 105593), and "text" + std::to_string(n) (105651).
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(waitless_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-uninitialized;-Wno-maybe-uninitialized;-Wno-restrict>)
endif()

# Clang alone warns of constants and members that nobody uses. In a starter they wait for the body of an exercise.
if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  target_compile_options(waitless_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-unused-const-variable;-Wno-unused-private-field>)
endif()

# In a starter the parameters of an exercise wait for its body too. Link it after whatever brings warnings, since clang obeys
# the last option that concerns one. nvcc does not warn of them.
add_library(waitless_starter_flags INTERFACE)
target_compile_options(waitless_starter_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-unused-parameter>)

# File names in messages are relative to the repository.
check_cxx_compiler_flag(-fmacro-prefix-map=/a=/b WAITLESS_HAS_PREFIX_MAP)
if(WAITLESS_HAS_PREFIX_MAP)
  target_compile_options(waitless_flags INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=>)
endif()

set(WAITLESS_DEBUG_INFO -g CACHE STRING "What kernels and simt tell a debugger; -g1: only what the messages of simt need")

if(WAITLESS_NATIVE)
  check_cxx_compiler_flag(-march=native WAITLESS_HAS_MARCH_NATIVE)
  if(WAITLESS_HAS_MARCH_NATIVE)
    target_compile_options(waitless_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-march=native>)
  endif()
endif()

# waitless_precompile(target PRIVATE header...) parses once what many files include: Eigen and GoogleTest take longer than
# most files of ours. waitless_precompile(target REUSE_FROM other) takes what `other` has parsed, for a target with the same
# flags. Files include what they use all the same. Left out with clang, which compares flags more strictly.
function(waitless_precompile)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_precompile_headers(${ARGN})
  endif()
endfunction()

# waitless_compile_tests(target), after its sources and libraries are known: tests are written to be compiled soon, since
# most of their time goes into the code that they test. .cu files in them are optimized as ever.
function(waitless_compile_tests target)
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cpp$")
  set_source_files_properties(${sources} TARGET_DIRECTORY ${target} PROPERTIES COMPILE_OPTIONS -O1)
  waitless_precompile(${target} REUSE_FROM waitless_testing)
endfunction()

if(WAITLESS_SANITIZE)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=address,undefined)
endif()

find_package(OpenMP COMPONENTS CXX QUIET)
if(OpenMP_CXX_FOUND)
  target_link_libraries(waitless_flags INTERFACE OpenMP::OpenMP_CXX)
else()
  target_compile_options(waitless_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-unknown-pragmas>)
endif()

if(WAITLESS_CUDA)
  # Debian's CMake 3.25 does not know the flag for C++20 in CUDA; nvcc 13 starts at sm_75.
  set(CMAKE_CUDA_ARCHITECTURES 75 80 90 CACHE STRING "GPU generations to compile for")
  find_program(WAITLESS_NVCC nvcc HINTS ENV CUDA_HOME PATHS /usr/local/cuda PATH_SUFFIXES bin)
  if(WAITLESS_NVCC AND NOT CMAKE_CUDA_COMPILER)
    set(CMAKE_CUDA_COMPILER ${WAITLESS_NVCC})
  endif()
  enable_language(CUDA)
  set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
  set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
  set(CMAKE_CUDA_STANDARD 20)
  find_package(CUDAToolkit REQUIRED)
endif()
