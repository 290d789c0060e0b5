// Where a dataflow task runs once its last input is written (Drebes et al., "Scalable Task Parallelism for NUMA: A
// Uniform Abstraction for Coordinated Scheduling and Memory Management", PACT 2016, Algorithm 1: enhanced
// work-pushing).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/ids.hpp"
#include "base/rng.hpp"

namespace nearfork {

/// Which buffers of a task decide where it runs.
enum class push_heuristic : std::uint8_t { none, input, output, weighted };
/// When a buffer gets its memory: when its consumer is created, or when its producer starts, near that task.
enum class buffer_allocation : std::uint8_t { immediate, deferred };

/// Bytes of a task's buffers that lie on one node.
struct placed_bytes {
  std::optional<node_id> node;  // nullopt: not known, or without memory yet
  std::uint64_t bytes = 0;
};

/// What an access from the cores of one node to the memory of another one costs, relative to the others.
class access_costs {
 public:
  /// Row by row, from node to memory. Throws std::invalid_argument unless the table is square and has no zero.
  explicit access_costs(std::vector<std::uint32_t> rows);
  [[nodiscard]] std::uint32_t nodes() const noexcept { return nodes_; }
  [[nodiscard]] std::uint32_t cost(std::uint32_t from, std::uint32_t memory) const noexcept {
    return rows_[std::size_t{from} * nodes_ + memory];
  }

 private:
  std::uint32_t nodes_;
  std::vector<std::uint32_t> rows_;
};

struct activation_rules {
  push_heuristic push = push_heuristic::none;
  double input_weight = 1;
  double output_weight = 1.5;              // how much longer a write takes than a read, where that is not known
  std::uint64_t threshold_bytes = 65'536;  // as in OpenStream's config.h: tasks with less data stay
};

/// The node whose workers shall run the task; nullopt: the task stays with the worker that activates it, on node `own`.
/// Where several nodes cost the least, and `own` is not one of them, one of them at random.
[[nodiscard]] std::optional<node_id> choose_activation(node_id own, std::span<const placed_bytes> in,
                                                       std::span<const placed_bytes> out, const activation_rules& rules,
                                                       const access_costs& costs, rng& random);

/// Why the two do not go together; empty: they do. Outputs that are allocated by their producer have no node when the
/// producer is activated.
[[nodiscard]] std::string_view conflict(push_heuristic push, buffer_allocation allocation) noexcept;

}  // namespace nearfork
