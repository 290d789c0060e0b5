# Sanitizers apply to everything built here: a library compiled without them hides what it does from them.
if(NEARFORK_SANITIZE)
  add_compile_options(-fsanitize=${NEARFORK_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${NEARFORK_SANITIZE})
endif()
# The address sanitizer stops where a pointer that is null or out of its object is used. What looks for the pointer itself, before
# it is used, and for wrong casts of classes with virtual functions, takes 27 to 30% of the compiler's time (src/sim/dataflow,
# src/machine/model).
if(NEARFORK_SANITIZE MATCHES "address" AND NEARFORK_SANITIZE MATCHES "undefined")
  add_compile_options(-fno-sanitize=null,object-size,pointer-overflow,vptr)
endif()
if(NEARFORK_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "NEARFORK_FUZZ needs clang's libFuzzer, but the compiler is ${CMAKE_CXX_COMPILER_ID}: "
      "configure a preset that ends in -clang, or set NEARFORK_FUZZ=OFF (the corpus is then replayed only)")
  endif()
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
