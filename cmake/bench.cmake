# Microbenchmarks: each file is one program.
find_package(benchmark REQUIRED)
file(GLOB bench_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/bench/*_bench.cpp")
foreach(source ${bench_sources})
  cmake_path(GET source STEM name)
  add_executable(${name} ${source})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR} ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${name} PRIVATE nearfork::nearfork nearfork_warnings benchmark::benchmark_main)
endforeach()
