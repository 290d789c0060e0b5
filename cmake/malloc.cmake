# libnearfork-malloc.so: malloc, free and the operators, in place of those of the C and C++ libraries. Programs in C load it, too,
# so it needs no library but the C library: no exceptions, no C++ library. Sanitizers replace malloc themselves.
if(NEARFORK_SANITIZE OR NEARFORK_FUZZ)
  return()
endif()
file(GLOB malloc_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/malloc/*.cpp")
add_library(nearfork_malloc SHARED ${malloc_sources})
add_library(nearfork::malloc ALIAS nearfork_malloc)
target_compile_features(nearfork_malloc PRIVATE cxx_std_20)
target_include_directories(nearfork_malloc PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
# Optimised in each kind of build: the fast path is a comparison and a jump. no-builtin: calloc is not to be made of malloc.
target_compile_options(nearfork_malloc PRIVATE -O2 -U_GLIBCXX_ASSERTIONS -fno-builtin -fno-exceptions -fno-rtti -fno-threadsafe-statics
  -falign-functions=64 -fno-stack-protector -fvisibility=hidden -fcf-protection=none)
target_link_options(nearfork_malloc PRIVATE -nodefaultlibs -Wl,-z,nodelete -Wl,-z,now -Wl,--no-undefined
  -Wl,--version-script=${PROJECT_SOURCE_DIR}/src/malloc/exported.map)
target_link_libraries(nearfork_malloc PRIVATE nearfork_warnings -lc -lgcc ${CMAKE_DL_LIBS})
set_target_properties(nearfork_malloc PROPERTIES OUTPUT_NAME nearfork-malloc EXPORT_NAME malloc
  LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR} LINK_DEPENDS ${PROJECT_SOURCE_DIR}/src/malloc/exported.map)
