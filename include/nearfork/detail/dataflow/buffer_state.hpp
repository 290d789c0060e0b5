// A buffer of a dataflow graph. It is shared by its handles and by the tasks that name it. Graphs have one for each
// task, so it fills one block of 64 bytes.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include <nearfork/call_site.hpp>
#include <nearfork/detail/dataflow/access_parts.hpp>
#include <nearfork/detail/dataflow/dataflow_task.hpp>
#include <nearfork/detail/seam.hpp>
#include <nearfork/detail/tasks/event.hpp>

namespace nearfork {
class buffer_pools;
}

namespace nearfork::detail {

class buffer_state;

/// What few buffers need: those that are read by tasks created before the task that writes them, and those of graphs
/// that are kept or recorded. Under the graph's lock.
struct buffer_notes {
  task_list early;                    // they wait for the buffer, and its producer is not created yet
  buffer_state* next_open = nullptr;  // buffers that had early readers and are not written
  buffer_state** link_to_this = nullptr;
  noted_task noted_producer{};
  std::uint64_t recorded_at = 0;  // in the recording's address space; 0: in no recording
};

/// Where the memory lies, if workers are beside several memory nodes. Behind the buffer, in the same block.
struct buffer_place {
  buffer_pools* pools = nullptr;  // that the memory came from; nullptr: the heap
  void* chunk = nullptr;          // as the pools named it
  seam::atomic<int> node{-1};     // -1: not known
};

class buffer_state {
 public:
  enum class content : std::uint8_t { none, coming, written, lost };
  enum class placing : bool { unknown, known };

  /// Made by make_buffer_state() alone.
  buffer_state(graph_id graph_, std::size_t bytes_, std::size_t alignment, const call_site& where,
               placing place) noexcept
      : graph(graph_),
        bytes(bytes_),
        alignment_shift_(static_cast<std::uint8_t>(std::countr_zero(alignment))),
        place_(place),
        file_(where.file),
        line_(where.line) {}
  buffer_state(const buffer_state&) = delete;
  buffer_state& operator=(const buffer_state&) = delete;

  void add_holder() noexcept { holders_.add(); }
  /// The last holder destroys the buffer.
  void let_go() noexcept;
  /// True: nobody holds the buffer any more, and the caller must destroy() it.
  [[nodiscard]] bool drop_holder() noexcept;
  /// Gives the memory back, to the system if it is large.
  void destroy() noexcept;

  [[nodiscard]] std::size_t alignment() const noexcept { return std::size_t{1} << alignment_shift_; }
  [[nodiscard]] call_site where() const noexcept { return {file_, line_}; }
  /// nullptr: its memory is the heap's, and lies on no node that would be known.
  [[nodiscard]] buffer_place* place() noexcept {
    return place_ == placing::known ? reinterpret_cast<buffer_place*>(this + 1) : nullptr;
  }

  const graph_id graph;
  const std::size_t bytes;
  std::byte* data = nullptr;  // written before the producer's body runs

  // Under the graph's lock.
  buffer_notes* notes = nullptr;  // nullptr: it needs none
  union {
    dataflow_task* producer = nullptr;  // while its content is coming
    const char* producer_file;          // afterwards
    buffer_state* next_ended;           // when nobody holds the buffer any more
  };
  std::uint32_t producer_line = 0;  // beside producer_file
  content state = content::none;

  // Where workers are beside several memory nodes.
  enum class room : std::uint8_t { none, coming, there };
  seam::atomic<room> taken{room::none};

 private:
  ~buffer_state() = default;

  const std::uint8_t alignment_shift_;
  const placing place_;
  const char* const file_;
  const std::uint32_t line_;
  holders holders_{1};
};
static_assert(sizeof(buffer_state) <= 64);

}  // namespace nearfork::detail
