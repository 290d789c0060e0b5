// The part of a task web that is about buffers: they may be read by tasks that were created before the task that writes
// them. So tasks can wait for a buffer that nobody writes, or for each other.
#include <algorithm>
#include <limits>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include <nearfork/detail/dataflow/stream_state.hpp>

#include "runtime/webs/buffer_memory.hpp"
#include "runtime/webs/call_site_text.hpp"
#include "runtime/webs/task_web.hpp"

namespace nearfork {

using detail::access_parts;
using detail::buffer_state;

namespace {

bool uses_buffer(std::span<const access> accesses, const buffer_state* what) {
  return std::ranges::any_of(accesses, [&](const access& each) { return each.parts().buffer == what; });
}

call_site producer_of(const buffer_state& what) noexcept {
  if (what.state == buffer_state::content::coming) return what.producer->where();
  return {what.producer_file, what.producer_line};
}

std::string misuse_of(const buffer_state& what, const access_parts& how, std::span<const access> others,
                      detail::graph_id graph) {
  const auto name = [&] { return "the buffer of " + to_text(what.where()); };
  if (what.graph != graph) return " names " + name() + ", which belongs to another graph";
  if (uses_buffer(others, &what)) return " names " + name() + " twice";
  if (how.kind == access_kind::read || what.state == buffer_state::content::none) return {};
  return " writes " + name() + ", which the task of " + to_text(producer_of(what)) +
         " writes already; a buffer is written by one task";
}

/// Of a task that takes nested_tasks.
std::string misuse_by_parent(const access_parts& what) {
  const bool is_plain = what.kind == detail::access_kind::read || what.kind == detail::access_kind::write;
  if (what.buffer == nullptr && what.stream == nullptr && is_plain) return {};
  return " takes nested_tasks, so it names data by in, out, inout, weak_in, weak_out and weak_inout alone";
}

std::string misuse_by_others(const dataflow_task& one, const access_parts& what) {
  if (what.weak) return " has a weak access, so its callable must take a nearfork::nested_tasks&";
  const bool has_argument = what.buffer != nullptr || what.stream != nullptr || what.rule != nullptr;
  if (has_argument && one.kind->arguments == nullptr)
    return " names a buffer, a stream or a reduction, so its callable must take a std::span for each access, or "
           "nearfork::task_data";
  return {};
}

/// A count that was computed as a negative number would add pieces until there is no memory.
std::string misuse_of_tile(const access_parts& what) {
  constexpr std::uintptr_t address_space = std::uintptr_t{1} << 47;
  if (what.stride_bytes != 0 && what.pieces <= address_space / what.stride_bytes) return {};
  return " names a tile of " + std::to_string(what.pieces) + " pieces that begin " + std::to_string(what.stride_bytes) +
         " bytes apart, which do not fit into memory";
}

}  // namespace

std::string task_web::misuse(const dataflow_task& one, std::span<const access> accesses, detail::graph_id graph) const {
  // Only of a task that is refused: made for each task, the text doubled what a task with a buffer costs.
  const auto task = [&] { return "nearfork: the task of " + to_text(one.where()); };
  if (one.kind->nested != nullptr && script_ != nullptr)
    return task() + " takes nested_tasks, but its graph is kept; a kept graph has no nested tasks";
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    const access_parts& what = accesses[i].parts();
    std::string text = one.kind->nested != nullptr ? misuse_by_parent(what) : misuse_by_others(one, what);
    if (text.empty() && what.buffer != nullptr) text = misuse_of(*what.buffer, what, accesses.first(i), graph);
    if (text.empty() && what.stream != nullptr && script_ != nullptr)
      text = " names a stream, but its graph is kept; a kept graph has no streams";
    if (text.empty() && what.stream != nullptr) text = what.stream->misuse(what, accesses.first(i), graph);
    if (text.empty() && what.buffer == nullptr && what.stream == nullptr && what.data == nullptr && what.bytes != 0)
      text = " names a handle without a buffer or stream, or a null pointer";
    if (text.empty() && what.pieces > most_pieces_unchecked) text = misuse_of_tile(what);
    if (!text.empty()) return task() + text;
  }
  return {};
}

/// Of a buffer with notes.
void task_web::open(buffer_state& one) noexcept {
  detail::buffer_notes& notes = *one.notes;
  if (notes.link_to_this != nullptr) return;
  notes.next_open = open_buffers_;
  if (open_buffers_ != nullptr) open_buffers_->notes->link_to_this = &notes.next_open;
  open_buffers_ = &one;
  notes.link_to_this = &open_buffers_;
}

void task_web::close(buffer_state& one) noexcept {
  if (one.notes == nullptr || one.notes->link_to_this == nullptr) return;
  detail::buffer_notes& notes = *one.notes;
  *notes.link_to_this = notes.next_open;
  if (notes.next_open != nullptr) notes.next_open->notes->link_to_this = notes.link_to_this;
  notes.link_to_this = nullptr;
  notes.next_open = nullptr;
}

void task_web::read_buffer(dataflow_task& one, buffer_state& what) {
  switch (what.state) {
    case buffer_state::content::written:
    case buffer_state::content::lost:
      if (what.state == buffer_state::content::lost) one.skipped = true;
      if (what.notes != nullptr) note_dependence(one, what.notes->noted_producer);
      return;
    case buffer_state::content::coming:
      if (now_ != &cells_) {
        (void)notes_of(what);
        open(what);
      }
      return depend(one, *what.producer);
    case buffer_state::content::none: break;
  }
  notes_of(what).early.add(one, links_);
  ++one.pending;
  open(what);
}

/// The tasks that wait for the buffer wait for this task from now on.
void task_web::write_buffer(dataflow_task& one, detail::dataflow_argument& what) {
  buffer_state& written = *what.buffer;
  if (notes_ != nullptr) notes_of(written).noted_producer = noted(one);
  const bool has_early = written.notes != nullptr && !written.notes->early.is_empty();
  if (has_early) links_.give(links_.take());  // if the task has successors already, one more link is needed
  what.is_producer = true;
  written.state = buffer_state::content::coming;
  written.producer = &one;
  while (has_early && !written.notes->early.is_empty()) {
    note_dependence(*written.notes->early.newest(), written.notes->noted_producer);
    one.successors.add(written.notes->early.take(links_), links_);
  }
}

// --- tasks that end ---

void task_web::end_arguments(dataflow_task& one) noexcept {
  note_buffers(one);
  if (script_ != nullptr) return;  // the task will need them again
  using content = detail::dataflow_argument::content;
  for (detail::dataflow_argument& each : one.kind->arguments(one)) {
    if (each.is == content::part) layer_->end(each, one);
    end_copy(each);
    if (each.is != content::buffer || !each.buffer->drop_holder()) continue;
    each.buffer->next_ended = std::exchange(ended_buffers_, each.buffer);
  }
}

/// Not inline: in the middle of a replay it took 0.9 ns of each task that names no buffer, with clang 19.
__attribute__((noinline)) void task_web::note_buffers(dataflow_task& one) noexcept {
  for (const detail::dataflow_argument& each : one.kind->arguments(one)) {
    if (!each.is_producer) continue;
    buffer_state& written = *each.buffer;
    written.state = one.is_lost() ? buffer_state::content::lost : buffer_state::content::written;
    written.producer_file = one.file;
    written.producer_line = one.line;
    close(written);
  }
}

void task_web::let_go_of_buffers(dataflow_task& one) noexcept {
  if (one.kind->arguments == nullptr) return;
  for (const detail::dataflow_argument& each : one.kind->arguments(one)) {
    if (each.is == detail::dataflow_argument::content::buffer) each.buffer->let_go();
  }
}

// --- tasks that can never run ---

/// All of them: each waits for a buffer that nobody writes, or for a task that waits, or is in a ring. In a ring some
/// task waits for one that was created later: an early reader, or an end (nested_scope.hpp), and then a nested task
/// reads a buffer of the ring. In both cases the buffer is open.
std::vector<dataflow_task*> task_web::stuck_tasks() const {
  std::vector<dataflow_task*> found;
  std::unordered_set<const dataflow_task*> seen;
  const auto note = [&](dataflow_task* one) {
    if (seen.insert(one).second) found.push_back(one);
  };
  for (const buffer_state* each = open_buffers_; each != nullptr; each = each->notes->next_open) {
    if (each->state == buffer_state::content::coming) note(each->producer);
    each->notes->early.for_each([&](dataflow_task& reader) { note(&reader); });
  }
  if (layer_ != nullptr) {
    std::vector<dataflow_task*> in_layer;
    layer_->find_stuck(in_layer);
    for (dataflow_task* const each : in_layer) note(each);
  }
  for (std::size_t i = 0; i < found.size(); ++i)
    found[i]->successors.for_each([&](dataflow_task& next) { note(&next); });
  return found;
}

namespace {

/// A ring of tasks, each of which waits for the one before; empty: there is none.
class ring_search {
 public:
  [[nodiscard]] std::vector<const dataflow_task*> from(const dataflow_task& first) {
    std::vector<std::pair<const dataflow_task*, detail::task_list>> path;
    if (!places_.try_emplace(&first, 0).second) return {};
    path.emplace_back(&first, first.successors);
    while (!path.empty()) {
      const dataflow_task* const next = path.back().second.newest();
      if (next == nullptr) {
        places_[path.back().first] = in_no_ring;
        path.pop_back();
        continue;
      }
      path.back().second = path.back().second.rest();
      const auto [known, is_new] = places_.try_emplace(next, path.size());
      if (is_new) {
        path.emplace_back(next, next->successors);
      } else if (known->second != in_no_ring) {
        std::vector<const dataflow_task*> ring;
        for (std::size_t at = known->second; at < path.size(); ++at) ring.push_back(path[at].first);
        return ring;
      }
    }
    return {};
  }

 private:
  static constexpr std::size_t in_no_ring = std::numeric_limits<std::size_t>::max();
  std::unordered_map<const dataflow_task*, std::size_t> places_;  // in the path
};

/// Tasks of one place that follow each other are named together.
std::string ring_text(const std::vector<const dataflow_task*>& ring) {
  constexpr int most_names = 8;
  std::string text;
  std::size_t at = 0;
  for (int names = 0; at < ring.size() && names < most_names; ++names) {
    const call_site where = ring[at]->where();
    std::size_t next = at + 1;
    while (next < ring.size() && ring[next]->file == where.file && ring[next]->line == where.line) ++next;
    text += next - at == 1 ? " the task of " : " " + std::to_string(next - at) + " tasks of ";
    text += to_text(where) + ";";
    at = next;
  }
  const std::size_t more = ring.size() - at;
  if (more != 0) text += " and " + std::to_string(more) + (more == 1 ? " more task;" : " more tasks;");
  return text;
}

}  // namespace

std::string task_web::why_stuck() const {
  const std::string some =
      "nearfork: " + std::to_string(unfinished_) +
      (unfinished_ == 1 ? " task of a graph can never run: " : " tasks of a graph can never run: ");
  for (const buffer_state* each = open_buffers_; each != nullptr; each = each->notes->next_open)
    if (each->state == buffer_state::content::none)
      return some + "the task of " + to_text(each->notes->early.newest()->where()) + " reads the buffer of " +
             to_text(each->where()) + ", which no task writes";
  if (const std::string why = layer_ == nullptr ? std::string() : layer_->why_stuck(); !why.empty()) return some + why;
  ring_search rings;
  for (const dataflow_task* const each : stuck_tasks()) {
    const auto ring = rings.from(*each);
    if (ring.empty()) continue;
    std::string text = some + "each of these waits for the one before, and the first for the last:" + ring_text(ring);
    const std::unordered_set<const dataflow_task*> in_ring(ring.begin(), ring.end());
    for (const buffer_state* open = open_buffers_; open != nullptr; open = open->notes->next_open)
      if (in_ring.contains(open->producer)) {
        text += " the buffer of " + to_text(open->where()) + " is one that they wait for";
        break;
      }
    return text;
  }
  return some + "each waits for another";
}

void task_web::end_stuck(const std::vector<dataflow_task*>& all) noexcept {
  const auto end_links = [this](detail::task_list& list) {
    while (!list.is_empty()) (void)list.take(links_);
  };
  if (layer_ != nullptr) layer_->drop_stuck();
  while (open_buffers_ != nullptr) {
    end_links(open_buffers_->notes->early);
    close(*open_buffers_);
  }
  for (dataflow_task* const each : all) end_links(each->successors);
  for (dataflow_task* const each : all) {
    each->skipped = true;
    fold_for_others(*each);
    finish(*each);
  }
}

}  // namespace nearfork
