#include "sim/dataflow/flow_events.hpp"

#include <utility>

#include "plan/crew/worker_places.hpp"

namespace nearfork::sim {
namespace {

// In events 0 is no job and no fiber.
std::uint64_t job_of(std::uint32_t task) noexcept {
  return std::uint64_t{task} + 1;
}
std::uint64_t fiber_of_worker(std::uint32_t worker) noexcept {
  return std::uint64_t{worker} + 1;
}
std::uint64_t fiber_of_part(std::size_t part) noexcept {
  return (std::uint64_t{1} << 32) + part + 1;
}

}  // namespace

flow_events::flow_events(event_log* log, const machine& where, const flow_crew& crew,
                         std::span<const std::uint32_t> ends, std::span<const std::string> regions, std::uint32_t tasks)
    : log_(log), ends_(ends), regions_(regions) {
  if (log_ == nullptr) return;
  std::vector<worker_place> places;
  for (std::uint32_t worker = 0; worker < crew.size(); ++worker) {
    const core& one = where.cores()[worker];
    places.push_back({.pu = one.pus.front(), .domain = one.domain});
    domains_.push_back(static_cast<std::uint32_t>(one.domain));
  }
  tasks_.resize(tasks);
  log_->begin(where, places);
}

void flow_events::push(std::uint32_t worker, std::uint32_t task, std::uint64_t at_ps) {
  if (log_ == nullptr) return;
  tasks_[task] = {.is_pushed = true, .ready_by = worker, .ready_ps = at_ps};
}

void flow_events::send(std::uint32_t worker, std::uint32_t to, std::uint32_t task, std::uint64_t at_ps) {
  if (log_ == nullptr) return;
  tasks_[task] = {.origin = traces::task_origin::pool};
  log_->note(worker, at_ps, {.subject = job_of(task), .number = domains_[to], .kind = traces::event_kind::sends});
}

void flow_events::steal(std::uint32_t victim, steal_distance distance, std::uint32_t task) {
  if (log_ == nullptr) return;
  tasks_[task].origin = traces::task_origin::stolen;
  tasks_[task].victim = victim;
  tasks_[task].distance = distance;
}

void flow_events::begin(std::uint32_t worker, std::uint32_t task, std::uint64_t at_ps) {
  if (log_ == nullptr) return;
  if (!is_open_ && part_ < ends_.size()) {
    first_of_part_ = task;
    open_part(worker, at_ps);
  } else if (is_last_of_part(task)) {
    note_switch(worker, at_ps, fiber_of_part(part_), fiber_of_worker(worker), traces::switch_cause::resumes);
  }
  if (tasks_[task].origin == traces::task_origin::stolen) note_steal(worker, task, at_ps);
  log_->note(worker, at_ps,
             {.subject = job_of(task),
              .kind = traces::event_kind::task_begins,
              .detail = static_cast<std::uint8_t>(tasks_[task].origin)});
}

void flow_events::end(std::uint32_t worker, std::uint32_t task, std::uint64_t at_ps) {
  if (log_ == nullptr) return;
  log_->note(worker, at_ps, {.subject = job_of(task), .kind = traces::event_kind::task_ends});
  if (!is_open_) return;
  if (is_last_of_part(task)) {
    log_->end_iteration(worker, at_ps);
    note_switch(worker, at_ps, fiber_of_worker(worker), fiber_of_part(part_), traces::switch_cause::leaves);
    is_open_ = false;
    ++part_;
  } else if (task == first_of_part_) {
    note_switch(worker, at_ps, fiber_of_worker(worker), fiber_of_part(part_), traces::switch_cause::waits);
  }
}

void flow_events::wake(std::uint32_t by, std::uint32_t who, traces::wake_cause why, std::uint64_t slept_from_ps,
                       std::uint64_t at_ps, std::uint64_t answers_ps) {
  if (log_ == nullptr) return;
  log_->note(who, slept_from_ps, {.kind = traces::event_kind::parks});
  log_->note(by, at_ps, {.number = who, .kind = traces::event_kind::wakes, .detail = static_cast<std::uint8_t>(why)});
  log_->note(who, answers_ps,
             {.kind = traces::event_kind::woken, .detail = static_cast<std::uint8_t>(traces::wake_cause::outside)});
}

/// That its worker shared a task is told now: of those that nobody steals a trace says nothing. A sent one was not
/// shared by its victim.
void flow_events::note_steal(std::uint32_t worker, std::uint32_t task, std::uint64_t at_ps) {
  const waiting_task& stolen = tasks_[task];
  if (stolen.is_pushed)
    log_->note(stolen.ready_by, stolen.ready_ps, {.subject = job_of(task), .kind = traces::event_kind::shares});
  log_->note(worker, at_ps,
             {.subject = job_of(task),
              .value = job_of(task),
              .number = stolen.victim,
              .kind = traces::event_kind::takes_steal,
              .detail = static_cast<std::uint8_t>(stolen.distance)});
}

void flow_events::open_part(std::uint32_t worker, std::uint64_t at_ps) {
  is_open_ = true;
  if (part_ == 0 || regions_[part_] != regions_[part_ - 1]) log_->enter_region(regions_[part_]);
  note_switch(worker, at_ps, fiber_of_part(part_), fiber_of_worker(worker), traces::switch_cause::begins);
  log_->begin_iteration(worker, at_ps, traces::iteration_word::plain);
}

void flow_events::note_switch(std::uint32_t worker, std::uint64_t at_ps, std::uint64_t to, std::uint64_t from,
                              traces::switch_cause why) {
  log_->note(
      worker, at_ps,
      {.subject = to, .value = from, .kind = traces::event_kind::switches, .detail = static_cast<std::uint8_t>(why)});
}

}  // namespace nearfork::sim
