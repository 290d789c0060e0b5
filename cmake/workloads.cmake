# The papers' programs, and the contenders that the command and the tests compare them with.
file(GLOB_RECURSE workload_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/workloads/*.cpp")
list(FILTER workload_sources EXCLUDE REGEX "/contenders/")
if(workload_sources)
  add_library(nearfork_workloads STATIC ${workload_sources})
  target_include_directories(nearfork_workloads PUBLIC ${PROJECT_SOURCE_DIR})
  target_link_libraries(nearfork_workloads PUBLIC nearfork::nearfork PRIVATE nearfork_warnings)

  # Off under the sanitizers: neither TBB nor OpenMP's runtime is instrumented.
  option(NEARFORK_CONTENDERS "Compare with oneTBB and OpenMP where they are found" ON)
  file(GLOB contender_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/workloads/contenders/*.cpp")
  if(NEARFORK_CONTENDERS)
    find_package(TBB QUIET)
    find_package(OpenMP QUIET COMPONENTS CXX)
  endif()
  if(NOT TBB_FOUND)
    list(FILTER contender_sources EXCLUDE REGEX "_tbb\\.cpp$")
  endif()
  if(NOT OpenMP_CXX_FOUND)
    list(FILTER contender_sources EXCLUDE REGEX "_omp\\.cpp$")
  endif()
  add_library(nearfork_contenders STATIC ${contender_sources})
  target_link_libraries(nearfork_contenders PUBLIC nearfork_workloads PRIVATE nearfork_warnings
    $<$<BOOL:${TBB_FOUND}>:TBB::tbb> $<$<BOOL:${OpenMP_CXX_FOUND}>:OpenMP::OpenMP_CXX>)
  target_compile_definitions(nearfork_contenders PUBLIC
    $<$<BOOL:${TBB_FOUND}>:NEARFORK_HAVE_TBB=1> $<$<BOOL:${OpenMP_CXX_FOUND}>:NEARFORK_HAVE_OPENMP=1>)
endif()
