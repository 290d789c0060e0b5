// What happens to a task's bursts and windows around its call, and what may be wrong with them.
#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include <nearfork/dataflow.hpp>
#include <nearfork/detail/dataflow/buffer_state.hpp>

#include "runtime/dataflow/dataflow_engine.hpp"
#include "runtime/streams/stream_web.hpp"
#include "runtime/webs/buffer_memory.hpp"
#include "runtime/webs/call_site_text.hpp"

namespace nearfork {

detail::stream_state& dataflow::make_stream(std::size_t size, std::size_t alignment, const call_site& where) {
  return engine_->with_web([&](task_web& web, flow_nodes* nodes) -> detail::stream_state& {
    if (web.layer() == nullptr) web.set_layer(std::make_unique<stream_web>(web, nodes));
    return static_cast<stream_web*>(web.layer())->make(engine_->id(), size, alignment, where);
  });
}

}  // namespace nearfork

namespace nearfork::detail {

// --- around the call ---

namespace {

void take_memory_near(buffer_state& of, flow_nodes* nodes, std::uint32_t own) {
  if (nodes == nullptr) take_memory(of);
  else take_memory_on(of, *nodes, node_id{own});
}

void prepare(stream_burst& one, flow_nodes* nodes, std::uint32_t own) {
  if (one.data != nullptr) return;  // memory that bursts share
  take_memory_near(*one.memory, nodes, own);
  one.data = one.memory->data;
}

void prepare(stream_window& one, std::size_t bytes, flow_nodes* nodes, std::uint32_t own) {
  const stream_state& of = one.stream();
  if (one.is_in_one_piece()) {
    one.data = one.first->data + (one.begin_element - one.first->begin_element) * of.size;
    return;
  }
  one.copy = &make_buffer_state(of.graph, bytes, of.alignment, of.where, nodes);
  one.has_copy = true;
  take_memory_near(*one.copy, nodes, own);
  one.data = one.copy->data;
  one.copy_elements(one.data);
}

}  // namespace

/// Bursts that share memory lie side by side there.
bool stream_window::is_in_one_piece() const noexcept {
  for (const stream_burst* each = first; each->end_element < end_element; each = each->next)
    if (each->next->memory != first->memory) return false;
  return true;
}

void stream_window::copy_elements(std::byte* to) const noexcept {
  const stream_burst* from = first;
  const std::size_t element = from->of->size;
  for (std::uint64_t at = begin_element;;) {
    const std::uint64_t until = std::min(from->end_element, end_element);
    const std::size_t bytes = (until - at) * element;
    std::memcpy(to, from->data + (at - from->begin_element) * element, bytes);
    to += bytes;
    at = until;
    if (at == end_element) return;
    from = from->next;
  }
}

}  // namespace nearfork::detail

namespace nearfork {

void stream_web::prepare(detail::dataflow_argument& argument, flow_nodes* nodes, std::uint32_t own) {
  if (argument.writes) detail::prepare(static_cast<burst&>(*argument.part), nodes, own);
  else if (!argument.is_burst) detail::prepare(static_cast<window&>(*argument.part), argument.bytes, nodes, own);
}

}  // namespace nearfork

namespace nearfork::detail {

// --- what may be wrong ---

namespace {

/// An access of a task to a stream, by the first element of the window and the one behind the last.
struct elements {
  std::uint64_t begin;
  std::uint64_t end;
  bool writes;
};

/// Takes the places of one access.
elements next_places(const stream_state& of, const access_parts& how, std::uint64_t& read_to,
                     std::uint64_t& written_to) {
  const bool writes = how.kind != access_kind::read;
  std::uint64_t& at = writes ? written_to : read_to;
  const elements taken{at, at + how.bytes / of.size, writes};
  at += how.stride_bytes / of.size;
  return taken;
}

}  // namespace

std::string stream_state::misuse(const access_parts& how, std::span<const access> before, graph_id of_graph) const {
  const auto name = [this] { return "the stream of " + to_text(where); };
  if (graph != of_graph) return " names " + name() + ", which belongs to another graph";
  if (how.bytes == 0) return " names no elements of " + name() + "; a burst, and what is peeked, is at least 1 element";
  if (std::max(how.bytes, how.stride_bytes) > std::numeric_limits<std::ptrdiff_t>::max())
    return " names more elements of " + name() + " than fit into memory";
  if (how.stride_bytes > how.bytes)
    return " takes " + std::to_string(how.stride_bytes / size) + " elements from " + name() + ", but its window has " +
           std::to_string(how.bytes / size) + "; a window is at least as long as the burst";
  std::uint64_t reads = read_to;
  std::uint64_t writes = written_to;
  std::vector<elements> mine;
  for (const access& each : before)
    if (each.parts().stream == this) mine.push_back(next_places(*this, each.parts(), reads, writes));
  if (mine.empty()) return {};
  const elements now = next_places(*this, how, reads, writes);
  for (const elements& each : mine)
    if (each.writes != now.writes && each.begin < now.end && now.begin < each.end)
      return " would read elements of " + name() + " that it writes itself";
  return {};
}

}  // namespace nearfork::detail
