#include "runtime/dataflow/recorded_flow.hpp"

#include <new>
#include <utility>

#include <nearfork/detail/fiber.hpp>
#include <nearfork/runtime.hpp>

#include "base/monotonic_clock.hpp"
#include "runtime/dataflow/dataflow_engine.hpp"
#include "runtime/webs/buffer_memory.hpp"

namespace nearfork {

using detail::access_parts;
using detail::noted_flow;
using detail::noted_place;

// --- a task that runs ---

void measured_flow_task::begin(const noted_place& at) noexcept {
  detail::fiber& self = detail::this_fiber();
  cursor_.emplace(detail::tree_cursor{.clock = {.at = at}});
  self.cursor = &*cursor_;
  self.jobs.request();
  detail::start_clock(self, cursor_->clock);
}

void measured_flow_task::end() noexcept {
  detail::fiber& self = detail::this_fiber();
  (void)detail::stop_clock(self);
  self.cursor = nullptr;
}

// --- tasks that are created ---

void recorded_flow::begin(recorded_place where) noexcept {
  where_ = std::move(where);
  place_of_number_.clear();
  if (where_.log != nullptr) where_.log->add_loose_task();  // until end()
}

void recorded_flow::add(dataflow_task& made, std::span<const access> accesses, const creation& by) noexcept {
  try {
    declare(made, accesses, by);
    if (where_.log == nullptr) return;
    if (!by.worker) return where_.log->leave_out();
    declared_task& one = tasks_[made.place];
    const std::size_t begin = made.place == 0 ? 0 : tasks_[made.place - 1].accesses_end;
    note(one, std::span(accesses_).subspan(begin), *by.worker);
    place_of_number_.emplace(one.number, made.place);
  } catch (const std::bad_alloc&) {
    notes().become_incomplete();
  }
}

void recorded_flow::declare(dataflow_task& made, std::span<const access> accesses, const creation& by) {
  while (tasks_.size() <= made.place)
    tasks_.push_back({.accesses_end = accesses_.size(), .exclusions_end = exclusions_.size()});
  declared_task& one = tasks_.back();
  one.is_there = true;
  if (const auto creator = place_of_number_.find(by.creator); creator != place_of_number_.end())
    one.creator = creator->second;
  for (const access& each : accesses) declare_access(each.parts());
  one.accesses_end = accesses_.size();
  if (made.excludes)
    for (const auto* each = made.exclusions; each != nullptr; each = each->next) {
      const auto [at, is_new] =
          number_of_exclusion_.try_emplace(each->what, static_cast<std::uint32_t>(number_of_exclusion_.size()));
      if (is_new) task_web::hold(*each->what);
      exclusions_.push_back(at->second);
    }
  one.exclusions_end = exclusions_.size();
}

/// Of streams nothing is known but the order.
void recorded_flow::declare_access(const access_parts& what) {
  if (what.weak || what.bytes == 0 || what.pieces == 0 || what.stream != nullptr) return;
  std::uint64_t begin = reinterpret_cast<std::uint64_t>(what.data);
  if (what.buffer != nullptr) {
    std::uint64_t& recorded_at = notes_of(*what.buffer).recorded_at;
    if (recorded_at == 0) recorded_at = recorder_.place_for_buffer(what.buffer->bytes, what.buffer->where());
    begin = recorded_at;
  }
  accesses_.push_back(
      {.kind = what.kind == detail::access_kind::read ? recordings::access_kind::read : recordings::access_kind::write,
       .begin_byte = begin,
       .size_bytes = what.bytes,
       .count = what.pieces,
       .stride_bytes = what.pieces > 1 ? what.stride_bytes : 0});
}

void recorded_flow::note(declared_task& one, std::span<const recordings::data_access> accesses,
                         std::uint32_t worker) noexcept {
  one.number = where_.log->take_numbers(worker, 1);
  if (one.number == 0) return;  // the log is full: it says so
  for (const recordings::data_access& each : accesses)
    where_.log->note_declared(worker, {.task = one.number, .stretch = 0, .access = each});
}

void recorded_flow::add_all_again(const creation& by) noexcept {
  if (where_.log == nullptr) return;
  if (!by.worker) return where_.log->leave_out();
  std::size_t begin = 0;
  for (declared_task& each : tasks_) {
    if (each.is_there) note(each, std::span(accesses_).subspan(begin, each.accesses_end - begin), *by.worker);
    begin = each.accesses_end;
  }
}

noted_place recorded_flow::place_of(const dataflow_task& one) const noexcept {
  if (where_.log == nullptr || one.place >= tasks_.size() || tasks_[one.place].number == 0) return {};
  return {.log = where_.log.get(), .task = tasks_[one.place].number};
}

// --- when all have ended ---

void recorded_flow::end(detail::task_clock* waiter, bool complete) noexcept {
  if (where_.log == nullptr) return;
  const recorded_place where = std::exchange(where_, {});
  detail::iteration_log& log = *where.log;
  try {
    std::optional<noted_flow> flow;
    if (complete && notes().is_complete()) flow = noted();
    if (!flow) log.leave_out();
    noted_place root{.log = &log};
    const bool is_own = !where.own_region.empty();
    const bool is_waited_for = is_own || (waiter != nullptr && waiter->at.log == &log);
    if (flow && is_waited_for) {
      const noted_place& parent = is_own ? root : waiter->at;
      const std::uint32_t worker = is_own ? recorder_.outside() : detail::this_fiber().runner->index;
      for (const noted_flow::flow_task& each : flow->tasks) log.note_spawn_of(worker, parent, each.task);
      if (!is_own && !flow->tasks.empty()) waiter->at.begin_next_stretch();
      log.note_flow(*std::move(flow));
    }
    // A part that is not waited for by a task of its iteration keeps the iteration open, which is then left out.
    if (is_waited_for) log.end_loose_task();
  } catch (const std::bad_alloc&) {
    log.leave_out();
    log.end_loose_task();
  }
  if (where.own_region.empty()) return;
  detail::noted_tasks noted_of_root(log);
  recorder_.end(where.own_region, noted_of_root, {.ended_ns = now_ns(), .complete = complete});
}

std::optional<noted_flow> recorded_flow::noted() const {
  std::vector<flow_edges::known_task> known;
  for (const declared_task& each : tasks_) known.push_back({each.is_there, each.creator});
  const std::size_t places = notes().tasks().size();
  known.resize(places);
  const std::vector<task_notes::dependence> kept =
      kept_ == nullptr ? std::vector<task_notes::dependence>() : kept_->all_dependences();
  const flow_edges edges(kept_ == nullptr ? own_notes_.dependences() : std::span(kept), known);
  if (edges.order().size() != places) return std::nullopt;
  noted_flow made;
  for (const std::uint32_t place : edges.order()) {
    if (!known[place].is_there) continue;
    const declared_task& one = tasks_[place];
    if (one.number == 0) return std::nullopt;
    made.tasks.push_back({one.number, one.creator == flow_edges::no_creator ? 0 : tasks_[one.creator].number});
    for (const std::uint32_t before : edges.of(place)) made.edges.push_back({one.number, tasks_[before].number});
    for (std::size_t i = place == 0 ? 0 : tasks_[place - 1].exclusions_end; i < one.exclusions_end; ++i)
      made.exclusions.push_back({one.number, exclusions_[i]});
  }
  return made;
}

void recorded_flow::let_go(task_web& web) noexcept {
  for (const auto& [what, number] : number_of_exclusion_) web.let_go_of(*what);
  number_of_exclusion_.clear();
}

}  // namespace nearfork

namespace nearfork::detail {

// --- the part of a graph's engine that is about recordings ---

/// The clock of the recorded task that calls; nullptr: it is none.
task_clock* dataflow_engine::clock_here() const noexcept {
  return recorder_ != nullptr && home_.runs_caller() ? this_fiber().on_the_clock : nullptr;
}

dataflow_engine::stopped_clock::stopped_clock(const dataflow_engine& of) noexcept : task_(of.clock_here()) {
  if (task_ != nullptr) (void)stop_clock(this_fiber());
}

/// Perhaps on another worker.
dataflow_engine::stopped_clock::~stopped_clock() {
  if (task_ != nullptr) start_clock(this_fiber(), *task_);
}

/// Where tasks that are created now, the first ones since a wait, are recorded. Throws std::bad_alloc.
recorded_place dataflow_engine::place_for_record(const task_clock* here, const call_site& first) const {
  if (home_.runs_caller()) {
    if (here == nullptr || !here->at.log->records()) return {};
    return {.log = here->at.log->shared_from_this(), .own_region = {}};
  }
  recorded_place made{.log = {}, .own_region = "graph at " + text_of(first)};
  // A worker measures what measuring takes.
  home_.of()->run([&] { made.log = recorder_->begin(made.own_region, 0, recorded_root_kind::run); });
  return made;
}

/// The same for a task that is not added yet.
recorded_place dataflow_engine::place_before_adding(dataflow_task& made, const task_clock* here) {
  {
    const locked now(*this);
    if (begun_) return {};
  }
  return place_for_record(here, made.where());
}

/// Under the lock, before the first task since a wait, or its replay.
void dataflow_engine::begin_record(recorded_place where) {
  if (record_ == nullptr) {
    if (where.log == nullptr) return;
    own_record_ = std::make_unique<recorded_flow>(*recorder_, nullptr);
    record_ = own_record_.get();
    web_.note_in(record_->notes());
  }
  record_->begin(std::move(where));
}

/// Tasks of a graph that began unrecorded are missing in the caller's iteration.
void dataflow_engine::add_to_record(dataflow_task& made, std::span<const access> accesses,
                                    const task_clock* here) noexcept {
  if (record_ != nullptr && (here == nullptr || here->at.log == record_->log()))
    return record_->add(made, accesses, creation_by(here));
  if (record_ != nullptr) record_->add(made, accesses, {});
  if (here != nullptr && here->at.log->records()) here->at.log->leave_out();
}

recorded_flow::creation dataflow_engine::creation_by(const task_clock* here) const noexcept {
  if (home_.runs_caller())
    return {.worker = this_fiber().runner->index, .creator = here == nullptr ? 0 : here->at.task};
  if (record_->has_own_root()) return {.worker = recorder_->outside()};
  return {};
}

/// A step of a task: its time counts for it.
void dataflow_engine::do_recorded(dataflow_task& one, void (*step)(dataflow_task&)) {
  noted_place at;
  {
    const locked now(*this);
    at = record_->place_of(one);
  }
  const measured_flow_task measured(at);
  step(one);
}

void dataflow_engine::end_record(task_clock* waiter, const ended_part& of) noexcept {
  if (of.record != nullptr) of.record->end(waiter, of.all_could_run && of.ran_all);
}

void dataflow_engine::drop_kept_record() noexcept {
  if (kept_record_ == nullptr) return;
  const locked now(*this);
  kept_record_->let_go(web_);
  if (record_ == kept_record_.get()) record_ = nullptr;
  kept_record_.reset();
}

}  // namespace nearfork::detail
