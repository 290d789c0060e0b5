# The commands that run all contenders of bench/. All but main.cpp is a library, so that tests reach it.
file(GLOB compare_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/bench/compare/*.cpp"
  "${PROJECT_SOURCE_DIR}/bench/compare/styles/*.cpp")
list(FILTER compare_sources EXCLUDE REGEX "/main\\.cpp$")
add_library(nearfork_compare STATIC EXCLUDE_FROM_ALL ${compare_sources})
target_link_libraries(nearfork_compare PUBLIC nearfork_tools PRIVATE nearfork_warnings)
nearfork_unity(nearfork_compare)

# They need tools/, the contenders do not: a check has the contenders of a release driven by the commands of a build with asserts.
if(NOT NEARFORK_BUILD_BENCH)
  set(only_if_asked EXCLUDE_FROM_ALL)
endif()
add_executable(compare ${only_if_asked} ${PROJECT_SOURCE_DIR}/bench/compare/main.cpp)
add_executable(compare_styles ${only_if_asked} ${PROJECT_SOURCE_DIR}/bench/compare/styles/main.cpp)
foreach(command compare compare_styles)
  target_link_libraries(${command} PRIVATE nearfork_compare nearfork_warnings)
endforeach()
