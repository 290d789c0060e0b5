// A contender's program, run as a process of its own.
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
  double peak_bytes = 0;  // resident memory at its most
  std::string failure;    // empty: it ended well and its answer was right
};

/// Runs `copies` processes of `program` at once and waits for all. Their results in the order of their starts.
[[nodiscard]] std::vector<outcome> run_copies(const std::filesystem::path& program,
                                              const std::vector<std::string>& arguments, unsigned copies);

}  // namespace bench
