// A stream of a dataflow graph. It is shared by its handles and by the graph.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <nearfork/call_site.hpp>
#include <nearfork/detail/dataflow/access_parts.hpp>
#include <nearfork/detail/tasks/event.hpp>

namespace nearfork {
class access;
class stream_web;
}  // namespace nearfork

namespace nearfork::detail {

class buffer_state;
struct stream_burst;
struct stream_window;

class stream_state {
 public:
  stream_state(stream_web& web_, graph_id graph_, std::size_t size_, std::size_t alignment_,
               const call_site& where_) noexcept
      : web(web_), graph(graph_), size(size_), alignment(alignment_), where(where_) {}
  stream_state(const stream_state&) = delete;
  stream_state& operator=(const stream_state&) = delete;

  void add_holder() noexcept { holders_.add(); }
  void let_go() noexcept {
    if (holders_.let_go()) delete this;
  }
  /// Only the caller holds the stream.
  [[nodiscard]] bool is_held_once() const noexcept { return holders_.is_one(); }

  /// What is wrong with an access of a new task; empty: nothing. `before`: the task's accesses before it.
  [[nodiscard]] std::string misuse(const access_parts& how, std::span<const access> before, graph_id of_graph) const;

  stream_web& web;  // valid while the graph is
  const graph_id graph;
  const std::size_t size;  // of an element
  const std::size_t alignment;
  const call_site where;

  // Under the graph's lock. Elements are numbered from 0.
  std::uint64_t written_to = 0;      // tasks write, or will write, the elements before this one
  std::uint64_t read_to = 0;         // the next window of a reader begins here
  stream_burst* first = nullptr;     // with elements that later tasks may read
  stream_burst* last = nullptr;      // the newest, if anything needs it
  stream_window* waiting = nullptr;  // windows with elements that no task writes yet; in order
  stream_window* last_waiting = nullptr;
  std::uint64_t users = 0;         // bursts and windows of tasks that have not ended
  buffer_state* shared = nullptr;  // memory for the next small bursts
  std::size_t shared_used = 0;
  stream_state* next = nullptr;  // of the graph's streams

 private:
  ~stream_state() = default;
  holders holders_{2};  // a handle, and the graph
};

}  // namespace nearfork::detail
