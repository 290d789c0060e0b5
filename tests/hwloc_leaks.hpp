// hwloc 2.9 leaks some hundred bytes for each description that it refuses. This header tells the leak checker so,
// because the leak is hwloc's. Include the header once, in a program that feeds bad descriptions to hwloc.
#pragma once

#include "machine/described/hwloc_library.hpp"

extern "C" inline __attribute__((used)) const char* __lsan_default_suppressions() {
  return "leak:libhwloc";
}

/// Such a program never unloads hwloc: the leak checker looks at the program's end, when an unloaded library has no
/// name.
inline const auto* const loaded_for_good = new nearfork::hwloc_library;
