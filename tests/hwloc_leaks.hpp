// hwloc 2.9 leaks some hundred bytes for each description that it refuses: known to the leak checker, and not ours to
// mend. Included once by a program that feeds it bad ones.
#pragma once

#include "machine/described/hwloc_library.hpp"

extern "C" inline __attribute__((used)) const char* __lsan_default_suppressions() {
  return "leak:libhwloc";
}

/// Never unloaded in such a program: the checker looks at its end, and what is gone then has no name.
inline const auto* const loaded_for_good = new nearfork::hwloc_library;
