// From the workers' logs of an iteration to the code of its task graph.
#pragma once

#include <functional>
#include <string>

#include "recording/recording.hpp"
#include "runtime/recording/noted_tasks.hpp"

namespace nearfork {

struct assembled_graph {
  std::uint32_t tasks = 0;
  std::uint64_t accesses = 0;
  /// The largest number there is if they are beyond recordings::number_limit: by a wrong hint, or a broken clock.
  std::uint64_t work_ns = 0;
  std::uint64_t touched_bytes = 0;
  std::string code;  // recordings::graph_encoder's; accesses keep their addresses
};

/// The log must be whole(). Linear in tasks and accesses. What a stretch
/// is below zero, or loses to rounding, the next one takes over, so that their sum is right.
[[nodiscard]] assembled_graph assemble(detail::noted_tasks& noted, double ns_per_tick,
                                       const std::function<void(const recordings::data_access&)>& tell_access);

}  // namespace nearfork
