// Whether stacks can have full guards on this machine: each guard takes 1 GiB of addresses.
#pragma once

#include <sys/resource.h>

#include <bit>
#include <cstdint>

#include "tests/runtime_settings.hpp"

namespace nearfork::test {

/// False under sanitizers, under `ulimit -v`, and on an AArch64 kernel with 39 or 42 bits.
inline bool has_many_addresses() {
  rlimit allowed{};
  if (sanitized || getrlimit(RLIMIT_AS, &allowed) != 0 || allowed.rlim_cur != RLIM_INFINITY) return false;
  return std::bit_width(reinterpret_cast<std::uintptr_t>(&allowed)) >= 46;
}

}  // namespace nearfork::test
