# The commands that run all contenders of bench/. All but main.cpp is a library, so that tests reach it.
file(GLOB compare_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/bench/compare/*.cpp"
  "${PROJECT_SOURCE_DIR}/bench/compare/styles/*.cpp")
list(FILTER compare_sources EXCLUDE REGEX "/main\\.cpp$")
add_library(nearfork_compare STATIC ${compare_sources})
target_link_libraries(nearfork_compare PUBLIC nearfork_tools PRIVATE nearfork_warnings)
nearfork_unity(nearfork_compare)
