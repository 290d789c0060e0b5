// The streams of one graph: which task writes which elements, and which task reads them. All of it under the graph's
// lock, but for prepare().
//
// A task's windows are fixed when the task is created: the elements that it writes are a *burst*, those that it reads a
// *window*. A window depends on the tasks of the bursts that it overlaps. One that reaches beyond the last burst waits
// in its stream, in order, until tasks are created that write the rest.
//
// A window that begins with a burst and lies in it, as most do, needs no record once it is complete: the task's
// argument holds the burst itself (dataflow_argument::is_burst). So a task that reads an element takes 56 bytes less.
//
// [ST1] A stream keeps the bursts from the next element to be read on. Earlier ones live as long as a window or their
//       writer holds them.
// [ST2] A window holds all bursts that it overlaps, so from the first of them it finds the others by `next`. It does
//       not look at `next` of the last one, which another thread may write meanwhile.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <nearfork/detail/dataflow/dataflow_task.hpp>
#include <nearfork/detail/dataflow/stream_state.hpp>
#include <nearfork/detail/dataflow/task_layer.hpp>

#include "runtime/cells/link_store.hpp"
#include "runtime/pushing/flow_nodes.hpp"
#include "runtime/webs/task_web.hpp"

namespace nearfork::detail {

/// Elements [begin, end) that one task writes. Each task has one for each access that writes, so it is small.
struct stream_burst : layer_part {
  stream_burst* next = nullptr;  // in the stream, or free
  stream_state* of = nullptr;
  std::uint64_t begin_element = 0;
  std::uint64_t end_element = 0;
  buffer_state* memory = nullptr;  // layer_part::data lies there
  union {
    dataflow_task* producer = nullptr;  // while the burst is open
    noted_task noted_producer;          // afterwards
  };
  std::uint32_t holders = 0;  // the stream, the producer, windows, and tasks that read it without one
  bool open = false;          // the producer has not ended; not free
  bool lost = false;          // the producer failed or was skipped
};
static_assert(sizeof(stream_burst) <= 64);

/// Elements [begin, end) that one task reads. It holds the bursts that are there of them.
struct stream_window : layer_part {
  [[nodiscard]] stream_state& stream() const noexcept { return has_bursts ? *first->of : *of; }
  [[nodiscard]] bool is_in_one_piece() const noexcept;
  void copy_elements(std::byte* to) const noexcept;

  union {
    stream_window* next = nullptr;  // that waits, too, or free
    buffer_state* copy;             // while the task runs: of elements that do not lie side by side
  };
  dataflow_task* task = nullptr;
  std::uint64_t begin_element = 0;
  std::uint64_t end_element = 0;
  union {
    stream_state* of = nullptr;
    stream_burst* first;  // if it has bursts
  };
  std::uint32_t index = 0;  // of the task's access
  bool has_bursts = false;
  bool waits = false;
  bool has_copy = false;
};
static_assert(sizeof(stream_window) <= 56);

}  // namespace nearfork::detail

namespace nearfork {

class stream_web final : public detail::task_layer {
 public:
  /// `nodes`: nullptr if all workers are beside one memory node.
  stream_web(task_web& web, flow_nodes* nodes) noexcept
      : web_(web), nodes_(nodes), bursts_(web.memory()), windows_(web.memory()) {}
  ~stream_web() override;

  /// A stream that the caller and the graph hold. Throws std::bad_alloc.
  [[nodiscard]] detail::stream_state& make(detail::graph_id graph, std::size_t size, std::size_t alignment,
                                           const call_site& where);

  void join(dataflow_task& one, std::size_t index, const detail::access_parts& what, std::uint32_t own) override;
  void prepare(detail::dataflow_argument& argument, flow_nodes* nodes, std::uint32_t own) override;
  void end(detail::dataflow_argument& argument, dataflow_task& one) noexcept override;
  void find_stuck(std::vector<dataflow_task*>& found) const override;
  [[nodiscard]] std::string why_stuck() const override;
  void drop_stuck() noexcept override;

 private:
  using burst = detail::stream_burst;
  using window = detail::stream_window;
  using stream_state = detail::stream_state;

  void read(dataflow_task& one, std::size_t index, const detail::access_parts& what);
  void write(dataflow_task& one, std::size_t index, const detail::access_parts& what, std::uint32_t own);
  void take_place(burst& made, std::size_t bytes, std::uint32_t own);
  void give_to_waiting(burst& made);
  void depend(window& reader, burst& on);
  static void cut_to_bursts(window& one) noexcept;
  void end(burst& one, bool lost) noexcept;
  void end(window& one) noexcept;
  void complete(window& one) noexcept;
  void drop_record(window& one) noexcept;
  void let_go(burst* one) noexcept;
  void forget_read(stream_state& of) noexcept;
  void empty(stream_state& of) noexcept;
  void purge() noexcept;

  task_web& web_;
  flow_nodes* const nodes_;
  link_store<burst> bursts_;
  link_store<window> windows_;
  stream_state* streams_ = nullptr;
  std::size_t count_ = 0;
  std::size_t purge_at_ = 64;
};

}  // namespace nearfork
