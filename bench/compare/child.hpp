// A contender's program, run in a process of its own.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace bench {

struct outcome {
  std::vector<double> seconds;
  double operations = 0;
  std::string operation;
  double peak_bytes = 0;  // peak resident memory
  std::string failure;    // empty: the process ended well and its answer was right
};

/// Runs `copies` processes of `program` at once and waits for all. Returns their results in the order of their starts.
[[nodiscard]] std::vector<outcome> run_copies(const std::filesystem::path& program,
                                              const std::vector<std::string>& arguments, unsigned copies);

/// What `program` writes to standard output. Throws: std::runtime_error if it does not end with status 0.
[[nodiscard]] std::string output_of(const std::filesystem::path& program, const std::vector<std::string>& arguments);

}  // namespace bench
