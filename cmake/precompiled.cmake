# Headers from elsewhere that many tests include, read once per set of flags. Our own headers are not among them: who edits one
# compiles again what includes it, not everything. The presets of the sanitizers do so, with clang: a small test took 2.5 s without
# and 1.3 s with. Not with gcc 12: it loads the 140 MB that it wrote in about the time in which it reads the headers. So no test
# gets by without an include of its own; includes.* in tests/arrows says the same sooner.
option(NEARFORK_PRECOMPILED "Read the headers of other libraries once" OFF)

# Headers for the targets that ask for them by nearfork_precompiled(TARGET name), and name_unoptimised for those that are not
# optimised (cmake/unoptimised.cmake). What follows `name` are the libraries that bring the headers, and the headers.
function(nearfork_precompiled_headers name libraries)
  if(NOT NEARFORK_PRECOMPILED)
    return()
  endif()
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp CONTENT "")
  foreach(made ${name} ${name}_unoptimised)
    add_library(${made} OBJECT EXCLUDE_FROM_ALL ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
    target_link_libraries(${made} PRIVATE ${libraries} nearfork_warnings) # -Wpedantic takes a macro away from gcc
    target_precompile_headers(${made} PRIVATE ${ARGN})
  endforeach()
  nearfork_unoptimised(${name}_unoptimised)
endfunction()

function(nearfork_precompiled target name)
  if(NEARFORK_PRECOMPILED)
    target_precompile_headers(${target} REUSE_FROM ${name})
  endif()
endfunction()
