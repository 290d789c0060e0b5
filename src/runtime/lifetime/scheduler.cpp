#include "runtime/lifetime/scheduler.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

#include <nearfork/error.hpp>

#include "base/process_number.hpp"
#include "runtime/fibers/stack_overflow.hpp"
#include "runtime/forks/measured_fork.hpp"
#include "runtime/malloc/malloced_blocks.hpp"
#include "runtime/worker_loop/worker_loop.hpp"
#include "runtime/workers/crews.hpp"

namespace nearfork {
namespace {

/// At most half of the workers or cores search; the others sleep until work was found. But two may search, if there are
/// two: one of them may be a deputy that is about to leave. When the other one then slept, the next call from outside
/// woke it: 100,000 doubles, again and again, took 40 to 75 us on two workers, and called in a worker 28.
std::uint32_t most_searching(const std::vector<worker_place>& places, const machine& where) {
  const auto all = static_cast<std::uint32_t>(std::min<std::size_t>(places.size(), where.suggested_workers()));
  return std::max(all / 2, std::min(all, 2U));
}

/// The trace is to have tasks that no worker takes from elsewhere: they are measured as in a recording.
bool traces_tasks(const config& settings) {
  return !settings.trace.empty() && settings.trace_tasks > 0;
}

/// The process's memory is that of the live machine.
bool is_memory_of(region_memory* memory, const machine& where) {
  return memory != nullptr ? memory->is_of(where) : where.source() == machine_source::live;
}

}  // namespace

bool is_uneven(const machine& where) {
  return where.domains().size() > 1 || where.nodes().size() > 1 || where.core_kinds().size() > 1;
}

scheduler::scheduler(const config& settings, std::shared_ptr<const machine> where, std::unique_ptr<policy> how,
                     std::shared_ptr<const miss_counting> counting, region_memory* memory, const power_system& power,
                     std::shared_ptr<hotness> heat, buffer_pools* buffers, std::shared_ptr<const stall_counting> stalls)
    : settings_(settings),
      machine_(std::move(where)),
      policy_(std::move(how)),
      counting_(std::move(counting)),
      stall_counting_(std::move(stalls)),
      scheduled_(seen_by(policy_->needs(), machine_)),
      places_(place_workers(*scheduled_, settings.workers)),
      planned_for_(planned_part(scheduled_, places_)),
      trace_(settings.trace.empty()
                 ? nullptr
                 : std::make_unique<run_trace>(settings, static_cast<std::uint32_t>(places_.size()))),
      power_(take_power(power)),
      flow_(take_flow(buffers)),
      crew_(crew_rules()),
      strictness_(settings.strict),
      data_(memory, *planned_for_, is_memory_of(memory, *machine_), settings.move_bytes,
            is_policy_named(settings, *policy_) ? wanted_by::named_policy : wanted_by::default_policy),
      heat_(take_hotness(std::move(heat))),
      regions_(*planned_for_, *policy_, settings.profile_tasks, data_, crew_.iterations(), power_->for_regions(),
               heat_),
      recorder_(settings.record.empty() && !traces_tasks(settings)
                    ? nullptr
                    : std::make_unique<graph_recorder>(settings, crew_.worker_count(), &detail::calibrate)),
      sight_(take_sight(memory)),
      placements_(crew_.worker_count()) {
  detail::know_first_recorder();
  malloced.offer(settings_);
  if (malloced.are_placed()) malloced_blocks::know(*machine_);
  crew_.books() = {.regions = &regions_, .recorder = recorder_.get(), .sight = sight_.get()};
  crew_.have_relief(relief_, &relief::look_for_sleepers);
  start_tracing();
  note_missing_facts();
  try_out_flow();
  install_overflow_handler();
  start_threads();
  check_bindings();
  enlist(crew_);
}

scheduler::~scheduler() {
  strike_off(crew_);
  stop();
  if (region_memory* const memory = data_.memory()) memory->give_back_kept();
}

crew::rules scheduler::crew_rules() const {
  return {.layout = layout_of(*machine_, places_),
          .orders = {policy_->order(*planned_for_, phase::running), policy_->order(*planned_for_, phase::profiling)},
          .most_searching = most_searching(places_, *machine_),
          .fills_cores = places_.size() >= machine_->suggested_workers(),
          .spin_ns = std::uint64_t{settings_.spin_us} * 1000,
          .poll_ns = std::uint64_t{settings_.mpi_poll_us} * 1000,
          .seed = settings_.seed,
          .stack_bytes = settings_.stack_bytes,
          .by = settings_.pin_waits ? carriers::own_threads : carriers::workers,
          .entry = &fiber_main,
          .binds_callers = is_uneven(*machine_) || settings_.power == power_use::manage,
          .counting = counting_.get(),
          .clocks = power_->clocks(),
          .flow = flow_.get(),
          .mailbox_tasks = settings_.mailbox_tasks,
          .ranks = policy_->mugs() ? ranks_of(*machine_, places_) : std::vector<int>{}};
}

/// Before the first worker starts.
void scheduler::start_tracing() {
  if (trace_ == nullptr) return;
  crew_.books().trace = &trace_->rings();
  for (std::uint32_t i = 0; i < crew_.worker_count(); ++i) {
    crew_.worker_at(i).ring = &trace_->rings().of(i);
    crew_.worker_at(i).task_sampling = settings_.trace_tasks;
  }
  trace_clocks();
  if (auto fact = trace_->shortfall()) degrade(std::move(*fact));
}

/// By the worker, once it is bound or not.
void scheduler::describe_in_trace(const worker& self) {
  if (trace_ == nullptr) return;
  const auto pu = crew_.pin_of(self);
  trace_->rings().describe(self.index, {.domain = self.domain,
                                        .node = traces::node_of_domain(*planned_for_, self.domain),
                                        .os_pu = pu ? std::optional(number_of(*pu)) : std::nullopt,
                                        .thread = static_cast<std::uint32_t>(thread_number())});
}

/// By the worker, before its first task. A trace has no better place for what cannot be counted than the report.
void scheduler::count_stalls(worker& self) {
  if (trace_ == nullptr) return;
  stall_opening opened;
  if (settings_.pin_waits)
    opened.refused = {"under pin_waits each task tree has a thread of its own, and a counter counts for one thread",
                      "set NEARFORK_PIN_WAITS=off"};
  else opened = stall_counting_->open_for_this_thread();
  {
    const std::lock_guard lock(facts_mutex_);
    stalls_.event = opened.event;
    if (opened.counter == nullptr) stalls_ = {opened.event, opened.refused.why, opened.refused.remedy};
  }
  if (opened.counter == nullptr) return;
  self.stalls.begin(std::move(opened.counter),
                    trace_->rings().number_of(std::string(traces::stalls_of_worker) + std::to_string(self.index)));
}

void scheduler::start_threads() {
  if (settings_.pin == pinning::automatic && !settings_.pin_waits && !why_unbound().empty())
    crew_.apart().open(crew_.worker_count());
  try {
    for (std::uint32_t i = 0; i < crew_.worker_count(); ++i) {
      worker& one = crew_.worker_at(i);
      one.thread = std::thread([this, &one] { thread_main(one); });
    }
  } catch (const std::system_error& refused) {
    stop();
    throw error(
        "nearfork: cannot start " + std::to_string(crew_.worker_count()) + " worker threads: " + refused.what() +
        "; raise the limit of processes (ulimit -u) or of address space (ulimit -v), or set NEARFORK_WORKERS lower");
  }
  started_.wait_for(crew_.worker_count());
  if (!start_failure_.empty()) {
    stop();
    throw error(start_failure_);
  }
}

void scheduler::thread_main(worker& self) noexcept {
  pin(self);
  crew_.apart().starts(self.sleeper);
  describe_in_trace(self);
  count_stalls(self);
  crew_.fences().enter(self);
  const overflow_stack for_handler;
  expect_overflows(self.watched());
  adopt_thread_stack(self.thread_stack, settings_.pin_waits ? carriers::own_threads : carriers::workers);
  fiber* const first = crew_.take_spare(self);
  if (first == nullptr) {
    const std::lock_guard lock(facts_mutex_);
    start_failure_ = "nearfork: no memory for the stack of worker " + std::to_string(self.index) +
                     "; allow more address space (ulimit -v) or set NEARFORK_STACK_BYTES lower";
  }
  started_.arrive();
  if (first == nullptr) return;
  first->runner = &self;
  self.note({.subject = reinterpret_cast<std::uintptr_t>(first), .kind = traces::event_kind::switches});
  self.present.store(first, seam::memory_order_release);
  mark_worker_thread(crew_.fibers().stacks().span_bytes());
  switch_context(self.thread_stack, *first->context);
  detail::inside_worker = detail::outside;
  self.note_stalls();
  owner_fence::leave(self);
  release_thread_stack(self.thread_stack);
}

void scheduler::stop() noexcept {
  if (scheduler* const relieving = further()) relieving->stop();
  crew_.polling().stop();
  crew_.lane_watcher().stop();
  crew_.stop();
  for (std::uint32_t i = 0; i < crew_.worker_count(); ++i)
    if (std::thread& thread = crew_.worker_at(i).thread; thread.joinable()) thread.join();
}

bool scheduler::try_end() noexcept {
  door& entrance = crew_.entrance();
  scheduler* const relieving = further();
  // Who made tasks and did not wait yet may still do so: a group or a graph that is a static object.
  if (crew_.runs_caller() || !entrance.looks_empty() || !crew_.becomes_idle() || crew_.has_unwaited_calls() ||
      (relieving != nullptr && !relieving->try_end()) || !entrance.close_if_empty())
    return false;
  stop();
  return true;
}

}  // namespace nearfork
