// The part of a task web that is about buffers: they may be read by tasks that were created before the task that writes
// them. So tasks can wait for a buffer that nobody writes, or for each other.
#include <algorithm>
#include <unordered_set>
#include <utility>

#include <nearfork/detail/dataflow/stream_state.hpp>

#include "runtime/dataflow/call_site_text.hpp"
#include "runtime/dataflow/task_web.hpp"

namespace nearfork {

using detail::access_parts;
using detail::buffer_state;

namespace {

bool uses_buffer(std::span<const access> accesses, const buffer_state* what) {
  return std::ranges::any_of(accesses, [&](const access& each) { return each.parts().buffer == what; });
}

std::string misuse_of(const buffer_state& what, const access_parts& how, std::span<const access> others,
                      const void* graph) {
  const auto name = [&] { return "the buffer of " + to_text(what.where); };
  if (what.graph != graph) return " names " + name() + ", which belongs to another graph";
  if (uses_buffer(others, &what)) return " names " + name() + " twice";
  if (how.kind == access_kind::read || what.state == buffer_state::content::none) return {};
  return " writes " + name() + ", which the task of " + to_text(what.producer_where) +
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
    return " names a buffer, a stream or a reduction, so its callable must take a std::span for each access";
  return {};
}

}  // namespace

std::string task_web::misuse(const dataflow_task& one, std::span<const access> accesses, const void* graph) const {
  // Only of a task that is refused: made for each task, the text doubled what a task with a buffer costs.
  const auto task = [&] { return "nearfork: the task of " + to_text(one.where); };
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
    if (!text.empty()) return task() + text;
  }
  return {};
}

void task_web::open(buffer_state& one) noexcept {
  if (one.link_to_this != nullptr) return;
  one.next_open = open_buffers_;
  if (open_buffers_ != nullptr) open_buffers_->link_to_this = &one.next_open;
  open_buffers_ = &one;
  one.link_to_this = &open_buffers_;
}

void task_web::close(buffer_state& one) noexcept {
  if (one.link_to_this == nullptr) return;
  *one.link_to_this = one.next_open;
  if (one.next_open != nullptr) one.next_open->link_to_this = one.link_to_this;
  one.link_to_this = nullptr;
  one.next_open = nullptr;
}

void task_web::read_buffer(dataflow_task& one, buffer_state& what) {
  switch (what.state) {
    case buffer_state::content::written:
    case buffer_state::content::lost:
      if (what.state == buffer_state::content::lost) one.skipped = true;
      return note_dependence(one, what.noted_producer);
    case buffer_state::content::coming: return depend(one, *what.producer);
    case buffer_state::content::none: break;
  }
  task_link* const link = links_.take();
  *link = {&one, what.consumers};
  what.consumers = link;
  ++one.pending;
  open(what);
}

/// The tasks that wait for the buffer wait for this task from now on: their links become its own.
void task_web::write_buffer(dataflow_task& one, buffer_state& what) {
  what.state = buffer_state::content::coming;
  what.producer = what.last_producer = &one;
  what.noted_producer = noted(one);
  what.producer_where = one.where;
  open(what);
  while (what.consumers != nullptr) {
    note_dependence(*what.consumers->task, what.noted_producer);
    task_link* const link = std::exchange(what.consumers, what.consumers->next);
    link->next = std::exchange(one.successors, link);
  }
}

void task_web::end_buffers(dataflow_task& one) noexcept {
  note_buffers(one);
  if (script_ != nullptr) return;  // the task will need them again
  for (const detail::dataflow_argument& each : one.kind->arguments(one)) {
    if (each.is_part) each.part->end(one);
    if (each.buffer == nullptr || !each.buffer->drop_holder()) continue;
    each.buffer->next_open = std::exchange(ended_buffers_, each.buffer);
  }
}

void task_web::note_buffers(dataflow_task& one) noexcept {
  for (const detail::dataflow_argument& each : one.kind->arguments(one)) {
    if (each.buffer == nullptr || !each.writes || each.buffer->last_producer != &one) continue;
    each.buffer->state = one.is_lost() ? buffer_state::content::lost : buffer_state::content::written;
    each.buffer->producer = nullptr;
    close(*each.buffer);
  }
}

void task_web::let_go_of_buffers(dataflow_task& one) noexcept {
  if (one.kind->arguments == nullptr) return;
  for (const detail::dataflow_argument& each : one.kind->arguments(one)) {
    if (each.buffer != nullptr) each.buffer->let_go();
  }
}

// --- tasks that can never run ---

/// All of them: each waits for a buffer that nobody writes, or for a task that waits, or is in a ring with a buffer.
std::vector<dataflow_task*> task_web::stuck_tasks() const {
  std::vector<dataflow_task*> found;
  std::unordered_set<const dataflow_task*> seen;
  const auto note = [&](dataflow_task* one) {
    if (seen.insert(one).second) found.push_back(one);
  };
  for (const buffer_state* each = open_buffers_; each != nullptr; each = each->next_open) {
    if (each->producer != nullptr) note(each->producer);
    for (const detail::task_link* link = each->consumers; link != nullptr; link = link->next) note(link->task);
  }
  if (layer_ != nullptr) {
    std::vector<dataflow_task*> in_layer;
    layer_->find_stuck(in_layer);
    for (dataflow_task* const each : in_layer) note(each);
  }
  for (std::size_t i = 0; i < found.size(); ++i)
    for (const detail::task_link* link = found[i]->successors; link != nullptr; link = link->next) note(link->task);
  return found;
}

namespace {

/// A ring of tasks, each of which waits for the one before; empty: there is none.
class ring_search {
 public:
  [[nodiscard]] std::vector<const dataflow_task*> from(const dataflow_task& first) {
    std::vector<std::pair<const dataflow_task*, const detail::task_link*>> path;
    const auto enter = [&](const dataflow_task& one) {
      seen_.insert(&one);
      path.emplace_back(&one, one.successors);
    };
    if (seen_.contains(&first)) return {};
    enter(first);
    while (!path.empty()) {
      const detail::task_link* const link = path.back().second;
      if (link == nullptr) {
        path.pop_back();
        continue;
      }
      path.back().second = link->next;
      const auto again = std::ranges::find(path, link->task, [](const auto& step) { return step.first; });
      if (again != path.end()) {
        std::vector<const dataflow_task*> ring;
        for (auto at = again; at != path.end(); ++at) ring.push_back(at->first);
        return ring;
      }
      if (!seen_.contains(link->task)) enter(*link->task);
    }
    return {};
  }

 private:
  std::unordered_set<const dataflow_task*> seen_;
};

}  // namespace

std::string task_web::why_stuck() const {
  const std::string some =
      "nearfork: " + std::to_string(unfinished_) +
      (unfinished_ == 1 ? " task of a graph can never run: " : " tasks of a graph can never run: ");
  for (const buffer_state* each = open_buffers_; each != nullptr; each = each->next_open)
    if (each->producer == nullptr)
      return some + "the task of " + to_text(each->consumers->task->where) + " reads the buffer of " +
             to_text(each->where) + ", which no task writes";
  if (const std::string why = layer_ == nullptr ? std::string() : layer_->why_stuck(); !why.empty()) return some + why;
  ring_search rings;
  for (const dataflow_task* const each : stuck_tasks()) {
    const auto ring = rings.from(*each);
    if (ring.empty()) continue;
    std::string text = some + "each of these waits for the one before, and the first for the last:";
    for (const dataflow_task* const one : ring) text += " the task of " + to_text(one->where) + ";";
    for (const buffer_state* open = open_buffers_; open != nullptr; open = open->next_open)
      if (std::ranges::find(ring, open->producer) != ring.end()) {
        text += " the buffer of " + to_text(open->where) + " is one that they wait for";
        break;
      }
    return text;
  }
  return some + "each waits for another";
}

void task_web::end_stuck(const std::vector<dataflow_task*>& all) noexcept {
  const auto end_links = [this](detail::task_link*& list) {
    while (list != nullptr) links_.give(std::exchange(list, list->next));
  };
  if (layer_ != nullptr) layer_->drop_stuck();
  while (open_buffers_ != nullptr) {
    end_links(open_buffers_->consumers);
    close(*open_buffers_);
  }
  for (dataflow_task* const each : all) end_links(each->successors);
  for (dataflow_task* const each : all) {
    each->skipped = true;
    finish(*each);
  }
}

}  // namespace nearfork
