// Where and when the runs of a page were made.
#pragma once

#include <string>

namespace bench {

struct circumstances {
  std::string machine;
  std::string kernel;
  std::string when;
  unsigned repetitions = 0;
  bool quick = false;
  double others_cores = 0;  // cores that other processes kept busy during the run
  std::string latencies;    // of nearfork alone, as text lines
};
/// Of this machine and this moment. The rest is the caller's.
[[nodiscard]] circumstances here_and_now();

/// The list at the head of a page.
[[nodiscard]] std::string list_of(const circumstances& around);

}  // namespace bench
