// hwloc 2.9 leaks some hundred bytes for each description that it refuses: known to the leak checker, and not ours to mend.
// Included once by a program that feeds it bad ones.
#pragma once

extern "C" inline __attribute__((used)) const char* __lsan_default_suppressions() { return "leak:libhwloc"; }
