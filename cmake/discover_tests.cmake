# One ctest test for each test of a GoogleTest program, and one for all values of a parameterised test: a process starts in 5 to
# 90 ms, and most values need less than that. CMake's gtest_discover_tests() starts a process for each value.

# Lists the tests of a program when it is built. More arguments are properties of its tests.
function(nearfork_discover_tests target prefix)
  set(tests ${CMAKE_CURRENT_BINARY_DIR}/${target}_tests.cmake)
  add_custom_command(TARGET ${target} POST_BUILD BYPRODUCTS ${tests} VERBATIM
    COMMAND ${CMAKE_COMMAND} "-D emulator=${CMAKE_CROSSCOMPILING_EMULATOR}" -D program=$<TARGET_FILE:${target}> -D prefix=${prefix} "-D properties=${ARGN}" -D tests=${tests}
      -P ${PROJECT_SOURCE_DIR}/cmake/discover_tests.cmake)
  file(CONFIGURE OUTPUT ${target}_include.cmake @ONLY CONTENT [[
if(EXISTS "@tests@")
  include("@tests@")
else()
  add_test(@target@.not_built not_built)
endif()
]])
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${CMAKE_CURRENT_BINARY_DIR}/${target}_include.cmake)
endfunction()

if(NOT CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  return()
endif()
cmake_minimum_required(VERSION 3.25)

execute_process(COMMAND ${emulator} ${program} --gtest_list_tests OUTPUT_VARIABLE list RESULT_VARIABLE status TIMEOUT 60)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "${program} --gtest_list_tests ended with ${status}:\n${list}")
endif()
string(REGEX REPLACE " *#[^\n]*" "" list "${list}") # values and types
string(REGEX MATCHALL "[^\n]+" lines "${list}")
cmake_path(GET program PARENT_PATH folder)
list(JOIN properties " " properties)
set(command "[==[${program}]==]")
if(emulator) # of another processor
  list(JOIN emulator "]==] [==[" words)
  set(command "[==[${words}]==] ${command}")
endif()
set(seen "")
set(script "")
foreach(line ${lines})
  if(line MATCHES "^([^ ]+)\\.$")
    set(suite ${CMAKE_MATCH_1})
  elseif(line MATCHES "^  ([^/]+)(/?)")
    set(name ${suite}.${CMAKE_MATCH_1})
    set(filter ${name})
    if(CMAKE_MATCH_2)
      string(APPEND filter "/*")
    endif()
    if(name IN_LIST seen)
      continue()
    endif()
    list(APPEND seen ${name})
    # Skipped are those of which no value ran: ctest asks for this before it looks at the exit status.
    string(APPEND script "add_test([==[${prefix}${name}]==] ${command} [==[--gtest_filter=${filter}]==])\n"
      "set_tests_properties([==[${prefix}${name}]==] PROPERTIES WORKING_DIRECTORY [==[${folder}]==]"
      " SKIP_REGULAR_EXPRESSION [==[PASSED  \\] 0 tests\\.\n(\\[  SKIPPED \\][^\n]*\n)+$]==] ${properties})\n")
  endif()
endforeach()
file(WRITE ${tests} "${script}")
