# add_chapter(NN_name [NEEDS NN_name...] [LIBS target...] [OPTIONAL_LIBS name...] [RANKS n])
#
# Compiles a chapter twice, from solutions/NN_name and from chapters/NN_name (the starter that the student
# edits), and links each with the same program, tests and benchmark:
#
#   NN_name_solution, NN_name_starter        libraries: the .cpp files that solutions/NN_name has, and CUDA's .cu files
#   NN_name_solution_checked, ...            the same with checks and counters in kernels, where simt has them
#   ..._run                                  main.cpp of the chapter, its complete piece
#   ..._test                                 tests/NN_name/*.cpp without the benchmarks; with checked kernels if it can be
#   ..._profile                              tests/NN_name/profile/*.cpp, for ./course profile; the same
#   NN_name_bench                            tests/NN_name/*_bench.cpp, on the solution
#
# NEEDS names earlier chapters whose *solutions* this one is built on (the student's own with WAITLESS_MINE).
# LIBS are targets of libraries that it needs. OPTIONAL_LIBS are names that optional_libraries.cmake knows: on a machine
# without mpi, the files *_mpi.cpp, *_mpi.cu, *_mpi_test.cpp and *_mpi_bench.cpp are left out, exercises of the track mpi are
# not available, and WAITLESS_HAS_MPI is 0 instead of 1.
# RANKS: program and tests are started as so many processes, by MPI.
function(add_chapter name)
  cmake_parse_arguments(arg "" "RANKS" "NEEDS;LIBS;OPTIONAL_LIBS" ${ARGN})
  if(arg_UNPARSED_ARGUMENTS OR arg_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "add_chapter(${name}): not understood: ${arg_UNPARSED_ARGUMENTS} ${arg_KEYWORDS_MISSING_VALUES}")
  endif()
  if(arg_NEEDS)
    waitless_record(${name} needs ${arg_NEEDS})
  endif()
  foreach(library IN LISTS arg_LIBS)
    if(NOT TARGET ${library})
      message(FATAL_ERROR "add_chapter(${name}): there is no library ${library}; common/cmake/dependencies.cmake finds them")
    endif()
  endforeach()
  set(libraries ${arg_LIBS})
  set(definitions "")
  set(left_out "^$")  # a pattern of the files that this machine cannot build
  foreach(optional IN LISTS arg_OPTIONAL_LIBS)
    waitless_find_optional(${optional} package)
    string(TOUPPER ${optional} upper)
    if(TARGET waitless_${optional})
      list(APPEND libraries waitless_${optional})
      list(APPEND definitions WAITLESS_HAS_${upper}=1)
    else()
      message(STATUS "${name}: what uses ${optional} is not available: needs ${package}")
      waitless_record(${name} lacks ${optional} ${package})
      list(APPEND definitions WAITLESS_HAS_${upper}=0)
      string(APPEND left_out "|_${optional}(_test|_bench)?\\.(cpp|cu)$")
    endif()
  endforeach()
  set(launcher "")
  if(arg_RANKS)
    waitless_launcher(launcher ${arg_RANKS})
  endif()
  if(launcher)
    waitless_record(${name} launcher ${launcher})
  endif()

  waitless_files(tests "${left_out}|_bench\\.cpp$" tests/${name} *.cpp)
  waitless_files(benchmarks "${left_out}" tests/${name} *_bench.cpp)
  waitless_files(profile "${left_out}" tests/${name}/profile *.cpp)
  waitless_files(solution_sources "${left_out}|/main\\.cpp$" solutions/${name} *.cpp)
  waitless_files(solution_cuda_sources "${left_out}" solutions/${name} *.cu)

  # The headers of both trees are the same, so the tests are compiled once.
  if(tests)
    add_library(${name}_tests OBJECT ${tests})
    target_include_directories(${name}_tests PRIVATE ${PROJECT_SOURCE_DIR}/solutions/${name} ${PROJECT_SOURCE_DIR}/solutions)
    target_link_libraries(${name}_tests PUBLIC waitless_testing waitless_run waitless_cuda_headers ${libraries})
    target_compile_definitions(${name}_tests PRIVATE ${definitions})
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
    # Both trees have the same files.
    string(REPLACE "${PROJECT_SOURCE_DIR}/solutions/" "${folder}/" sources "${solution_sources}")
    string(REPLACE "${PROJECT_SOURCE_DIR}/solutions/" "${folder}/" cuda_sources "${solution_cuda_sources}")
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
    target_link_libraries(${target}_host PUBLIC waitless_common waitless_cuda_headers ${libraries})
    target_compile_definitions(${target}_host PUBLIC ${definitions})
    waitless_precompile(${target}_host REUSE_FROM waitless_tensor)
    waitless_add_chapter_library(${target} ${target}_host "${arg_NEEDS}" ${needs_tree} ${libraries})
    if(cuda_sources)
      waitless_add_cuda_sources(${target} ${cuda_sources})
    endif()
    set(tested ${target})
    if(cuda_sources AND TARGET waitless_simt_checked)
      set(tested ${target}_checked)
      waitless_add_chapter_library(${tested} ${target}_host "${arg_NEEDS}" ${needs_tree} ${libraries})
      waitless_add_checked_cuda_sources(${tested} ${cuda_sources})
    endif()

    if(tree STREQUAL "starter")
      foreach(part IN ITEMS ${target}_host ${target}_device ${target}_checked_device)
        if(TARGET ${part})
          target_link_libraries(${part} PRIVATE waitless_starter_flags)
        endif()
      endforeach()
    endif()

    if(EXISTS ${folder}/${name}/main.cpp)
      add_executable(${target}_run ${folder}/${name}/main.cpp)
      target_link_libraries(${target}_run PRIVATE ${target} waitless_run)
      if(tree STREQUAL "starter")  # the program then uses the student's code where the course has faster code
        target_compile_definitions(${target}_run PRIVATE WAITLESS_STARTER)
      endif()
      waitless_precompile(${target}_run REUSE_FROM waitless_tensor)
    endif()
    if(tests)
      add_executable(${target}_test)
      target_link_libraries(${target}_test PRIVATE ${name}_tests ${tested})
      set_target_properties(${target}_test PROPERTIES WAITLESS_LAUNCHER "${launcher}")
    endif()
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

# Files of a folder of the course, without those that match the pattern `without`.
function(waitless_files variable without folder pattern)
  file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/${folder}/${pattern})
  list(FILTER files EXCLUDE REGEX "${without}")
  set(${variable} ${files} PARENT_SCOPE)
endfunction()

# Writes down for ./course what it has to know of a chapter; see waitless_list_chapters().
function(waitless_record)
  string(REPLACE ";" "\t" line "${ARGN}")
  set_property(GLOBAL APPEND PROPERTY WAITLESS_CHAPTERS "${line}")
endfunction()

# A library of host code that is compiled already, on top of other libraries and of the chapters that it needs: on their
# checked variants if it is checked itself.
function(waitless_add_chapter_library target host needs needs_tree)
  add_library(${target} STATIC $<TARGET_OBJECTS:${host}>)
  target_include_directories(${target} PUBLIC $<TARGET_PROPERTY:${host},INTERFACE_INCLUDE_DIRECTORIES>)
  target_compile_definitions(${target} PUBLIC $<TARGET_PROPERTY:${host},INTERFACE_COMPILE_DEFINITIONS>)
  target_link_libraries(${target} PUBLIC waitless_common ${ARGN})
  foreach(needed IN LISTS needs)
    if(target MATCHES "_checked$" AND TARGET ${needed}_${needs_tree}_checked)
      target_link_libraries(${target} PUBLIC ${needed}_${needs_tree}_checked)
    else()
      target_link_libraries(${target} PUBLIC ${needed}_${needs_tree})
    endif()
  endforeach()
endfunction()
