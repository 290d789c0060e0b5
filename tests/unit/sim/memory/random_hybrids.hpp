// Any small machines of big and little cores, with any ways.
#pragma once

#include <rapidcheck.h>

#include <cstdint>

#include "unit/sim/machine/hybrid_machines.hpp"

namespace nearfork::sim {

inline hybrid_shape random_hybrid() {
  const auto bytes = [](std::uint64_t most) { return *rc::gen::inRange<std::uint64_t>(1, most + 1) * 512; };
  hybrid_shape made;
  made.big = {.l1_bytes = bytes(8), .l2_bytes = bytes(16), .cluster = *rc::gen::element(1U, 2U)};
  made.little = {.l1_bytes = bytes(8), .l2_bytes = bytes(16), .cluster = *rc::gen::element(1U, 2U, 4U)};
  made.first_big_cores = 2;
  made.little_clusters = *rc::gen::element(1U, 2U);
  made.last_big_cores = made.big.cluster;
  made.l3_bytes = {bytes(32), bytes(32)};
  return made;
}

/// Few, so that caches have many rows: runs are long.
inline hybrid_ways random_ways() {
  const auto ways = [] { return *rc::gen::element(1U, 2U, 3U, 4U, 8U); };
  return {.big = ways(), .little = ways(), .last = ways()};
}

}  // namespace nearfork::sim
