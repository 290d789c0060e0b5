# Side by side with peers: in bench/, each folder with a problem.cpp is a problem, and each other *.cpp in it that has a crew
# (bench/harness/crews, by the name up to the first _) is a contender: one program each, bench/PROBLEM/CONTENDER.
find_package(TBB QUIET)
find_package(OpenMP QUIET COMPONENTS CXX)
set(bench_root ${PROJECT_SOURCE_DIR}/bench)

# Every function of every contender starts a cache line. Otherwise luck decides: the same machine code of fib took 1.16x to 1.34x of the
# serial program's time, by the place of its first byte within a line.
add_compile_options(-falign-functions=64)

# What several programs share is compiled once.
function(nearfork_bench_part name)
  add_library(${name} OBJECT ${ARGN})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${name} PRIVATE nearfork_warnings)
endfunction()
nearfork_bench_part(bench_main ${bench_root}/harness/main.cpp ${bench_root}/harness/sort_inputs.cpp)

function(nearfork_contender problem contender crew source)
  set(target bench_${problem}_${contender})
  add_executable(${target} ${source} ${bench_root}/harness/crews/${crew}.cpp $<TARGET_OBJECTS:bench_main>
    $<TARGET_OBJECTS:bench_${problem}>)
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${contender}
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/contenders/${problem})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
  target_link_libraries(${target} PRIVATE nearfork_warnings)
  if(crew STREQUAL "serial")
    # The serial program must make every call, because the cost of a fork is what it adds to a call.
    target_compile_options(${target} PRIVATE -fno-optimize-sibling-calls)
  elseif(crew STREQUAL "nearfork")
    target_link_libraries(${target} PRIVATE nearfork::nearfork)
  elseif(crew STREQUAL "onetbb")
    target_link_libraries(${target} PRIVATE TBB::tbb)
  elseif(crew STREQUAL "openmp")
    target_link_libraries(${target} PRIVATE OpenMP::OpenMP_CXX)
  endif()
endfunction()

file(GLOB problems CONFIGURE_DEPENDS "${bench_root}/*/problem.cpp")
foreach(problem_source ${problems})
  cmake_path(GET problem_source PARENT_PATH folder)
  cmake_path(GET folder FILENAME problem)
  set(shared_sources "")
  set(contender_sources "")
  file(GLOB sources CONFIGURE_DEPENDS "${folder}/*.cpp")
  foreach(source ${sources})
    cmake_path(GET source STEM stem)
    string(REGEX REPLACE "_.*" "" crew ${stem})
    if(EXISTS "${bench_root}/harness/crews/${crew}.cpp")
      list(APPEND contender_sources ${source})
    else()
      list(APPEND shared_sources ${source})
    endif()
  endforeach()
  nearfork_bench_part(bench_${problem} ${shared_sources})
  foreach(source ${contender_sources})
    cmake_path(GET source STEM stem)
    string(REGEX REPLACE "_.*" "" crew ${stem})
    if((crew STREQUAL "onetbb" AND NOT TBB_FOUND) OR (crew STREQUAL "openmp" AND NOT OpenMP_CXX_FOUND))
      continue()
    endif()
    nearfork_contender(${problem} ${stem} ${crew} ${source})
  endforeach()
endforeach()

file(WRITE ${PROJECT_BINARY_DIR}/contenders/label "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}\n")

# What single acts of nearfork cost: each file is one program.
find_package(benchmark REQUIRED)
file(GLOB micro_sources CONFIGURE_DEPENDS "${bench_root}/micro/*.cpp")
foreach(source ${micro_sources})
  cmake_path(GET source STEM name)
  add_executable(${name} ${source})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${name} PRIVATE nearfork::nearfork nearfork_warnings)
  if(name MATCHES "_bench$")
    target_link_libraries(${name} PRIVATE benchmark::benchmark_main)
  endif()
endforeach()

# Coarse tasks, by nearfork and oneTBB in one program.
file(GLOB coarse_sources CONFIGURE_DEPENDS "${bench_root}/coarse/*.cpp")
add_executable(coarse ${coarse_sources})
target_include_directories(coarse PRIVATE ${PROJECT_SOURCE_DIR})
target_link_libraries(coarse PRIVATE nearfork::nearfork nearfork_warnings)
if(TBB_FOUND)
  target_link_libraries(coarse PRIVATE TBB::tbb)
  target_compile_definitions(coarse PRIVATE COARSE_ONETBB)
endif()

# What waits for messages cost, on each MPI (docs/MPI.md): mpirun -n 2 mpi_waits_openmpi.
foreach(mpi ${nearfork_mpis})
  add_executable(mpi_waits_${mpi} ${PROJECT_SOURCE_DIR}/bench/mpi/mpi_waits.cpp)
  target_link_libraries(mpi_waits_${mpi} PRIVATE nearfork_mpi_${mpi} nearfork_warnings)
endforeach()
