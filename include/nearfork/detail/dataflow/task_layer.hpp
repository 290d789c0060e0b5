// What a graph's web of tasks asks of the layer above: streams (src/runtime/streams).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace nearfork {
class flow_nodes;
}

namespace nearfork::detail {

class dataflow_task;
struct access_parts;
struct dataflow_argument;

/// What one argument of a task names in the layer.
struct layer_part {
  std::byte* data = nullptr;  // while the task runs
};

/// All of it under the graph's lock, but for prepare().
class task_layer {
 public:
  task_layer() = default;
  task_layer(const task_layer&) = delete;
  task_layer& operator=(const task_layer&) = delete;
  virtual ~task_layer() = default;

  /// A new task's access number `index`. `own`: the memory node of the creator. Throws std::bad_alloc; nearfork::error
  /// in strict mode.
  virtual void join(dataflow_task& one, std::size_t index, const access_parts& what, std::uint32_t own) = 0;

  /// Before the call, by the worker that makes it, which is beside node `own`: sets the data of the part. `nodes`:
  /// nullptr if all workers are beside one node. Throws std::bad_alloc; nearfork::error in strict mode.
  virtual void prepare(dataflow_argument& argument, flow_nodes* nodes, std::uint32_t own) = 0;
  /// The task has ended, or is dropped. The part may be gone afterwards.
  virtual void end(dataflow_argument& argument, dataflow_task& one) noexcept = 0;

  // When nothing runs and nothing is ready.
  /// Adds tasks of which each stuck task of the layer is a successor.
  virtual void find_stuck(std::vector<dataflow_task*>& found) const = 0;
  /// Why a task can never run; empty: the layer knows of none. Throws std::bad_alloc.
  [[nodiscard]] virtual std::string why_stuck() const = 0;
  /// The tasks that wait will be dropped.
  virtual void drop_stuck() noexcept = 0;
};

}  // namespace nearfork::detail
