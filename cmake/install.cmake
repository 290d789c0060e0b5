# find_package(nearfork) and pkg-config, for both kinds of library.
include(CMakePackageConfigHelpers)

set(installed nearfork_static)
if(NEARFORK_SHARED)
  list(APPEND installed nearfork_shared)
endif()
if(TARGET nearfork_malloc)
  list(APPEND installed nearfork_malloc)
endif()
install(TARGETS ${installed} EXPORT nearfork-targets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/nearfork DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/machines/ DESTINATION ${CMAKE_INSTALL_DATADIR}/nearfork/machines
  FILES_MATCHING PATTERN "*.xml" PATTERN "*.model")
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN "*.md" PATTERN "*.svg" PATTERN "*.png" PATTERN "*.json")
install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN "*.cpp" PATTERN "CMakeLists.txt")
# Sources: MPIs differ in their binary interfaces, so a project compiles them with its own (nearfork-mpi.cmake).
install(DIRECTORY ${PROJECT_SOURCE_DIR}/src/mpi DESTINATION ${CMAKE_INSTALL_DATADIR}/nearfork/mpi/src FILES_MATCHING PATTERN "*.cpp" PATTERN "*.hpp")
install(FILES ${PROJECT_SOURCE_DIR}/cmake/nearfork-mpi.cmake DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/nearfork)
install(EXPORT nearfork-targets NAMESPACE nearfork:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/nearfork)
set(mpi_sources ${CMAKE_INSTALL_DATADIR}/nearfork/mpi/src)
configure_package_config_file(cmake/nearfork-config.cmake.in ${PROJECT_BINARY_DIR}/nearfork-config.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/nearfork PATH_VARS mpi_sources)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/nearfork-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/nearfork-config.cmake ${PROJECT_BINARY_DIR}/nearfork-config-version.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/nearfork)
# Relative, so that the installed tree can be moved.
file(RELATIVE_PATH up_to_prefix "/prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/prefix")
configure_file(cmake/nearfork.pc.in ${PROJECT_BINARY_DIR}/nearfork.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/nearfork.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
