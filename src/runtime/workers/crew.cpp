#include "runtime/workers/crew.hpp"

#include <algorithm>
#include <utility>

#include <nearfork/error.hpp>

#include "base/monotonic_clock.hpp"
#include "base/sanitizer_calls.hpp"
#include "machine/live/pinning.hpp"
#include "memory/system/calling_pu.hpp"
#include "plan/search/abundance.hpp"
#include "runtime/fibers/exit_watch.hpp"
#include "runtime/fibers/stack_overflow.hpp"
#include "runtime/protocols/ready_fibers.hpp"
#include "runtime/workers/idling.hpp"
#include "runtime/workers/switching.hpp"

namespace nearfork {

crew::crew(rules how)
    : rules_(std::move(how)),
      pools_have_conditions_(std::any_of(rules_.orders.begin(), rules_.orders.end(), pools_have_conditions)),
      pools_open_without_plan_(std::all_of(rules_.orders.begin(), rules_.orders.end(), low_pools_are_open)),
      injector_(rules_.layout.workers()),
      lot_(rules_.layout.workers(), rules_.most_searching),
      polling_(rules_.poll_ns),
      fibers_({.stack_bytes = rules_.stack_bytes,
               .by = rules_.by,
               .entry = rules_.entry,
               .workers = rules_.layout.workers(),
               .home = this}),
      pins_(rules_.layout.workers()) {
  for (std::uint32_t i = 0; i < layout().domains(); ++i) domains_.push_back(std::make_unique<domain_state>());
  for (std::uint32_t i = 0; i < layout().workers(); ++i) {
    workers_.push_back(std::make_unique<worker>(*this, i, layout().domain_of(i), rng::for_stream(rules_.seed, i),
                                                rules_.flow == nullptr ? 0 : rules_.mailbox_tasks));
    workers_.back()->demands.reserve(layout().workers() + crew_lanes::most);
    for (std::size_t now = 0; now < phases; ++now)
      for (const search_step& step : rules_.orders[now].steps())
        workers_.back()->asks[now].push_back(victims_of(step, layout(), i));
    if (rules_.flow != nullptr)
      workers_.back()->others =
          victims_of({.where = look::any_deque, .spread = victim_spread::by_distance}, layout(), i);
  }
  list_slower_workers();
}

void crew::list_slower_workers() {
  for (std::uint32_t i = 0; i < rules_.ranks.size(); ++i) {
    auto& slower = worker_at(i).slower;
    for (std::uint32_t other = 0; other < worker_count(); ++other)
      if (rules_.ranks[other] < rules_.ranks[i]) slower.push_back(&worker_at(other));
    std::ranges::stable_sort(slower, {}, [&](const worker* one) { return layout().distance(i, one->index); });
  }
}

// --- calls from outside ---

bool crew::runs_caller() const noexcept {
  return detail::thread_mark() && &detail::this_fiber().runner->home == this;
}

void crew::require_this_process() const {
  if (!is_of_this_process())
    throw error(
        "nearfork: this runtime was started before fork(), and its workers exist only in the parent process; make a "
        "new "
        "nearfork::runtime in the child, or fork before the first use");
}

void crew::enter_from_outside() {
  require_this_process();
  if (!entrance_.try_enter())
    throw error(
        "nearfork: this runtime is at its end and takes no more calls: it is being destroyed, or the process exits; "
        "call "
        "run() before that");
  if (!visited_.load(seam::memory_order_relaxed) && !visited_.exchange(true, seam::memory_order_relaxed)) expect_end();
}

void crew::enter() {
  if (!runs_caller()) return enter_from_outside();
  require_this_process();
  entrance_.enter_beside();
}

crew::visit::visit(crew& home) : home_(home) {
  home.enter_from_outside();
}

/// Right after a call has returned, its worker may still be on its way to sleep.
bool crew::becomes_idle() const noexcept {
  constexpr std::uint64_t most_ns = 1'000'000'000;
  const std::uint64_t until = now_ns() + most_ns;
  do {
    const idle_counts now = lot_.approx_counts();
    if (now.searching() + now.sleeping() >= worker_count()) return true;
    seam::yield();
  } while (now_ns() < until);
  return false;
}

void crew::stop() noexcept {
  stopping_.store(true, seam::memory_order_relaxed);
  (void)lot_.should_notify();  // [P4]: workers that get sleepy from now on see stopping_ when they look again
  for (std::uint32_t i = 0; i < worker_count(); ++i) lot_.notify(i);
}

void crew::note_pin(const worker& self, os_index pu) noexcept {
  pins_[self.index] = pu;
}

void crew::follow(worker& self) const noexcept {
  if (!pins_waits()) return;
  fences_.enter(self);
  expect_overflows(self.watched());
  // A refusal was reported when the worker itself was bound.
  if (const auto pu = pins_[self.index]) (void)pin_this_thread(*pu);
}

// --- deputies ---

std::uint32_t crew::worker_at(os_index pu) const noexcept {
  const auto found = std::find(pins_.begin(), pins_.end(), std::optional(pu));
  return found == pins_.end() ? 0 : static_cast<std::uint32_t>(found - pins_.begin());
}

template <class Try>
worker* crew::take_place(const Try& try_it) noexcept {
  const std::uint32_t here = worker_at(calling_pu());
  if (try_it(here)) return workers_[here].get();
  worker* place = nullptr;
  (void)layout().try_near(here, [&](std::uint32_t index) {
    if (try_it(index)) place = workers_[index].get();
    return place != nullptr;
  });
  return place;
}

worker* crew::borrow_place() noexcept {
  if (lot_.approx_counts().sleeping() == 0) return nullptr;
  return take_place([this](std::uint32_t index) { return lot_.try_borrow(index); });
}

worker* crew::relieve_woken() noexcept {
  if (lot_.approx_counts().searching() == 0) return nullptr;
  return take_place([this](std::uint32_t index) { return lot_.try_relieve(index); });
}

bool crew::has_woken() const noexcept {
  if (lot_.approx_counts().searching() == 0) return false;
  for (std::uint32_t i = 0; i < worker_count(); ++i)
    if (lot_.is_woken(i)) return true;
  return false;
}

void crew::wake_deputy(std::uint32_t place) noexcept {
  (void)lot_.should_notify();  // [P4]: a deputy that gets sleepy from now on sees that its call is done
  lot_.notify(place);
}

void crew::pass_search_on(worker& place) noexcept {
  if (lot_.should_notify() && sees_work(place)) notify_one(place.index);
}

// --- wake-ups ---

void crew::call_watcher(const worker& self) noexcept {
  if (lot_.approx_counts().searching() == 0 && lot_.should_notify()) wake_one(self.index);
}

void crew::inject(job& root) {
  const visit now(*this);
  push_inside({.start = &root, .may_be_relieved = true}, 0);
}

bool crew::take_out_of_injector(const job& given) {
  return injector_.take_out([&](const work_item& one) { return one.start == &given; });
}

void crew::push_inside(work_item work, std::uint32_t nearest) {
  injector_.push(work);
  if (lot_.should_notify()) wake_one(nearest);  // [P4]
}

void crew::look_after_lanes() noexcept {
  if (lanes_.show_forgotten() && lot_.should_notify()) wake_one();  // [P4]
  if (spawners_.look()) wake_who_slept_on(lot_, *this);             // [K1]
}

void crew::push_in_domain_of(const worker& giver, work_item work) {
  domain_at(giver.domain).low.push(work);
  announce_in_pool(giver.domain);
}

void crew::hand_on_in_domain_of(const worker& giver, work_item work) noexcept {
  domain_at(giver.domain).low.push_surely(work);
  announce_in_pool(giver.domain);
}

bool crew::send(job& pushed, std::uint32_t to) noexcept {
  return send_task(*this, pushed, to);
}

bool crew::notify_mate(std::uint32_t index) noexcept {
  const auto mates = rules_.flow->workers_of(rules_.flow->node_of(index));
  return std::ranges::any_of(mates, [this](std::uint32_t mate) { return notify(mate); });
}

void crew::make_ready(fiber& waiting) noexcept {
  make_ready_in(*this, waiting);
}

void crew::ready_at_end(worker& ending, fiber& waiting) noexcept {
  crew& home = waiting.runner->home;
  if (&home == &ending.home) ending.resume_next = &waiting;
  else home.make_ready(waiting);
}

std::uint32_t crew::nearest_to(const fiber& waiting) const noexcept {
  return waiting.runner->index;
}

void crew::ask_everyone() noexcept {
  for (auto& one : workers_)
    if (fiber* const present = one->present.load(seam::memory_order_acquire)) present->jobs.request();
  (void)lanes_.any_of([](outside_lane& lane) {
    lane.jobs.request();
    return false;
  });
}

void crew::make_everyone_look() noexcept {
  for (auto& one : workers_)
    if (fiber* const present = one->present.load(seam::memory_order_acquire)) present->jobs.request_look();
}

bool crew::notify(std::uint32_t index, traces::wake_cause why) noexcept {
  if (!lot_.can_be_notified(index)) return false;  // before the clock: a push into a pool may come here for each worker
  worker_at(index).notified_at_ns.store(now_ns(), seam::memory_order_relaxed);
  worker* const waker = books_.trace != nullptr && runs_caller() ? detail::this_fiber().runner : nullptr;
  const std::uint64_t woken_at = waker != nullptr ? waker->ring->now() : 0;
  apart_.before_wake(worker_at(index).sleeper);
  if (!lot_.notify(index)) return false;
  // With the time before, because the other one may be awake by now.
  if (waker != nullptr)
    waker->ring->note_at(
        {.at = woken_at, .number = index, .kind = traces::event_kind::wakes, .detail = static_cast<std::uint8_t>(why)});
  return true;
}

void crew::wake_one(std::uint32_t nearest) noexcept {
  (void)layout().try_near(nearest, [this](std::uint32_t index) { return notify(index); });
}

void crew::notify_one_near_caller() noexcept {
  if (keeps_asleep()) return;
  const std::uint32_t here = worker_at(calling_pu());
  const bool woken = layout().try_near(here, [&](std::uint32_t index) { return index != here && notify(index); });
  if (!woken) (void)notify(here);
}

void crew::announce_in_pool(std::uint32_t domain) noexcept {
  const bool must_wake = lot_.should_notify() && !keeps_asleep();
  const bool woken = (must_wake || pools_have_conditions_) && notify_domain(domain);
  if (must_wake && !woken) wake_one(layout().head_of(domain));
}

/// Tries the head worker first: perhaps it alone may take.
bool crew::notify_domain(std::uint32_t domain) noexcept {
  const auto members = layout().workers_of(domain);
  return std::any_of(members.begin(), members.end(),
                     [this](std::uint32_t index) { return notify(index, traces::wake_cause::pool_work); });
}

void crew::note_pu(worker& self) noexcept {
  if (self.standing_in == nullptr) apart_.runs(self.sleeper);
}

/// Workers that were woken and are not up yet may have been put here, too.
void crew::make_room() noexcept {
  if (!has_idle_worker()) return;
  const std::uint32_t here = woken_apart::pu_of_caller();
  some_pus taken;
  taken.add(here);
  worker* beside = nullptr;
  for (const auto& one : workers_) {
    const std::uint32_t pu = woken_apart::pu_of(one->sleeper);
    if (lot_.is_woken(one->index)) apart_.before_wake(one->sleeper);
    else if (lot_.can_be_notified(one->index)) continue;
    else if (pu == here) beside = one.get();
    else if (is_in_task(one->index)) taken.add(pu);
  }
  if (beside != nullptr) (void)apart_.move_off(beside->sleeper, taken);
}

/// At the start of a process both workers of two PUs had been kept off that of `main`. In two of three processes they
/// shared the other one for 1 to 4 ms after `main` had begun to wait.
void crew::give_up_pu() noexcept {
  some_pus taken;
  worker* beside = nullptr;
  for (const auto& one : workers_) {
    const std::uint32_t pu = woken_apart::pu_of(one->sleeper);
    if (lot_.can_be_notified(one->index)) continue;
    if (taken.has(pu)) beside = one.get();
    taken.add(pu);
  }
  if (beside != nullptr) (void)apart_.move_off(beside->sleeper, taken);
}

searcher crew::searcher_for(const worker& self) noexcept {
  const domain_state& home = *domains_[self.domain];
  const bool planned = iterations_.planned.load(seam::memory_order_relaxed) > 0;
  return {.is_head = layout().is_head(self.index),
          .domain_busy = is_busy({.subtrees_in_progress = home.subtrees_in_progress.load(seam::memory_order_relaxed),
                                  .working = home.working.load(seam::memory_order_relaxed)}),
          .own_to_come = home.to_come.load(seam::memory_order_acquire) > 0,  // sees the push that was counted off
          .profiling = phase_now() == phase::profiling,
          .planned = planned,
          .would_sleep = self.would_sleep,
          .may_cross = planned && home.stays.load(seam::memory_order_relaxed) == 0 && home.high.looks_empty()};
}

bool crew::has_shared_work() noexcept {
  const auto has_jobs = [](const auto& one) {
    const fiber* const present = one->present.load(seam::memory_order_acquire);
    return present != nullptr && !present->jobs.looks_empty();
  };
  return !pools_look_empty() || std::ranges::any_of(workers_, has_jobs) ||
         lanes_.any_of([](const outside_lane& one) { return !one.jobs.looks_empty(); });
}

std::uint64_t crew::total(counter worker_counters::* which) const noexcept {
  std::uint64_t sum = 0;
  for (const auto& one : workers_) sum += (one->counters.*which).approx();
  return sum;
}

void crew::relieve(crew& relieved) noexcept {
  of_ = relieved.of_;
  relieved_ = &relieved;
  sanitizers::hand_over(&relieved.beside_);
  relieved.beside_.store(this, seam::memory_order_release);
}

void crew::wake_beside() noexcept {
  crew* const other = beside_.load(seam::memory_order_acquire);
  if (other == nullptr) return;
  sanitizers::take_over(&beside_);
  if (other->has_shared_work() && other->lot_.should_notify()) other->wake_one();
}

void crew::begin_work(worker& self) noexcept {
  note_pu(self);
  if (!pools_have_conditions_) return;
  self.working = true;
  domains_[self.domain]->working.fetch_add(1, seam::memory_order_relaxed);
}

// [P7] of parking.md: before should_notify()'s read-modify-write, which releases the count to workers that get sleepy
// later.
void crew::end_work(worker& self) noexcept {
  if (!std::exchange(self.working, false)) return;
  domain_state& home = *domains_[self.domain];
  const bool was_last = home.working.fetch_sub(1, seam::memory_order_relaxed) == 1;
  if (was_last && home.subtrees_in_progress.load(seam::memory_order_relaxed) > 0) announce_in_pool(self.domain);
}

}  // namespace nearfork
