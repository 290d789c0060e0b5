// A scheduler from its start to its end; what workers call while it runs is in scheduler_wakeups.cpp.
#include "runtime/lifetime/scheduler.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

#include <nearfork/error.hpp>

#include "base/monotonic_clock.hpp"
#include "runtime/fibers/stack_overflow.hpp"
#include "runtime/lifetime/process.hpp"
#include "runtime/lifetime/process_end.hpp"
#include "runtime/lifetime/schedulers.hpp"
#include "runtime/workers/switching.hpp"

namespace nearfork {
namespace {

/// At least one worker searches when anybody does; beyond that half of the cores may, the others sleep until
/// something was found.
std::uint32_t most_searching(const std::vector<worker_place>& places, const machine& where) {
  return static_cast<std::uint32_t>(std::min<std::size_t>(places.size(), where.suggested_workers()) / 2);
}

/// The process's memory is that of the machine which runs us.
bool is_memory_of(region_memory* memory, const machine& where) {
  return memory != nullptr ? memory->is_of(where) : where.source() == machine_source::live;
}

}  // namespace

scheduler::scheduler(const config& settings, std::shared_ptr<const machine> where, std::unique_ptr<policy> how,
                     std::shared_ptr<const miss_counting> counting, region_memory* memory)
    : settings_(settings),
      process_(process_number()),
      machine_(std::move(where)),
      policy_(std::move(how)),
      counting_(std::move(counting)),
      scheduled_(seen_by(policy_->needs(), machine_)),
      places_(place_workers(*scheduled_, settings.workers)),
      planned_for_(planned_part(scheduled_, places_)),
      orders_{policy_->order(*planned_for_, phase::running), policy_->order(*planned_for_, phase::profiling)},
      layout_(layout_of(*machine_, places_)),
      lot_(static_cast<std::uint32_t>(places_.size()), most_searching(places_, *machine_)),
      carriers_(settings.pin_waits ? carriers::own_threads : carriers::workers),
      stacks_(settings.stack_bytes),
      strictness_(settings.strict),
      data_(memory, *planned_for_, is_memory_of(memory, *machine_), settings.move_bytes),
      regions_(*planned_for_, *policy_, settings.profile_tasks, data_),
      recorder_(settings.record.empty() ? nullptr : std::make_unique<graph_recorder>(settings, layout_.workers())),
      pools_have_conditions_(std::any_of(orders_.begin(), orders_.end(), pools_have_conditions)),
      spin_ns_(std::uint64_t{settings.spin_us} * 1000) {
  note_missing_facts();
  make_workers();
  install_overflow_handler();
  start_threads();
  enlist(*this);
}

scheduler::~scheduler() {
  strike_off(*this);
  stop();
  if (region_memory* const memory = data_.memory()) memory->give_back_kept();
  for (fiber* const gone : fibers_)
    if (gone->context != nullptr) take_context(*gone);  // none: its pages were given back
}

void scheduler::make_workers() {
  for (std::uint32_t i = 0; i < layout_.domains(); ++i) domains_.push_back(std::make_unique<domain_state>());
  for (std::uint32_t i = 0; i < layout_.workers(); ++i) {
    workers_.push_back(std::make_unique<worker>(*this, i, layout_.domain_of(i), rng::for_stream(settings_.seed, i)));
    for (std::size_t now = 0; now < phases; ++now)
      for (const search_step& step : orders_[now].steps())
        workers_.back()->asks[now].push_back(victims_of(step, layout_, i));
  }
  placements_.resize(workers_.size());
  is_pinned_.resize(workers_.size());
}

void scheduler::start_threads() {
  try {
    for (auto& one : workers_) one->thread = std::thread([this, &one] { thread_main(*one); });
  } catch (const std::system_error& refused) {
    stop();
    throw error("nearfork: cannot start " + std::to_string(workers_.size()) + " worker threads: " + refused.what() +
                "; set NEARFORK_WORKERS lower, or raise the limit of processes (ulimit -u)");
  }
  started_.wait_for(worker_count());
  if (!start_failure_.empty()) {
    stop();
    throw error(start_failure_);
  }
}

void scheduler::thread_main(worker& self) noexcept {
  pin(self);
  const overflow_stack for_handler;
  expect_overflows_of(self);
  adopt_thread_stack(self.thread_stack, carriers_);
  fiber* const first = take_spare(self);
  if (first == nullptr) {
    const std::lock_guard lock(facts_mutex_);
    start_failure_ = "nearfork: no memory for the stack of worker " + std::to_string(self.index) +
                     "; allow more address space (ulimit -v) or set NEARFORK_STACK_BYTES lower";
  }
  started_.arrive();
  if (first == nullptr) return;
  mark_worker_thread(stacks_.span_bytes());
  watch_for_exit_in_tasks();
  first->runner = &self;
  self.present.store(first, seam::memory_order_release);
  switch_context(self.thread_stack, *first->context);
  detail::inside_worker = detail::outside;
}

void scheduler::stop() noexcept {
  stopping_.store(true, seam::memory_order_relaxed);
  (void)lot_.should_notify();  // [P4]: who gets sleepy from now on sees stopping_ when it looks once more
  for (std::uint32_t i = 0; i < worker_count(); ++i) lot_.notify(i);
  for (auto& one : workers_)
    if (one->thread.joinable()) one->thread.join();
}

// --- its end ---

bool scheduler::is_of_this_process() const noexcept {
  return process_number() == process_;
}

bool scheduler::runs_caller() const noexcept {
  return detail::inside_worker && &detail::this_fiber().runner->home == this;
}

scheduler::visit::visit(scheduler& home) : home_(home) {
  if (!home.is_of_this_process())
    throw error(
        "nearfork: this runtime was started before fork(), and its workers exist only in the parent process; make a "
        "new "
        "nearfork::runtime in the child, or fork before the first use");
  if (!home.door_.try_enter())
    throw error(
        "nearfork: this runtime is at its end and takes no more calls: it is being destroyed, or the process exits; "
        "call "
        "run() before that");
  if (!home.visited_.load(seam::memory_order_relaxed) && !home.visited_.exchange(true, seam::memory_order_relaxed))
    expect_end();
}

/// Right after a call has returned, its worker may still be on its way to sleep.
bool scheduler::becomes_idle() const noexcept {
  constexpr std::uint64_t most_ns = 1'000'000'000;
  const std::uint64_t until = now_ns() + most_ns;
  do {
    const idle_counts now = lot_.approx_counts();
    if (now.searching() + now.sleeping() >= worker_count()) return true;
    seam::yield();
  } while (now_ns() < until);
  return false;
}

bool scheduler::try_end() noexcept {
  if (runs_caller() || !door_.looks_empty() || !becomes_idle() || !door_.close_if_empty()) return false;
  stop();
  return true;
}

}  // namespace nearfork
