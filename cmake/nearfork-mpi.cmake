# nearfork_add_mpi(target sources mpi [properties...]): the library of <nearfork/mpi.hpp>, compiled from `sources` (the folder that
# has mpi/) for one MPI. MPIs have no common binary interface, so each has a library of its own.
function(nearfork_add_mpi target sources mpi)
  file(GLOB files "${sources}/mpi/*.cpp")
  add_library(${target} STATIC EXCLUDE_FROM_ALL ${files})
  target_include_directories(${target} PRIVATE "${sources}")
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_link_libraries(${target} PUBLIC nearfork::nearfork ${mpi})
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
endfunction()
