# The library that users link: all rooms in one, shared and static. Each room is a folder of src/; the arrows between
# rooms are checked by tests/arrows.
find_package(Threads REQUIRED)
find_package(Boost REQUIRED COMPONENTS context)
find_package(PkgConfig REQUIRED)
# Its headers alone: the library is loaded at run time, while a machine is read (src/machine/described/hwloc_library.hpp).
pkg_check_modules(hwloc REQUIRED IMPORTED_TARGET hwloc>=2.9)
# Headers alone, which write the format of traces (src/trace/perfetto_trace.cpp): nothing to link.
find_path(NEARFORK_PROTOZERO protozero/pbf_writer.hpp REQUIRED)

file(GLOB_RECURSE nearfork_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/*.cpp")
# A library of its own, which programs load before the C library (cmake/malloc.cmake).
list(FILTER nearfork_sources EXCLUDE REGEX "/src/malloc/")
# A library of its own, one for each MPI (cmake/mpi.cmake).
list(FILTER nearfork_sources EXCLUDE REGEX "/src/mpi/")

function(nearfork_usage target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_compile_definitions(${target} PUBLIC $<$<BOOL:${NEARFORK_ASSERTS}>:NEARFORK_ASSERTS=1>)
  target_include_directories(${target}
    PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_link_libraries(${target} PUBLIC Threads::Threads PRIVATE Boost::context ${CMAKE_DL_LIBS})
endfunction()

# What runs once or only prints is built for size: a program that links nearfork has 200 KiB fewer of its pages resident than
# with -O3 throughout. A target of its own, because sources with options of their own cannot be compiled together.
set(rarely_run_folders base/output base/text machine memory/blocks memory/placed memory/system plan/course plan/crew plan/plans plan/policies
  power recording runtime/clocks runtime/lifetime runtime/malloc runtime/recording runtime/regions runtime/relief runtime/reports runtime/settings runtime/sight sensors trace)
list(TRANSFORM rarely_run_folders PREPEND "${PROJECT_SOURCE_DIR}/src/")
list(TRANSFORM rarely_run_folders APPEND "/*.cpp")
file(GLOB_RECURSE rarely_run CONFIGURE_DEPENDS ${rarely_run_folders})
set(often_run ${nearfork_sources})
list(REMOVE_ITEM often_run ${rarely_run})

# Compiled once for both kinds of library. Position-independent code costs the static one nothing that matters: with
# initial-exec thread-locals the linker turns each access into the local-exec form when it links a program.
function(nearfork_library_objects target release_level)
  add_library(${target} OBJECT ${ARGN})
  nearfork_usage(${target})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src ${hwloc_INCLUDE_DIRS})
  target_include_directories(${target} SYSTEM PRIVATE ${NEARFORK_PROTOZERO})
  # Each function in a section of its own: a program that links with --gc-sections gets no more than it can call, 1.09 MB
  # of 1.47 for one that only forks.
  # Plugins that each have the static library in them, and nothing of each other, must not share its variables.
  target_compile_options(${target} PRIVATE -ftls-model=initial-exec
    "$<$<CONFIG:Release>:${release_level};-ffunction-sections;-fdata-sections>"
    $<$<CXX_COMPILER_ID:GNU>:-fno-gnu-unique>)
  target_link_libraries(${target} PRIVATE nearfork_warnings)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  nearfork_unity(${target})
endfunction()
# Nothing in here is a loop that a compiler could widen, so -O2.
nearfork_library_objects(nearfork_objects -O2 ${often_run})
nearfork_library_objects(nearfork_rare_objects -Os ${rarely_run})

# Named machines are looked for in share/nearfork/machines above the library or program, which finds those of a build tree
# (a link to the sources) and of an installed one wherever it was moved; at last where nearfork was to be installed.
set_source_files_properties(${PROJECT_SOURCE_DIR}/src/machine/described/named_machines.cpp PROPERTIES
  COMPILE_DEFINITIONS NEARFORK_INSTALLED_MACHINES="${CMAKE_INSTALL_FULL_DATADIR}/nearfork/machines")
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/share/nearfork)
file(CREATE_LINK ${PROJECT_SOURCE_DIR}/machines ${CMAKE_BINARY_DIR}/share/nearfork/machines SYMBOLIC)

function(nearfork_library kind export_name)
  set(target nearfork_${export_name})
  add_library(${target} ${kind} $<TARGET_OBJECTS:nearfork_objects> $<TARGET_OBJECTS:nearfork_rare_objects>)
  nearfork_usage(${target})
  set_target_properties(${target} PROPERTIES OUTPUT_NAME nearfork EXPORT_NAME ${export_name} LINKER_LANGUAGE CXX
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  add_library(nearfork::${export_name} ALIAS ${target})
endfunction()

nearfork_library(STATIC static)
nearfork_linked_first(nearfork_static)
if(NEARFORK_SHARED)
  nearfork_library(SHARED shared)
endif()
# Our own tools and tests link the static one: white-box tests see the rooms' internals.
add_library(nearfork::nearfork ALIAS nearfork_static)
