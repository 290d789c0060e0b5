# Sources compiled together: a build from nothing spends most of its time in the headers that they share. The sanitizers'
# presets do so folder by folder, those of releases room by room. OUTSIDE: folder by folder, but the library's sources each by
# itself, so that a forgotten include is found there, and the arrows between its objects.
set(NEARFORK_UNITY OFF CACHE STRING "Which sources are compiled together: OFF (none), OUTSIDE, FOLDERS, ROOMS")
set_property(CACHE NEARFORK_UNITY PROPERTY STRINGS OFF OUTSIDE FOLDERS ROOMS)
if(NOT NEARFORK_UNITY MATCHES "^(OFF|OUTSIDE|FOLDERS|ROOMS)$")
  message(FATAL_ERROR "NEARFORK_UNITY is ${NEARFORK_UNITY}; it takes OFF, OUTSIDE, FOLDERS or ROOMS")
endif()

# Names in anonymous namespaces must then differ within a room; clang-tidy asks for that within a folder (scripts/tidy.sh).
# What follows the target: pairs of a name and a regular expression; folders that match it are one room of that name. The other
# folders of src/ are rooms.
function(nearfork_unity target)
  if(NOT NEARFORK_UNITY)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cpp$")
  foreach(source ${sources})
    cmake_path(GET source PARENT_PATH folder)
    file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR} ${folder})
    if(NEARFORK_UNITY STREQUAL "ROOMS")
      set(rooms ${ARGN})
      while(rooms)
        list(POP_FRONT rooms name regex)
        if(folder MATCHES "${regex}")
          set(folder ${name})
          set(rooms "")
        endif()
      endwhile()
      if(folder MATCHES "^src/[^/]+")
        set(folder "${CMAKE_MATCH_0}")
      endif()
    endif()
    string(MAKE_C_IDENTIFIER "${folder}" unit)
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${unit})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()
