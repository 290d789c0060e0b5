# The library that users link: one CMake target for all rooms, shared and static. Each room is a folder; the arrows
# between them are checked by tests/arrows.
find_package(Threads REQUIRED)
find_package(Boost REQUIRED COMPONENTS context)
find_package(PkgConfig REQUIRED)
pkg_check_modules(hwloc REQUIRED IMPORTED_TARGET hwloc>=2.9)

file(GLOB nearfork_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/*/*.cpp")

function(nearfork_library target kind)
  add_library(${target} ${kind} ${nearfork_sources})
  target_include_directories(${target}
    PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
    PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_link_libraries(${target} PUBLIC Threads::Threads
    PRIVATE Boost::context PkgConfig::hwloc $<BUILD_INTERFACE:nearfork_warnings>)
  set_target_properties(${target} PROPERTIES OUTPUT_NAME nearfork VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR} POSITION_INDEPENDENT_CODE ON)
endfunction()

nearfork_library(nearfork_static STATIC)
set_target_properties(nearfork_static PROPERTIES EXPORT_NAME static)
add_library(nearfork::static ALIAS nearfork_static)
# What our own tools and tests link: the static one, since white-box tests see the rooms' internals.
add_library(nearfork::nearfork ALIAS nearfork_static)

option(NEARFORK_SHARED "Build the shared library, too" ${PROJECT_IS_TOP_LEVEL})
if(NEARFORK_SHARED)
  nearfork_library(nearfork_shared SHARED)
  set_target_properties(nearfork_shared PROPERTIES EXPORT_NAME shared)
  add_library(nearfork::shared ALIAS nearfork_shared)
endif()
