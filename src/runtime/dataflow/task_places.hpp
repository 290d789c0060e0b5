// Where the data of a graph's tasks lie, and where a task shall run: the activation of src/plan/dataflow on threads.
#pragma once

#include <optional>
#include <unordered_map>

#include <nearfork/detail/short_lock.hpp>

#include "base/ids.hpp"
#include "base/rng.hpp"
#include "runtime/pushing/flow_nodes.hpp"
#include "runtime/webs/flow_record.hpp"

namespace nearfork {

/// The data of one task are on known nodes, or not; and whether the task shall run elsewhere.
struct activation {
  std::optional<node_id> push_to{};
  bool is_placed = false;  // some of the data that decide lie on a known node
};

/// Thread-safety: any thread.
class task_places {
 public:
  explicit task_places(flow_nodes& nodes) noexcept : nodes_(nodes) {}

  /// Call it when the last input is written. `own`: the node of the thread that calls.
  [[nodiscard]] activation choose(flow_record& of, node_id own, rng& random) noexcept;
  /// Call it when the task starts on `own` and its outputs have memory.
  void count_bytes(flow_record& of, node_id own) noexcept;
  /// The program may move its data from now on.
  void forget() noexcept;

 private:
  void count_in_trace(node_id node, std::size_t bytes) noexcept;
  /// Of a buffer: the node of its block. Of the program's memory: the system is asked once for each range, and each
  /// piece of a tile, between two waits. Of a range it is asked for the page in the middle: the first one may belong to
  /// a neighbour's data. A page that is not touched yet is asked for again.
  template <class Use>
  void for_each_part(const flow_access& what, bool may_ask, const Use& use);
  [[nodiscard]] std::optional<node_id> node_of(const std::byte* begin, std::size_t bytes, bool may_ask) noexcept;

  flow_nodes& nodes_;
  detail::short_lock lock_;
  std::unordered_map<const void*, node_id> asked_;  // under the lock
};

}  // namespace nearfork
