// What is measured on the machine that runs this program: workloads whose time depends on memory, each at three sizes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace nearfork::tools {

struct host_subject {
  std::string workload;
  std::string size;  // for size_of_workload(), with the iterations if the workload iterates
};

/// For each workload: within the caches of one core, within the last level, and beyond it. The sizes are for a machine
/// with 1 MiB of L2 for each core and 32 MiB of L3; on others they are as useful, but mean something else.
[[nodiscard]] std::vector<host_subject> host_subjects();
/// Programs that a second worker helps little or much by their shape: one task, two or three or five of one length, two
/// of which one is 1.6 times as long, rows of very different lengths, many short iterations.
[[nodiscard]] std::vector<host_subject> shaped_subjects();

/// The least time of several runs with this many workers under `random`, after a warm-up run: other users of the
/// machine only make a run longer. Throws: nearfork::error if an answer was wrong or the workers could not be started.
[[nodiscard]] std::uint64_t measured_ns(const host_subject& what, unsigned workers);

}  // namespace nearfork::tools
