# The page of nearfork report: its template, and D3 from Debian's package node-d3, become part of the command.
find_file(NEARFORK_D3 d3.min.js PATHS /usr/share/nodejs/d3/dist NO_DEFAULT_PATH
  DOC "D3, version 5 to 7, as one file; NOTFOUND: nearfork report makes no pages")
# A page that has D3 must have its licence, too.
find_file(NEARFORK_D3_LICENCE copyright PATHS /usr/share/doc/node-d3 NO_DEFAULT_PATH
  DOC "The licence of D3; NOTFOUND: pages name it only")
if(NOT NEARFORK_D3)
  message(STATUS "D3 is not there (Debian's package node-d3): nearfork report, and --html, will say so and make no pages")
endif()

function(nearfork_report_page target)
  set(folder ${PROJECT_SOURCE_DIR}/tools/report/page)
  set(made ${PROJECT_BINARY_DIR}/report_page/page_parts.cpp)
  file(GLOB parts CONFIGURE_DEPENDS "${folder}/*")
  set(files "")
  foreach(part ${parts})
    cmake_path(GET part FILENAME name)
    string(APPEND files "${name}|${part}|")
  endforeach()
  string(APPEND files "d3.min.js|${NEARFORK_D3}|d3.licence|${NEARFORK_D3_LICENCE}")
  set(inputs ${parts})
  if(NEARFORK_D3)
    list(APPEND inputs ${NEARFORK_D3})
  endif()
  add_custom_command(OUTPUT ${made}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${made} "-DFILES=${files}" -P ${PROJECT_SOURCE_DIR}/cmake/embed.cmake
    DEPENDS ${inputs} ${PROJECT_SOURCE_DIR}/cmake/embed.cmake COMMENT "The parts of report pages" VERBATIM)
  set_source_files_properties(${made} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON GENERATED ON)
  target_sources(${target} PRIVATE ${made})
endfunction()
