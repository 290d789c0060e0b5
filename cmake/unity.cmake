# Sources compiled together: a build from nothing spends most of its time in the headers that they share. Builds for tests
# compile the library's sources folder by folder (FOLDERS), all others room by room (ROOMS), as releases: what a project
# gets that has nearfork below it is what is tested. That each source of the library includes what it needs is checked by
# scripts/alone.py, and sooner for tests and public headers by includes.* in tests/arrows.
set(NEARFORK_UNITY ROOMS CACHE STRING "Which sources of nearfork are compiled together: OFF (none), FOLDERS, ROOMS")
set_property(CACHE NEARFORK_UNITY PROPERTY STRINGS OFF FOLDERS ROOMS)
if(NOT NEARFORK_UNITY MATCHES "^(OFF|FOLDERS|ROOMS)$")
  message(FATAL_ERROR "NEARFORK_UNITY is ${NEARFORK_UNITY}; it takes OFF, FOLDERS or ROOMS")
endif()

# gcc searches its heap for what it can use again, each time that it has grown by some share. A unit of many sources keeps most of
# its heap to the end. With the first search at 512 MiB tools/ compiles in 47 s, not 55, and src/sim in 32, not 37.
if(NEARFORK_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  add_compile_options(--param=ggc-min-heapsize=524288)
endif()

# Names in anonymous namespaces must then differ within a room; clang-tidy asks for that within a folder (scripts/tidy.sh).
# What follows the target: pairs of a name and a regular expression; folders that match it are one unit of that name. Each
# other folder is one.
function(nearfork_unity target)
  if(NOT NEARFORK_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD OFF) # a parent's CMAKE_UNITY_BUILD would mix rooms
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cpp$")
  foreach(source ${sources})
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
    cmake_path(GET source PARENT_PATH folder)
    file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR} ${folder})
    set(groups ${ARGN})
    while(groups)
      list(POP_FRONT groups name regex)
      if(folder MATCHES "${regex}")
        set(folder ${name})
        set(groups "")
      endif()
    endwhile()
    if(NEARFORK_UNITY STREQUAL "ROOMS" AND folder MATCHES "^src/[^/]+")
      set(folder "${CMAKE_MATCH_0}")
    endif()
    string(MAKE_C_IDENTIFIER "${folder}" unit)
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${unit})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()
