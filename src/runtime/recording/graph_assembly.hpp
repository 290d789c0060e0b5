// Makes the code of an iteration's task graph from the workers' logs.
#pragma once

#include <functional>
#include <string>

#include "recording/recording.hpp"
#include "runtime/recording/noted_tasks.hpp"

namespace nearfork {

struct assembled_graph {
  std::uint32_t tasks = 0;
  std::uint64_t accesses = 0;
  /// work_ns and touched_bytes are the largest number there is if they are beyond recordings::number_limit: by a wrong
  /// hint, or a broken clock.
  std::uint64_t work_ns = 0;
  std::uint64_t touched_bytes = 0;
  std::string code;  // recordings::graph_encoder's; accesses keep their addresses
  recordings::flow_order flow{};
};

/// The log must be whole(). Linear in tasks and accesses. What a stretch is below zero, or loses to rounding, is
/// carried over to the next stretch, so that the sum is right.
[[nodiscard]] assembled_graph assemble(detail::noted_tasks& noted, double ns_per_tick,
                                       const std::function<void(const recordings::data_access&)>& tell_access);

}  // namespace nearfork
