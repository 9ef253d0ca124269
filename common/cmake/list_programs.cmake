# What ./course reads of a build, and what CTest runs.

# waitless_list_programs(FILE): writes a line "name path" for each program of the build. Those that test what is not a
# student's are tests of CTest as well, as are the scripts of tests/course: the tests that ./course check runs.
function(waitless_list_programs file)
  set(folders ${PROJECT_SOURCE_DIR})
  set(lines "")
  while(folders)
    list(POP_FRONT folders folder)
    get_property(inner DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
    get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
    foreach(target IN LISTS targets)
      get_target_property(type ${target} TYPE)
      if(type STREQUAL "EXECUTABLE")
        string(APPEND lines "${target} $<TARGET_FILE:${target}>\n")
      endif()
      if(type STREQUAL "EXECUTABLE" AND target MATCHES "_test$" AND NOT target MATCHES "_starter_test$")
        get_target_property(launcher ${target} WAITLESS_LAUNCHER)
        if(NOT launcher)
          set(launcher "")
        endif()
        add_test(NAME ${target} COMMAND ${launcher} $<TARGET_FILE:${target}>)
      endif()
    endforeach()
    foreach(candidate IN LISTS inner)
      if(NOT candidate MATCHES "/_deps/")  # programs of downloaded libraries are not ours
        list(APPEND folders ${candidate})
      endif()
    endforeach()
  endwhile()
  file(GENERATE OUTPUT ${file} CONTENT "${lines}")

  file(GLOB scripts CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/course/*_test.sh)
  foreach(script IN LISTS scripts)
    get_filename_component(name ${script} NAME)
    add_test(NAME ${name} COMMAND bash ${script} $<TARGET_FILE:waitless_course>)
    set_tests_properties(${name} PROPERTIES SKIP_RETURN_CODE 77)
  endforeach()
endfunction()

# waitless_list_chapters(FILE): writes what add_chapter() was told of each chapter, a line each of words between tabs:
# "NN_name needs NN_name...", "NN_name lacks LIBRARY PACKAGE", "NN_name launcher WORD...".
function(waitless_list_chapters file)
  get_property(lines GLOBAL PROPERTY WAITLESS_CHAPTERS)
  string(REPLACE ";" "\n" lines "${lines}")
  file(GENERATE OUTPUT ${file} CONTENT "${lines}\n")
endfunction()
