// What is asked of a client, and the answers in seconds.
#pragma once

#include <cstddef>
#include <vector>

#include "bench/coarse/client.hpp"

namespace coarse {

using shape = void (client::*)(std::size_t tasks, const body& act);

/// From the call to the first instruction of each of `tasks` tasks, which sleep long enough for every worker to take
/// one. Sorted, of all repetitions. Before each of them the workers are idle for `pause_ms`.
/// Throws: std::runtime_error if a task did not run exactly once.
[[nodiscard]] std::vector<double> first_instructions(client& of, shape how, std::size_t tasks, unsigned repetitions,
                                                     unsigned pause_ms);

struct work {
  double seconds;
  bool sleeps;  // else it spins
};

/// The least time of one body of this work, called alone: sleeping for 100 us takes longer than 100 us.
[[nodiscard]] double alone(const work& one);

/// The least time of a loop over `count` bodies. Throws as above.
[[nodiscard]] double loop_seconds(client& of, std::size_t count, const work& one, unsigned repetitions);

}  // namespace coarse
