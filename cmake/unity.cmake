# Sources of one folder compiled together: a build from nothing spends most of its time in the headers that they share. The
# presets of the sanitizers and of releases do so; in dev each source stands alone, so a forgotten include is found there.
option(NEARFORK_UNITY "Compile the sources of a folder together" OFF)

# Names in anonymous namespaces must then differ within a folder, which clang-tidy asks for anyway (scripts/tidy.sh).
function(nearfork_unity target)
  if(NOT NEARFORK_UNITY)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cpp$")
  foreach(source ${sources})
    cmake_path(GET source PARENT_PATH folder)
    file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR} ${folder})
    string(MAKE_C_IDENTIFIER "${folder}" unit)
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${unit})
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()
