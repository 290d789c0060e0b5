# The nearfork command: one file per subcommand. All but main.cpp is a library, so that tests reach what is behind the
# subcommands.
find_package(CLI11 REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
include(cmake/report_page.cmake)

file(GLOB_RECURSE tool_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tools/*.cpp")
list(FILTER tool_sources EXCLUDE REGEX "/tools/(main\\.cpp$|validation/|mpi_ranks/)")
if(tool_sources)
  # What is timed is compiled by itself in every build, so that its neighbours do not change it.
  file(GLOB timed_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tools/topo/measured_*.cpp"
    "${PROJECT_SOURCE_DIR}/tools/topo/chained_instructions.cpp")
  set_source_files_properties(${timed_sources} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  # What touches every element of a graph or of a simulated program.
  set(busy_sources ${tool_sources})
  list(FILTER busy_sources INCLUDE REGEX "/tools/(graph_files|simulated)/")
  list(APPEND busy_sources ${timed_sources})
  list(REMOVE_ITEM tool_sources ${busy_sources})
  add_library(nearfork_busy_tools OBJECT ${busy_sources})
  target_include_directories(nearfork_busy_tools PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(nearfork_busy_tools
    PRIVATE nearfork::nearfork fmt::fmt nlohmann_json::nlohmann_json nearfork_warnings)
  nearfork_unity(nearfork_busy_tools busy_tools "^tools/")

  add_library(nearfork_tools STATIC ${tool_sources} $<TARGET_OBJECTS:nearfork_busy_tools>)
  # The rest reads options and prints: with -O3 it is no faster, and takes twice as long to compile (topo 13.5 s, not 7).
  target_compile_options(nearfork_tools PRIVATE $<$<CONFIG:Release>:-Og>)
  nearfork_unoptimised(nearfork_tools)
  nearfork_precompiled_headers(tool_headers "nearfork::nearfork;CLI11::CLI11;fmt::fmt;nlohmann_json::nlohmann_json"
    <CLI/CLI.hpp> <fmt/format.h> <nlohmann/json.hpp>)
  nearfork_precompiled(nearfork_tools tool_headers_unoptimised)
  target_include_directories(nearfork_tools PUBLIC ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(nearfork_tools
    PUBLIC nearfork::nearfork CLI11::CLI11 fmt::fmt nlohmann_json::nlohmann_json PRIVATE nearfork_warnings)
  # From the folder of the command, installed.
  set_source_files_properties(${PROJECT_SOURCE_DIR}/tools/run/placed_malloc_linux.cpp PROPERTIES
    COMPILE_DEFINITIONS NEARFORK_LIBRARY_FOLDER="${CMAKE_INSTALL_LIBDIR}" SKIP_UNITY_BUILD_INCLUSION ON)
  target_compile_definitions(nearfork_tools PRIVATE NEARFORK_LIBEXEC_FOLDER="${CMAKE_INSTALL_LIBEXECDIR}")
  # Most of what a source of tools/ costs is the headers of CLI11, fmt and json: seven seconds of each unit. Two units, for
  # machines with two cores.
  nearfork_unity(nearfork_tools tools_of_simulations "^tools/(sim|recordings|reproduce|advice)" tools "^tools")
  target_include_directories(nearfork_tools SYSTEM PRIVATE ${NEARFORK_PROTOZERO})
  nearfork_report_page(nearfork_tools)
  if(TARGET nearfork_contenders)
    target_link_libraries(nearfork_tools PUBLIC nearfork_contenders)
  endif()
endif()
if(tool_sources AND EXISTS "${PROJECT_SOURCE_DIR}/tools/main.cpp")
  add_executable(nearfork_command ${PROJECT_SOURCE_DIR}/tools/main.cpp)
  set_target_properties(nearfork_command PROPERTIES OUTPUT_NAME nearfork RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
  target_link_libraries(nearfork_command PRIVATE nearfork_tools nearfork_warnings)
  target_compile_options(nearfork_command PRIVATE $<$<CONFIG:Release>:-Og>)
  if(NEARFORK_INSTALL)
    install(TARGETS nearfork_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  endif()
endif()

# Manual pages and completions: the command itself writes them, so it must run here. OPTIONAL: an install without them is whole.
if(TARGET nearfork_command AND NOT CMAKE_CROSSCOMPILING AND NOT NEARFORK_SANITIZE)
  set(manual ${PROJECT_BINARY_DIR}/manual)
  add_custom_command(OUTPUT ${manual}/made
    COMMAND ${CMAKE_COMMAND} -E make_directory ${manual}/man1
    COMMAND nearfork_command man --folder ${manual}/man1
    COMMAND nearfork_command completion bash > ${manual}/nearfork
    COMMAND nearfork_command completion zsh > ${manual}/_nearfork
    COMMAND ${CMAKE_COMMAND} -E touch ${manual}/made
    DEPENDS nearfork_command COMMENT "Manual pages and completions" VERBATIM)
  add_custom_target(nearfork_manual ALL DEPENDS ${manual}/made)
  install(DIRECTORY ${manual}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR} OPTIONAL)
  install(FILES ${manual}/nearfork DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions OPTIONAL)
  install(FILES ${manual}/_nearfork DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions OPTIONAL)
endif()

# What scripts/validate_*.sh run: how far the simulator may be believed.
if(TARGET nearfork_tools)
  foreach(check IN ITEMS cache host)
    file(GLOB check_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/tools/validation/${check}_*.cpp")
    add_executable(nearfork_${check}_check ${check_sources})
    # Built with the tests, so that a change elsewhere does not leave them behind.
    if(NOT NEARFORK_BUILD_TESTS)
      set_target_properties(nearfork_${check}_check PROPERTIES EXCLUDE_FROM_ALL ON)
    endif()
    set_target_properties(nearfork_${check}_check PROPERTIES
      OUTPUT_NAME ${check}_check RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
    target_link_libraries(nearfork_${check}_check PRIVATE nearfork_tools nearfork_warnings)
  endforeach()
endif()
