# add_chapter(NN_name SOURCES ... [CUDA ...] [NEEDS NN_name ...])
#
# Compiles a chapter twice, from solutions/NN_name and from chapters/NN_name (the starter that the student
# edits), and links each with the same program, tests and benchmark:
#
#   NN_name_solution, NN_name_starter        libraries: SOURCES, and CUDA's .cu files
#   NN_name_solution_checked, ...            the same with checks and counters in kernels, where simt has them
#   ..._run                                  main.cpp of the chapter, its complete piece
#   ..._test                                 tests/NN_name/*.cpp without the benchmarks; with checked kernels if it can be
#   ..._profile                              tests/NN_name/profile/*.cpp, for ./course profile; the same
#   NN_name_bench                            tests/NN_name/*_bench.cpp, on the solution
#
# NEEDS names earlier chapters whose *solutions* this one is built on (the student's own with WAITLESS_MINE).
function(add_chapter name)
  cmake_parse_arguments(arg "" "" "SOURCES;CUDA;NEEDS" ${ARGN})
  file(GLOB tests CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/${name}/*.cpp)
  list(FILTER tests EXCLUDE REGEX "_bench\\.cpp$")
  file(GLOB benchmarks CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/${name}/*_bench.cpp)

  # The headers of both trees are the same, so the tests are compiled once.
  if(tests)
    add_library(${name}_tests OBJECT ${tests})
    target_include_directories(${name}_tests PRIVATE ${PROJECT_SOURCE_DIR}/solutions/${name} ${PROJECT_SOURCE_DIR}/solutions)
    target_link_libraries(${name}_tests PUBLIC waitless_testing waitless_run waitless_cuda_headers)
    waitless_compile_tests(${name}_tests)
  endif()

  foreach(tree IN ITEMS solution starter)
    if(tree STREQUAL "solution")
      set(folder ${PROJECT_SOURCE_DIR}/solutions)
    else()
      set(folder ${PROJECT_SOURCE_DIR}/chapters)
    endif()
    if(WAITLESS_MINE)
      set(needs_folder ${PROJECT_SOURCE_DIR}/chapters)
      set(needs_tree starter)
    else()
      set(needs_folder ${PROJECT_SOURCE_DIR}/solutions)
      set(needs_tree solution)
    endif()

    set(target ${name}_${tree})
    list(TRANSFORM arg_SOURCES PREPEND ${folder}/${name}/ OUTPUT_VARIABLE sources)
    list(TRANSFORM arg_CUDA PREPEND ${folder}/${name}/ OUTPUT_VARIABLE cuda_sources)
    set(missing ${sources} ${cuda_sources})
    foreach(file IN LISTS sources cuda_sources)
      if(EXISTS ${file})
        list(REMOVE_ITEM missing ${file})
      endif()
    endforeach()
    if(missing AND tree STREQUAL "starter")
      message(STATUS "${target} is not built, since it lacks files: run ./course starters")
      continue()
    endif()
    # Host code is compiled once; kernels twice.
    add_library(${target}_host OBJECT ${sources})
    target_include_directories(${target}_host PUBLIC ${folder}/${name} ${needs_folder})
    target_link_libraries(${target}_host PUBLIC waitless_common waitless_cuda_headers)
    waitless_precompile(${target}_host REUSE_FROM waitless_tensor)
    waitless_add_chapter_library(${target} ${target}_host "${arg_NEEDS}" ${needs_tree})
    if(cuda_sources)
      waitless_add_cuda_sources(${target} ${cuda_sources})
    endif()
    set(tested ${target})
    if(cuda_sources AND TARGET waitless_simt_checked)
      set(tested ${target}_checked)
      waitless_add_chapter_library(${tested} ${target}_host "${arg_NEEDS}" ${needs_tree})
      waitless_add_checked_cuda_sources(${tested} ${cuda_sources})
    endif()

    if(EXISTS ${folder}/${name}/main.cpp)
      add_executable(${target}_run ${folder}/${name}/main.cpp)
      target_link_libraries(${target}_run PRIVATE ${target} waitless_run)
      waitless_precompile(${target}_run REUSE_FROM waitless_tensor)
    endif()
    if(tests)
      add_executable(${target}_test)
      target_link_libraries(${target}_test PRIVATE ${name}_tests ${tested})
    endif()
    file(GLOB profile CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/${name}/profile/*.cpp)
    if(profile AND NOT WAITLESS_CUDA)
      add_executable(${target}_profile ${profile})
      target_link_libraries(${target}_profile PRIVATE ${tested} waitless_testing)
      waitless_compile_tests(${target}_profile)
    endif()
  endforeach()

  if(benchmarks)
    add_executable(${name}_bench ${benchmarks})
    target_link_libraries(${name}_bench PRIVATE ${name}_solution waitless_testing waitless_run benchmark::benchmark)
    waitless_precompile(${name}_bench REUSE_FROM waitless_tensor)
  endif()
endfunction()

# A library of host code that is compiled already, on top of the chapters that it needs: on their checked variants if it
# is checked itself.
function(waitless_add_chapter_library target host needs needs_tree)
  add_library(${target} STATIC $<TARGET_OBJECTS:${host}>)
  target_include_directories(${target} PUBLIC $<TARGET_PROPERTY:${host},INTERFACE_INCLUDE_DIRECTORIES>)
  target_link_libraries(${target} PUBLIC waitless_common)
  foreach(needed IN LISTS needs)
    if(target MATCHES "_checked$" AND TARGET ${needed}_${needs_tree}_checked)
      target_link_libraries(${target} PUBLIC ${needed}_${needs_tree}_checked)
    else()
      target_link_libraries(${target} PUBLIC ${needed}_${needs_tree})
    endif()
  endforeach()
endfunction()
