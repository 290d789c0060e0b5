// What the simulator says of times that were measured, and how far that is off.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/output/result_table.hpp"

namespace nearfork::tools {

struct host_time {
  std::string workload;
  std::string size;
  unsigned workers = 1;
  double measured_ns = 0;
  double simulated_ns = 0;
};

/// Simulates each on the machine that runs us, with what the model file says of it. Throws nearfork::error if the file is
/// wrong, or a workload or size unknown.
void predict(std::vector<host_time>& times, const std::string& model_file);

/// A row for each workload and size; errors, and how well the order of things is foreseen, in its notes.
[[nodiscard]] result_table table_of(const std::vector<host_time>& times);

}  // namespace nearfork::tools
