// What a recorded program would do under other policies, with its pages elsewhere, and with larger leaves: simulated.
#pragma once

#include <string>
#include <vector>

#include "recording/recording.hpp"
#include "tools/advice/evidence.hpp"
#include "tools/advice/worker_limits.hpp"
#include "tools/report/document.hpp"

namespace nearfork::tools {

struct simulated_evidence {
  std::vector<report_view> views{};           // one for each machine
  std::vector<simulated_variant> variants{};  // on the first machine; of workers: on this one
  std::vector<std::string> notes{};           // what to know of the simulations
  bool has_hbm = false;                       // it
  bool interrupted = false;                   // then nothing else is known
};

/// `path`: the recording's file, whose name ends in .nfg. `machines`: as `nearfork sim --machine`; empty: this machine.
/// `name`: the file, as the views show it. `limits`: of a run on this machine; each is simulated without it. Shows
/// progress on a terminal. The same arguments give the same result.
/// Throws: nearfork::error if a machine is not known, or cannot hold the program.
[[nodiscard]] simulated_evidence simulated_evidence_of(const std::string& path, const recordings::recording& recorded,
                                                       const std::vector<std::string>& machines,
                                                       const std::string& name,
                                                       const std::vector<worker_limit>& limits = {});

/// Simulates once more, under `policy` on `machine` (empty: this one): gives the trees of `view` the domains in which
/// their tasks began, and `simulated` the timeline of the last iteration, the map of pages and the traffic between
/// nodes. Both views come from the recording `path`, which holds `recorded`.
void add_simulated_places(report_view& view, report_view& simulated, const std::string& path,
                          const recordings::recording& recorded, const std::string& machine, const std::string& policy);

}  // namespace nearfork::tools
