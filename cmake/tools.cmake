# The nearfork command: one file per subcommand. All but main.cpp is a library, so that tests reach what is behind the
# subcommands.
find_package(CLI11 REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)

file(GLOB_RECURSE tool_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tools/*.cpp")
list(FILTER tool_sources EXCLUDE REGEX "/tools/(main\\.cpp$|validation/)")
if(tool_sources)
  add_library(nearfork_tools STATIC ${tool_sources})
  target_include_directories(nearfork_tools PUBLIC ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(nearfork_tools
    PUBLIC nearfork::nearfork CLI11::CLI11 fmt::fmt nlohmann_json::nlohmann_json PRIVATE nearfork_warnings)
  if(TARGET nearfork_contenders)
    target_link_libraries(nearfork_tools PUBLIC nearfork_contenders)
  endif()
endif()
if(tool_sources AND EXISTS "${PROJECT_SOURCE_DIR}/tools/main.cpp")
  add_executable(nearfork_command ${PROJECT_SOURCE_DIR}/tools/main.cpp)
  set_target_properties(nearfork_command PROPERTIES OUTPUT_NAME nearfork RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
  target_link_libraries(nearfork_command PRIVATE nearfork_tools nearfork_warnings)
  install(TARGETS nearfork_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

# What scripts/validate_*.sh run: how far the simulator may be believed.
if(TARGET nearfork_tools)
  foreach(check IN ITEMS cache host)
    file(GLOB check_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tools/validation/${check}_*.cpp")
    add_executable(nearfork_${check}_check EXCLUDE_FROM_ALL ${check_sources})
    set_target_properties(nearfork_${check}_check PROPERTIES
      OUTPUT_NAME ${check}_check RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
    target_link_libraries(nearfork_${check}_check PRIVATE nearfork_tools nearfork_warnings)
  endforeach()
endif()
