// The synthetic program with which Drebes et al. ask when the kernel's migration of pages pays (section 6.2, figure
// 11).
//
// Thread i runs on core i, owns a buffer on node i mod N, and adds a constant to a word of each of its lines, sweep
// after sweep. After some sweeps each thread gets another buffer. All these phases are alike, so one is simulated.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/dataflow/page_balancing.hpp"
#include "tools/output/result_table.hpp"
#include "tools/sim/simulated_machine.hpp"

namespace nearfork::tools {

struct migration_experiment {
  std::uint64_t buffer_bytes = std::uint64_t{6} << 20;  // a multiple of a page; more than a core's part of the caches
  std::uint32_t page_bytes = 4096;
  std::uint32_t sweeps = 1;
};

/// How long a phase of 1, 2, ... sweeps takes, in ps. `balancing`: nullptr: pages stay.
[[nodiscard]] std::vector<std::uint64_t> run_migration(const simulated_machine& where, const migration_experiment& what,
                                                       const sim::balancing_model* balancing);
/// The least number of sweeps from which on a phase with migration takes no longer; 0: none.
[[nodiscard]] std::uint32_t pays_from(const std::vector<std::uint64_t>& with,
                                      const std::vector<std::uint64_t>& without);

[[nodiscard]] result_table migration_table(const simulated_machine& where);
[[nodiscard]] std::string migration_verdict(const result_table& table);

}  // namespace nearfork::tools
