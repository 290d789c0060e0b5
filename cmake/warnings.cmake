# For our own code, never for what includes it.
add_library(nearfork_warnings INTERFACE)
target_compile_options(nearfork_warnings INTERFACE -Wall -Wextra -Wpedantic -Wconversion
  $<$<BOOL:${NEARFORK_WERROR}>:-Werror>)
# Where sources are one unit, a name of one may shadow a name of another.
target_compile_options(nearfork_warnings INTERFACE $<$<NOT:$<BOOL:$<TARGET_PROPERTY:UNITY_BUILD>>>:-Wshadow>)
# clang blames us for what std::stable_sort of libstdc++ 12 calls; gcc still sees our own uses.
target_compile_options(nearfork_warnings INTERFACE $<$<CXX_COMPILER_ID:Clang>:-Wno-deprecated-declarations>)
