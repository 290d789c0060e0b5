// What must be known of a dataflow task to push it to the node of its data: its accesses, and the job by which a worker
// gets it. It lies behind the task's closure, in the same block. Only tasks with much data have one, and only where
// workers are beside several memory nodes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>
#include <span>

#include <nearfork/dataflow/accesses.hpp>
#include <nearfork/detail/dataflow/dataflow_task.hpp>
#include <nearfork/detail/job.hpp>

namespace nearfork {

namespace detail {
class dataflow_engine;
}

struct flow_access {
  const std::byte* begin;  // nullptr: see buffer
  std::size_t bytes;
  detail::buffer_state* buffer;
  std::size_t stride_bytes;  // of a tile: between the pieces whose nodes are asked for
  std::uint32_t pieces;      // that are asked for, each for an equal share of the bytes
  bool writes;

  /// A large tile is asked for by some pieces, evenly spaced.
  static constexpr std::size_t most_pieces = 8;
};

class flow_record : public detail::job {
 public:
  flow_record(const detail::job_kind& kind, detail::dataflow_engine& graph, detail::dataflow_task& one) noexcept
      : job(kind), graph_(graph), task_(one) {}

  [[nodiscard]] detail::dataflow_engine& graph() const noexcept { return graph_; }
  [[nodiscard]] detail::dataflow_task& task() const noexcept { return task_; }
  [[nodiscard]] std::span<flow_access> accesses() noexcept {
    return {reinterpret_cast<flow_access*>(this + 1), task_.flow_accesses};
  }

  static constexpr std::size_t most_accesses = std::numeric_limits<std::uint16_t>::max();
  /// Where the record of a task begins in the task's block. The size of a block with a record is rounded in the same
  /// way, so that the block is aligned for any task.
  [[nodiscard]] static constexpr std::size_t offset(std::size_t task_bytes) noexcept {
    return (task_bytes + alignof(std::max_align_t) - 1) / alignof(std::max_align_t) * alignof(std::max_align_t);
  }
  [[nodiscard]] static constexpr std::size_t block_bytes(std::size_t task_bytes, std::size_t accesses) noexcept {
    return offset(offset(task_bytes) + sizeof(flow_record) + accesses * sizeof(flow_access));
  }
  /// Of a task with flow_accesses.
  [[nodiscard]] static flow_record& of(detail::dataflow_task& one) noexcept {
    return *std::launder(reinterpret_cast<flow_record*>(reinterpret_cast<std::byte*>(&one) + offset(one.kind->bytes)));
  }

 private:
  detail::dataflow_engine& graph_;
  detail::dataflow_task& task_;
};
static_assert(alignof(flow_record) <= alignof(std::max_align_t) && alignof(flow_access) <= alignof(flow_record));

/// Of a task's block, as the graph gives it back.
[[nodiscard]] inline std::size_t block_bytes_of(const detail::dataflow_task& one) noexcept {
  if (one.flow_accesses == 0) [[likely]]
    return one.kind->bytes;
  return flow_record::block_bytes(one.kind->bytes, one.flow_accesses);
}

[[nodiscard]] inline std::size_t bytes_of(const detail::access_parts& what) noexcept {
  return what.bytes * what.pieces;
}

}  // namespace nearfork
