# What only calls the library need not be optimised in builds for tests: it compiles in two thirds of the time with gcc, and in a
# third with clang's address sanitizer (a unit of tests/unit/tools 11 s in place of 34). With the thread sanitizer such tests
# take longer to run than they save.
function(nearfork_unoptimised target)
  if(CMAKE_BUILD_TYPE STREQUAL "Debug" AND NOT NEARFORK_SANITIZE STREQUAL "thread")
    target_compile_options(${target} PRIVATE -O0)
  endif()
endfunction()

# Of an inline function the linker takes the first that it meets: that of the library, or simulations take 3.5 times as long.
# Programs of others link as they like.
function(nearfork_linked_first library)
  if(CMAKE_BUILD_TYPE STREQUAL "Debug" AND PROJECT_IS_TOP_LEVEL)
    target_link_options(${library} INTERFACE
      $<BUILD_INTERFACE:LINKER:--whole-archive,$<TARGET_FILE:${library}>,--no-whole-archive>)
  endif()
endfunction()
