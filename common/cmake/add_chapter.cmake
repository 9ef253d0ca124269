# add_chapter(NN_name SOURCES ... [CUDA ...] [NEEDS NN_name ...])
#
# Compiles a chapter twice, from solutions/NN_name and from chapters/NN_name (the starter that the student
# edits), and links each with the same program, tests and benchmark:
#
#   NN_name_solution, NN_name_starter        libraries: SOURCES, and CUDA's .cu files
#   ..._run                                  main.cpp of the chapter, its complete piece
#   ..._test                                 tests/NN_name/*.cpp without the benchmarks
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
    target_link_libraries(${name}_tests PUBLIC waitless_testing waitless_run waitless_cuda)
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
    add_library(${target} STATIC ${sources})
    target_include_directories(${target} PUBLIC ${folder}/${name} ${needs_folder})
    target_link_libraries(${target} PUBLIC waitless_common)
    foreach(needed IN LISTS arg_NEEDS)
      target_link_libraries(${target} PUBLIC ${needed}_${needs_tree})
    endforeach()
    if(cuda_sources)
      waitless_add_cuda_sources(${target} ${cuda_sources})
    endif()

    if(EXISTS ${folder}/${name}/main.cpp)
      add_executable(${target}_run ${folder}/${name}/main.cpp)
      target_link_libraries(${target}_run PRIVATE ${target} waitless_run)
    endif()
    if(tests)
      add_executable(${target}_test)
      target_link_libraries(${target}_test PRIVATE ${name}_tests ${target})
    endif()
  endforeach()

  if(benchmarks)
    add_executable(${name}_bench ${benchmarks})
    target_link_libraries(${name}_bench PRIVATE ${name}_solution waitless_testing waitless_run benchmark::benchmark)
  endif()
endfunction()
