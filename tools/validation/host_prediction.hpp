// The simulator's predictions of measured times, and their errors.
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

/// Simulates each on the machine that runs this program, with the values of the model file. Throws: nearfork::error if
/// the file is wrong, or a workload or size is unknown.
void predict(std::vector<host_time>& times, const std::string& model_file);

/// A row per workload and size. Its notes have the errors, and how well the order of times is predicted.
[[nodiscard]] result_table table_of(const std::vector<host_time>& times);

}  // namespace nearfork::tools
