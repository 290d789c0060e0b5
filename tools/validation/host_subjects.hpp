// What is measured on the machine that runs us: workloads whose time memory has a part in, each at three sizes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace nearfork::tools {

struct host_subject {
  std::string workload;
  std::string size;  // for size_of_workload(); iterations included, for those that iterate
};

/// For each workload: in the caches of one core, in the last level alone, and beyond it. Sizes are those of a machine with 1 MiB
/// of L2 for each core and 32 MiB of L3; elsewhere they mean something else, but are as good.
[[nodiscard]] std::vector<host_subject> host_subjects();

/// The least time of several runs with so many workers under `random`, after one that does not count: whoever else uses the
/// machine only makes it longer. Throws nearfork::error if
/// an answer was wrong or the workers could not be had.
[[nodiscard]] std::uint64_t measured_ns(const host_subject& what, unsigned workers);

}  // namespace nearfork::tools
