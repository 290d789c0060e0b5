// A buffer of a dataflow graph. It is shared by its handles and by the tasks that name it.
#pragma once

#include <cstddef>
#include <cstdint>

#include <nearfork/call_site.hpp>
#include <nearfork/detail/dataflow/dataflow_task.hpp>
#include <nearfork/detail/seam.hpp>
#include <nearfork/detail/tasks/event.hpp>

namespace nearfork {
class buffer_pools;
}

namespace nearfork::detail {

struct task_link;

class buffer_state {
 public:
  enum class content : std::uint8_t { none, coming, written, lost };

  buffer_state(const void* graph_, std::size_t bytes_, std::size_t alignment_, const void* element_,
               const call_site& where_) noexcept
      : graph(graph_), bytes(bytes_), alignment(alignment_), element(element_), where(where_) {}
  buffer_state(const buffer_state&) = delete;
  buffer_state& operator=(const buffer_state&) = delete;

  void add_holder() noexcept { holders_.add(); }
  /// The last holder destroys the buffer.
  void let_go() noexcept {
    if (drop_holder()) destroy();
  }
  /// True: nobody holds the buffer any more, and the caller must destroy() it.
  [[nodiscard]] bool drop_holder() noexcept { return holders_.let_go(); }
  /// Gives the memory back, to the system if it is large.
  void destroy() noexcept;

  const void* const graph;
  const std::size_t bytes;
  const std::size_t alignment;
  const void* const element;
  const call_site where;
  std::byte* data = nullptr;  // written before the producer's body runs

  // Where workers are beside several memory nodes.
  enum class room : std::uint8_t { none, coming, there };
  seam::atomic<room> taken{room::none};
  buffer_pools* pools = nullptr;  // that the memory came from; nullptr: the heap
  void* chunk = nullptr;          // as the pools named it
  seam::atomic<int> node{-1};     // that the memory lies on; -1: not known

  // Under the graph's lock.
  content state = content::none;
  dataflow_task* producer = nullptr;       // while its content is coming
  dataflow_task* last_producer = nullptr;  // may be gone
  noted_task noted_producer{};
  std::uint64_t recorded_at = 0;  // in the recording's address space; 0: in no recording
  call_site producer_where{nullptr, 0};
  task_link* consumers = nullptr;     // created before the producer
  buffer_state* next_open = nullptr;  // buffers that tasks name and that are not written
  buffer_state** link_to_this = nullptr;

 private:
  ~buffer_state() = default;
  holders holders_{1};
};

}  // namespace nearfork::detail
