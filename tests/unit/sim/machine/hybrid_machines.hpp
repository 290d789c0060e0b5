// Machines of big and little cores, which have other caches.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "sim/machine/machine_model.hpp"
#include "unit/plan/crew/machines_for_tests.hpp"

namespace nearfork::sim {

struct core_caches {
  std::uint64_t l1_bytes;
  std::uint64_t l2_bytes;
  unsigned cluster;  // so many cores share an L2
};

/// In each domain the big cores come before and behind the little ones.
struct hybrid_shape {
  core_caches big{.l1_bytes = 2 << 10, .l2_bytes = 6 << 10, .cluster = 1};
  core_caches little{.l1_bytes = 1 << 10, .l2_bytes = 4 << 10, .cluster = 4};
  std::uint32_t first_big_cores = 2;
  std::uint32_t little_clusters = 1;
  std::uint32_t last_big_cores = 1;
  std::vector<std::uint64_t> l3_bytes{16 << 10, 16 << 10};  // by domain
};

inline constexpr unsigned little_kind = 0;
inline constexpr unsigned big_kind = 1;

inline machine hybrid_machine(const hybrid_shape& of) {
  const std::uint32_t little_end = of.first_big_cores + of.little_clusters * of.little.cluster;
  const std::uint32_t cores = little_end + of.last_big_cores;
  machine_parts parts = machine_of(static_cast<std::uint32_t>(of.l3_bytes.size()), cores).parts();
  parts.core_kinds = {{.name = "little", .efficiency = 0}, {.name = "big", .efficiency = 1}};
  for (std::uint32_t d = 0; d < parts.domains.size(); ++d) {
    domain& around = parts.domains[d];
    const cache_level last{3, of.l3_bytes[d], cores};
    around.caches = {{1, of.big.l1_bytes, 1},
                     {1, of.little.l1_bytes, 1},
                     {2, of.big.l2_bytes, of.big.cluster},
                     {2, of.little.l2_bytes, of.little.cluster},
                     last};
    for (std::uint32_t i = 0; i < cores; ++i) {
      core& one = parts.cores[index_of_id(around.cores[i])];
      one.kind = i >= of.first_big_cores && i < little_end ? little_kind : big_kind;
      const core_caches& own = one.kind == big_kind ? of.big : of.little;
      one.caches = {{1, own.l1_bytes, 1}, {2, own.l2_bytes, own.cluster}, last};
      ++parts.core_kinds[one.kind].cores;
    }
  }
  return machine(std::move(parts));
}

struct hybrid_ways {
  std::uint32_t big;
  std::uint32_t little;
  std::uint32_t last;  // of the L3, which both share
};
inline void give_ways(machine_model& to, hybrid_ways ways) {
  to.kinds[big_kind].associativity = {ways.big, ways.big, ways.last};
  to.kinds[little_kind].associativity = {ways.little, ways.little, ways.last};
}

}  // namespace nearfork::sim
