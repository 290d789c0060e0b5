# For our own code, never for what includes it.
add_library(nearfork_warnings INTERFACE)
target_compile_options(nearfork_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion
  $<$<BOOL:${NEARFORK_WERROR}>:-Werror>)
