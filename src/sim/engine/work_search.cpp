#include "sim/engine/work_search.hpp"

#include <utility>

namespace nearfork::sim {
work_search::work_search(virtual_crew& crew, event_queue& time, const cost_model& costs, call_times times,
                         schedule_counts& counts, event_log* log)
    : crew_(crew),
      time_(time),
      costs_(costs),
      times_(std::move(times)),
      counts_(counts),
      idle_(crew.layout(), times_, costs.spin_ps),
      waits_(crew.layout()),
      last_look_due_(crew.layout().workers(), false),
      log_(log) {
  if (has_last_looks())
    for (std::uint32_t i = 0; i < last_look_due_.size(); ++i) announce_last_look(i, costs_.spin_ps);
}

// --- workers without a task ---

searched_task work_search::seek(std::uint32_t worker) {
  waits_.begin(worker, time_.now_ps());
  if (crew_.is_working(worker) && crew_.wants_to_cross(worker)) ++counts_.wanted_crossings;
  if (crew_.end_work(worker)) call_for_pools(worker, crew_.layout().domain_of(worker));
  const found_work found = crew_.find_work(worker);
  if (found) return begin(worker, found);
  begin_idling(worker);
  return {};
}

searched_task work_search::begin(std::uint32_t worker, const found_work& found) {
  crew_.begin_work(worker);
  const std::uint64_t cost_ps = count_found(worker, found);
  waits_.end(worker, time_.now_ps() + cost_ps);
  return {found.task, cost_ps, found.from};
}

searched_task work_search::look_before_sleep(std::uint32_t worker) {
  last_look_due_[worker] = false;
  if (!idle_.would_sleep(worker, time_.now_ps())) return {};
  const found_work found = crew_.find_work(worker, virtual_crew::patience::would_sleep);
  if (!found) return {};
  idle_.activate(worker);
  return begin(worker, found);
}

/// Returns what finding it costs.
std::uint64_t work_search::count_found(std::uint32_t worker, const found_work& found) {
  counts_.failed_looks += found.looks;
  const std::uint64_t looks_ps = costs_.failed_look_ps * found.looks;
  if (found.from.what != work_source::kind::deque) {
    ++counts_.pool_takes;
    return looks_ps + costs_.pool_ps;
  }
  const worker_layout& layout = crew_.layout();
  const std::uint8_t distance = layout.distance(worker, found.from.index);
  ++counts_.steals[distance];
  if (layout.domain_of(worker) != layout.domain_of(found.from.index)) ++counts_.steals_between_domains;
  return looks_ps + costs_.steal_ps[distance];
}

work_search::beginning work_search::hand_over(std::uint32_t from, std::uint16_t domain) {
  const worker_layout& layout = crew_.layout();
  const std::uint64_t now_ps = time_.now_ps();
  if (domain == any_domain) return {from, now_ps};
  const std::uint32_t wanted = domain_meant(domain, layout.domains());
  if (layout.domain_of(from) == wanted) return {from, now_ps};
  const auto called = idle_.call_any(from, now_ps, crew_.chance(),
                                     [&](std::uint32_t worker) { return layout.domain_of(worker) == wanted; });
  if (!called) return {from, now_ps};
  (void)crew_.end_work(from);
  begin_idling(from);
  const std::uint64_t begins_ps = now_ps + costs_.pool_ps + telling_ps(*called) + answering_ps(*called);
  note_call(from, *called, traces::wake_cause::pool_work, begins_ps);
  return {called->worker, begins_ps};
}

void work_search::begin_idling(std::uint32_t worker) {
  idle_.begin_idling(worker, time_.now_ps());
  waits_.begin(worker, time_.now_ps());
  if (has_last_looks()) announce_last_look(worker, costs_.spin_ps);
}

void work_search::announce_last_look(std::uint32_t worker, std::uint64_t after_ps) {
  last_look_due_[worker] = true;
  time_.announce(time_.now_ps() + after_ps, worker, event_kind::last_look);
}

// --- tasks that move ---

std::uint64_t work_search::take_over(std::uint32_t worker) {
  idle_.activate(worker);
  crew_.begin_work(worker);
  ++counts_.mugs;
  const std::uint64_t cost_ps = costs_.mug_ps;
  waits_.end(worker, time_.now_ps() + cost_ps);
  return cost_ps;
}

// --- calls ---

std::uint64_t work_search::publish(std::uint32_t by, work_source source, std::uint64_t after_ps) {
  const bool in_pool = source.what != work_source::kind::deque;
  // A pool is where its domain's head looks first.
  const std::uint32_t from = in_pool ? crew_.layout().head_of(source.index) : source.index;
  const auto called = idle_.call_any(from, time_.now_ps(), crew_.chance(),
                                     [&](std::uint32_t worker) { return crew_.reaches(worker, source); });
  if (called)
    return announce(by, *called, in_pool ? traces::wake_cause::pool_work : traces::wake_cause::shared_work, after_ps);
  return in_pool && has_last_looks() ? wake_for_last_look(source.index) : 0;
}

/// A worker that sleeps is woken for its domain's pool, may not take, searches for as long as it may, and then takes
/// all the same.
std::uint64_t work_search::wake_for_last_look(std::uint32_t domain) {
  for (const std::uint32_t worker : crew_.layout().workers_of(domain))
    if (idle_.would_sleep(worker, time_.now_ps()) && !last_look_due_[worker]) {
      announce_last_look(worker, costs_.wake_ps + costs_.spin_ps);
      return costs_.notify_ps;
    }
  return 0;
}

void work_search::call_for_pools(std::uint32_t by, std::uint32_t domain) {
  if (crew_.jobs() == 0) return;
  for (const std::uint32_t worker : crew_.layout().workers_of(domain))
    if (idle_.is_idle(worker) && crew_.work_in_sight(worker)) {
      (void)announce(by, idle_.call_one(worker, crew_.layout().head_of(domain), time_.now_ps()),
                     traces::wake_cause::pool_work);
      return;
    }
}

void work_search::pass_on(std::uint32_t from) {
  if (crew_.jobs() == 0) return;
  const auto called = idle_.call_any(from, time_.now_ps(), crew_.chance(),
                                     [&](std::uint32_t worker) { return crew_.work_in_sight(worker); });
  if (called) (void)announce(from, *called, traces::wake_cause::shared_work);
}

std::uint64_t work_search::announce(std::uint32_t by, idle_workers::call who, traces::wake_cause why,
                                    std::uint64_t after_ps) {
  const std::uint64_t answered_ps = time_.now_ps() + after_ps + answering_ps(who);
  time_.announce(answered_ps, who.worker);
  note_call(by, who, why, answered_ps);
  return telling_ps(who);
}

/// That the worker slept is known only now.
void work_search::note_call(std::uint32_t by, idle_workers::call who, traces::wake_cause why,
                            std::uint64_t answered_ps) {
  if (log_ == nullptr || !who.parked) return;
  const auto cause = static_cast<std::uint8_t>(why);
  log_->note(who.worker, who.slept_from_ps, {.kind = traces::event_kind::parks});
  log_->note(by, time_.now_ps(), {.number = who.worker, .kind = traces::event_kind::wakes, .detail = cause});
  log_->note(who.worker, answered_ps,
             {.kind = traces::event_kind::woken, .detail = static_cast<std::uint8_t>(traces::wake_cause::outside)});
}

/// Until the worker that was called looks.
std::uint64_t work_search::answering_ps(idle_workers::call who) {
  ++(who.parked ? counts_.wakes : counts_.notices);
  return (who.parked ? costs_.wake_ps : costs_.notice_ps) + who.further_ps;
}

/// What the call costs the worker that calls.
std::uint64_t work_search::telling_ps(idle_workers::call who) const noexcept {
  return who.parked ? costs_.notify_ps : 0;
}

}  // namespace nearfork::sim
