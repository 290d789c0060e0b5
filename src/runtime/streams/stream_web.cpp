#include "runtime/streams/stream_web.hpp"

#include <algorithm>
#include <exception>
#include <new>
#include <utility>

#include <nearfork/detail/dataflow/buffer_state.hpp>
#include <nearfork/detail/dataflow/dataflow_argument.hpp>

#include "runtime/webs/buffer_memory.hpp"
#include "runtime/webs/call_site_text.hpp"
#include "runtime/webs/flow_record.hpp"

namespace nearfork {

using detail::access_parts;
using detail::buffer_state;
using detail::dataflow_argument;
using detail::stream_burst;
using detail::stream_state;
using detail::stream_window;

namespace {

/// Smaller bursts share memory: blocks that grow from the first size to the largest.
constexpr std::size_t first_shared_bytes = 256;
constexpr std::size_t own_memory_bytes = std::size_t{4} << 10;

dataflow_argument& argument_of(dataflow_task& one, std::size_t index) noexcept {
  return one.kind->arguments(one)[index];
}

/// Tells a task that is placed where its data lie.
void note_memory(dataflow_task& one, std::size_t index, buffer_state* memory) noexcept {
  if (one.flow_accesses != 0) flow_record::of(one).accesses()[index].buffer = memory;
}

/// The burst with most of the window's elements says where the task's data lie.
void note_largest(const stream_window& one) noexcept {
  const auto part = [&](const stream_burst& of) {
    return std::min(of.end_element, one.end_element) - std::max(of.begin_element, one.begin_element);
  };
  const stream_burst* largest = one.first;
  for (const stream_burst* each = one.first; each->end_element < one.end_element;) {
    each = each->next;
    if (part(*each) > part(*largest)) largest = each;
  }
  note_memory(*one.task, one.index, largest->memory);
}

}  // namespace

stream_web::~stream_web() {
  while (streams_ != nullptr) {
    stream_state& one = *std::exchange(streams_, streams_->next);
    empty(one);
    one.let_go();
  }
}

stream_state& stream_web::make(detail::graph_id graph, std::size_t size, std::size_t alignment,
                               const call_site& where) {
  if (count_ >= purge_at_) purge();
  auto* const made = new stream_state(*this, graph, size, alignment, where);
  made->next = std::exchange(streams_, made);
  ++count_;
  return *made;
}

/// Drops the streams that only the graph holds.
void stream_web::purge() noexcept {
  for (stream_state** at = &streams_; *at != nullptr;) {
    stream_state& one = **at;
    if (one.users != 0 || !one.is_held_once()) {
      at = &one.next;
      continue;
    }
    *at = one.next;
    empty(one);
    one.let_go();
    --count_;
  }
  purge_at_ = std::max<std::size_t>(64, 2 * count_);
}

void stream_web::empty(stream_state& of) noexcept {
  of.read_to = of.written_to;
  forget_read(of);
  if (of.shared != nullptr) std::exchange(of.shared, nullptr)->let_go();
}

// --- tasks that come ---

void stream_web::join(dataflow_task& one, std::size_t index, const access_parts& what, std::uint32_t own) {
  if (what.kind == detail::access_kind::read) read(one, index, what);
  else write(one, index, what, own);
}

void stream_web::read(dataflow_task& one, std::size_t index, const access_parts& what) {
  stream_state& of = *what.stream;
  window& made = *windows_.take();
  made = window();
  made.of = &of;
  made.task = &one;
  made.begin_element = of.read_to;
  made.end_element = of.read_to + what.bytes / of.size;
  made.index = static_cast<std::uint32_t>(index);
  dataflow_argument& argument = argument_of(one, index);
  argument.part = &made;
  argument.is = dataflow_argument::content::part;
  ++of.users;
  for (burst* each = of.first; each != nullptr && each->begin_element < made.end_element; each = each->next) {
    try {
      depend(made, *each);
    } catch (...) {
      made.end_element = std::min(made.end_element, each->end_element);  // the window does not hold the others
      throw;
    }
  }
  if (made.end_element <= of.written_to) {
    complete(made);
  } else {
    made.waits = true;
    task_web::hold(one);
    (of.waiting == nullptr ? of.waiting : of.last_waiting->next) = &made;
    of.last_waiting = &made;
  }
  of.read_to += what.stride_bytes / of.size;
  forget_read(of);
}

void stream_web::write(dataflow_task& one, std::size_t index, const access_parts& what, std::uint32_t own) {
  stream_state& of = *what.stream;
  burst& made = *bursts_.take();
  made = burst();
  made.of = &of;
  made.begin_element = of.written_to;
  made.end_element = of.written_to + what.bytes / of.size;
  made.producer = &one;
  try {
    take_place(made, what.bytes, own);
  } catch (...) {
    if (made.memory != nullptr) made.memory->let_go();
    bursts_.give(&made);
    throw;
  }
  made.holders = 1;
  made.open = true;
  note_memory(one, index, made.memory);
  dataflow_argument& argument = argument_of(one, index);
  argument.part = &made;
  argument.is = dataflow_argument::content::part;
  argument.is_burst = true;
  ++of.users;

  if (of.last != nullptr) of.last->next = &made;
  of.last = &made;
  if (made.end_element > of.read_to) {  // [ST1]
    ++made.holders;
    if (of.first == nullptr) of.first = &made;
  }
  of.written_to = made.end_element;
  give_to_waiting(made);
}

/// Where the elements will lie. Sets made.memory even if it throws afterwards.
void stream_web::take_place(burst& made, std::size_t bytes, std::uint32_t own) {
  stream_state& of = *made.of;
  if (bytes >= own_memory_bytes) {
    made.memory = &make_buffer_state(of.graph, bytes, of.alignment, of.where, nodes_);
    if (nodes_ != nullptr && nodes_->allocation() == buffer_allocation::immediate)
      take_memory_on(*made.memory, *nodes_, node_id{own});
    return;
  }
  if (of.shared == nullptr || of.shared->bytes - of.shared_used < bytes) {
    const std::size_t grown = of.shared == nullptr ? first_shared_bytes : 2 * of.shared->bytes;
    auto* const fresh = &make_buffer_state(of.graph, std::max(std::min(grown, own_memory_bytes), bytes), of.alignment,
                                           of.where, nodes_);
    if (of.shared != nullptr) of.shared->let_go();
    of.shared = fresh;
    of.shared_used = 0;
    take_memory(*fresh);
  }
  made.memory = of.shared;
  made.memory->add_holder();
  made.data = made.memory->data + std::exchange(of.shared_used, of.shared_used + bytes);
}

/// Without memory for all dependences the readers left over are skipped, and the last error is thrown.
void stream_web::give_to_waiting(burst& made) {
  stream_state& of = *made.of;
  std::exception_ptr failure;
  window* kept = nullptr;
  for (window* each = of.waiting; each != nullptr && each->begin_element < made.end_element;) {
    window& one = *std::exchange(each, each->next);
    dataflow_task& reader = *one.task;
    try {
      if (one.end_element > made.begin_element) depend(one, made);
    } catch (...) {
      reader.skipped = true;
      failure = std::current_exception();
    }
    if (one.end_element > made.end_element) {
      kept = &one;
      continue;
    }
    (kept == nullptr ? of.waiting : kept->next) = each;
    if (of.last_waiting == &one) of.last_waiting = kept;
    one.waits = false;
    complete(one);
    web_.release(reader);
  }
  if (failure != nullptr) std::rethrow_exception(failure);
}

/// [ST2] Holds the burst also if it throws.
void stream_web::depend(window& reader, burst& on) {
  if (!reader.has_bursts) reader.first = &on;
  reader.has_bursts = true;
  ++on.holders;
  if (on.lost) reader.task->skipped = true;
  if (on.open) web_.depend(*reader.task, *on.producer);
  else web_.note_dependence(*reader.task, on.noted_producer);
}

/// The window has all its bursts. Its record may be gone afterwards.
void stream_web::complete(window& one) noexcept {
  if (one.task->flow_accesses != 0) [[unlikely]]
    note_largest(one);
  if (one.begin_element == one.first->begin_element && one.end_element <= one.first->end_element) drop_record(one);
}

/// The argument holds the only burst in its place.
void stream_web::drop_record(window& one) noexcept {
  dataflow_argument& argument = argument_of(*one.task, one.index);
  argument.part = one.first;
  argument.is_burst = true;
  windows_.give(&one);
}

// --- tasks that end ---

void stream_web::end(dataflow_argument& argument, dataflow_task& one) noexcept {
  if (!argument.is_burst) return end(static_cast<window&>(*argument.part));
  burst& whole = static_cast<burst&>(*argument.part);
  if (argument.writes) return end(whole, one.is_lost());
  --whole.of->users;
  let_go(&whole);
}

void stream_web::end(burst& one, bool lost) noexcept {
  one.lost = lost;
  one.noted_producer = web_.noted(*one.producer);
  one.open = false;
  --one.of->users;
  let_go(&one);
}

/// The window waits for the rest no more.
void stream_web::cut_to_bursts(window& one) noexcept {
  one.waits = false;
  one.end_element = std::min(one.end_element, one.stream().written_to);
}

void stream_web::end(window& one) noexcept {
  stream_state& of = one.stream();
  if (one.waits) {
    window* before = nullptr;
    for (window* each = of.waiting; each != &one; each = each->next) before = each;
    (before == nullptr ? of.waiting : before->next) = one.next;
    if (of.last_waiting == &one) of.last_waiting = before;
    cut_to_bursts(one);
  }
  burst* each = one.has_bursts ? one.first : nullptr;
  while (each != nullptr) {
    burst* const next = each->end_element < one.end_element ? each->next : nullptr;
    let_go(std::exchange(each, next));
  }
  if (one.has_copy) one.copy->let_go();
  --of.users;
  windows_.give(&one);
}

void stream_web::let_go(burst* one) noexcept {
  if (--one->holders != 0) return;
  one->memory->let_go();
  if (one->of->last == one) one->of->last = nullptr;
  bursts_.give(one);
}

/// [ST1]
void stream_web::forget_read(stream_state& of) noexcept {
  while (of.first != nullptr && of.first->end_element <= of.read_to) {
    burst* const read = of.first;
    of.first = read == of.last ? nullptr : read->next;
    let_go(read);
  }
}

// --- tasks that can never run ---

void stream_web::find_stuck(std::vector<dataflow_task*>& found) const {
  bursts_.for_each([&](const burst& each) {
    if (each.open) found.push_back(each.producer);
  });
  for (const stream_state* of = streams_; of != nullptr; of = of->next)
    for (const window* each = of->waiting; each != nullptr; each = each->next) found.push_back(each->task);
}

std::string stream_web::why_stuck() const {
  for (const stream_state* of = streams_; of != nullptr; of = of->next) {
    if (of->waiting == nullptr) continue;
    const window& one = *of->waiting;
    return "the task of " + to_text(one.task->where()) + " reads elements " + std::to_string(one.begin_element) +
           " to " + std::to_string(one.end_element - 1) + " of the stream of " + to_text(of->where) +
           ", of which tasks write only " + std::to_string(of->written_to);
  }
  return {};
}

/// What the tasks would have read beyond the last element is not read: the next window begins at the next element.
void stream_web::drop_stuck() noexcept {
  for (stream_state* of = streams_; of != nullptr; of = of->next) {
    of->read_to = std::min(of->read_to, of->written_to);
    for (window* each = std::exchange(of->waiting, nullptr); each != nullptr; each = each->next) cut_to_bursts(*each);
  }
}

}  // namespace nearfork
