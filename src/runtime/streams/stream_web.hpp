// The streams of one graph: which task writes which elements, and which task reads them. All of it under the graph's
// lock, but for prepare().
//
// A task's windows are fixed when the task is created: the elements that it writes are a *burst*, those that it reads a
// *window*. A window depends on the tasks of the bursts that it overlaps. One that reaches beyond the last burst waits
// in its stream, in order, until tasks are created that write the rest.
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

#include "runtime/dataflow/task_web.hpp"
#include "runtime/pushing/flow_nodes.hpp"
#include "runtime/webs/link_store.hpp"

namespace nearfork::detail {

/// Elements [begin, end) that one task writes.
class stream_burst final : public layer_part {
 public:
  void prepare(dataflow_argument& argument, flow_nodes* nodes, std::uint32_t own) override;
  void end(dataflow_task& one) noexcept override;

  stream_burst* next = nullptr;  // in the stream, or free
  stream_state* of = nullptr;
  std::uint64_t begin_element = 0;
  std::uint64_t end_element = 0;
  buffer_state* memory = nullptr;
  std::size_t offset = 0;             // in the memory, in bytes
  dataflow_task* producer = nullptr;  // until it has ended
  noted_task noted_producer{};
  std::uint32_t holders = 0;          // the stream, the producer, and windows
  bool lost = false;                  // the producer failed or was skipped
  stream_burst* next_open = nullptr;  // whose producers have not ended
  stream_burst** link_to_this = nullptr;
};

/// Elements [begin, end) that one task reads.
class stream_window final : public layer_part {
 public:
  void prepare(dataflow_argument& argument, flow_nodes* nodes, std::uint32_t own) override;
  void end(dataflow_task& one) noexcept override;

  stream_window* next = nullptr;  // that waits, too, or free
  stream_state* of = nullptr;
  dataflow_task* task = nullptr;
  std::uint64_t begin_element = 0;
  std::uint64_t end_element = 0;
  std::uint64_t held_to = 0;      // the window holds the bursts that overlap [begin, held_to)
  stream_burst* first = nullptr;  // of them
  buffer_state* copy = nullptr;   // of elements that do not lie side by side
  std::uint32_t index = 0;        // of the task's access
  bool waits = false;

 private:
  [[nodiscard]] bool is_in_one_piece() const noexcept;
  void copy_elements(std::byte* to) const noexcept;
};

}  // namespace nearfork::detail

namespace nearfork {

class stream_web final : public detail::task_layer {
 public:
  /// `nodes`: nullptr if all workers are beside one memory node.
  stream_web(task_web& web, flow_nodes* nodes) noexcept : web_(web), nodes_(nodes) {}
  ~stream_web() override;

  /// A stream that the caller and the graph hold. Throws std::bad_alloc.
  [[nodiscard]] detail::stream_state& make(const void* graph, std::size_t size, std::size_t alignment,
                                           const call_site& where);

  void join(dataflow_task& one, std::size_t index, const detail::access_parts& what, std::uint32_t own) override;
  void find_stuck(std::vector<dataflow_task*>& found) const override;
  [[nodiscard]] std::string why_stuck() const override;
  void drop_stuck() noexcept override;

  // --- for bursts and windows ---
  void end(detail::stream_burst& one, bool lost) noexcept;
  void end(detail::stream_window& one) noexcept;

 private:
  using burst = detail::stream_burst;
  using window = detail::stream_window;
  using stream_state = detail::stream_state;

  void read(dataflow_task& one, std::size_t index, const detail::access_parts& what);
  void write(dataflow_task& one, std::size_t index, const detail::access_parts& what, std::uint32_t own);
  void take_place(burst& made, std::size_t bytes, std::uint32_t own);
  void give_to_waiting(burst& made);
  void depend(window& reader, burst& on);
  void complete(window& one) noexcept;
  void let_go(burst* one) noexcept;
  void forget_read(stream_state& of) noexcept;
  void empty(stream_state& of) noexcept;
  void purge() noexcept;

  task_web& web_;
  flow_nodes* const nodes_;
  link_store<burst> bursts_;
  link_store<window> windows_;
  burst* open_bursts_ = nullptr;
  stream_state* streams_ = nullptr;
  std::size_t count_ = 0;
  std::size_t purge_at_ = 64;
};

}  // namespace nearfork
