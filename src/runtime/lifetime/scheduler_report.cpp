// What the workers counted, as a run report.
#include <string>
#include <utility>
#include <vector>

#include "base/text/message_text.hpp"
#include "machine/live/pinning.hpp"
#include "runtime/fibers/fiber_context.hpp"
#include "runtime/lifetime/scheduler.hpp"
#include "runtime/malloc/malloced_blocks.hpp"

namespace nearfork {
namespace {

/// One kind of latency over all workers.
class latency_sum {
 public:
  void add(const latency_record& of_worker) {
    of_worker.add_to(all_);
    highest_ns_ = std::max(highest_ns_, of_worker.approx_highest_ns());
  }
  [[nodiscard]] latency_report report() const {
    latency_report made;
    made.count = all_.total();
    made.median_ns = std::min(all_.quantile(0.5), highest_ns_);
    made.p99_ns = std::min(all_.quantile(0.99), highest_ns_);
    made.highest_ns = highest_ns_;
    for (std::size_t i = 0; i < histogram_bucket::count; ++i)
      if (all_.in_bucket(i) != 0)
        made.buckets.push_back({histogram_bucket::lowest(i), histogram_bucket::highest(i) + 1, all_.in_bucket(i)});
    return made;
  }

 private:
  histogram all_;
  std::uint64_t highest_ns_ = 0;
};

}  // namespace

run_report scheduler::report() const {
  run_report made;
  made.name = settings_.name;
  made.policy = policy_->name();
  made.policy_source = settings_.source_of("policy");
  made.machine = machine_->summary();
  made.machine_source = machine_->provenance();
  made.domains = crew_.layout().domains();
  made.domains_are_cores = made.domains > machine_->domains().size();
  add_counters(made);
  add_fibers(made);
  made.regions = regions_.report();
  const std::lock_guard lock(facts_mutex_);
  made.degradations = degradations_;
  add_relief(made);
  add_workers(made);
  made.stalls = stalls_;
  add_memory(made);
  if (sight_ != nullptr) made.places = sight_->report(data_.memory());
  add_flow(made);
  made.power.mode = settings_.text_of("power");
  power_->add_to(made);
  add_uncounted(made);
  add_hotness(made);
  add_lost_iterations(made);
  add_lost_events(made);
  return made;
}

void scheduler::add_lost_iterations(run_report& into) const {
  if (const std::uint64_t lost = recorder_ != nullptr ? recorder_->left_out() : 0; lost > 0)
    into.degradations.push_back({.what = std::to_string(lost) + " iterations are not recorded",
                                 .where = settings_.record,
                                 .why = "they found no room, threw, or left tasks of a group behind",
                                 .remedy = "set NEARFORK_RECORD_TASKS higher, or NEARFORK_RECORD_ITERATIONS=one"});
}

void scheduler::add_lost_events(run_report& into) const {
  if (trace_ == nullptr) return;
  if (auto fact = trace_->lost()) into.degradations.push_back(std::move(*fact));
}

/// Sources that were refused, unless another one is left; and those that cost too much.
void scheduler::add_hotness(run_report& into) const {
  if (heat_ == nullptr) return;
  const bool is_told = heat_->can_watch();
  for (refused_source& one : heat_->refused()) {
    if (is_told && !one.is_too_dear) continue;
    into.degradations.push_back(
        {.what = one.is_too_dear ? "hot data are not looked for any more" : "hot data are not known, so none move",
         .where = "source " + one.source,
         .why = std::move(one.why.why),
         .remedy = std::move(one.why.remedy)});
  }
}

/// Only if the policy asks for sizes.
void scheduler::add_uncounted(run_report& into) const {
  if (!policy_->needs().task_sizes) return;
  for (const uncounted_misses::entry& one : crew_.uncounted().all())
    into.degradations.push_back({.what = "cache misses are not counted",
                                 .where = one.who,
                                 .why = one.refused.why,
                                 .remedy = one.refused.remedy});
}

/// Where workers were pinned, and which have lost their pin; the latter is checked for each report.
void scheduler::add_workers(run_report& into) const {
  into.workers = placements_;
  for (worker_report& one : into.workers) one.stalled_ns = crew_.worker_at(one.index).stalls.approx_ns();
  for (worker_report& one : into.workers) {
    if (!one.os_pu || !has_lost_its_pin(crew_.worker_at(one.index).thread, os_index{*one.os_pu})) continue;
    const std::string pu = "PU " + std::to_string(*one.os_pu);
    one.os_pu.reset();
    one.pin_note = "no longer bound to " + pu;
    into.degradations.push_back(
        {.what = "worker is no longer pinned",
         .where = "worker " + std::to_string(one.index) + ", " + pu,
         .why = "the binding was lifted: the PU was taken offline, or another program, or a task, changed it",
         .remedy = "leave the PU online and the workers' affinity alone, and start a new runtime"});
  }
}

/// The process has one memory: a runtime reports those shortfalls that occurred while it lived. A runtime with a memory
/// of its own reports all.
void scheduler::add_memory(run_report& into) const {
  const auto add = [&](std::vector<memory_shortfall> all) {
    for (memory_shortfall& one : all)
      if (data_.has_own_memory() || shortfalls_.tells(one))
        into.degradations.push_back(
            {std::move(one.what), std::move(one.where), std::move(one.why), std::move(one.remedy)});
  };
  region_memory* const memory = data_.memory();
  if (machine_->source() != machine_source::live && (memory == nullptr || !memory->is_of(*machine_)))
    into.memory.note = "the machine is described: nothing is bound to its nodes, which this machine does not have";
  if (memory != nullptr) {
    const memory_totals sum = memory->totals();
    into.memory.blocks_made = sum.blocks_made;
    into.memory.blocks_reused = sum.blocks_reused;
    into.memory.kept_bytes = sum.kept_bytes;
    into.memory.blocks = sum.blocks;
    into.memory.bytes = sum.bytes;
    into.memory.moved_bytes = sum.moved_bytes;
    into.memory.stuck_bytes = sum.stuck_bytes;
    into.memory.malloc_blocks = malloced.totals().blocks;
    into.memory.malloc_bytes = malloced.totals().bytes;
    add(memory->shortfalls());
  }
  if (const std::uint64_t refused = malloced.totals().refused; refused > 0)
    into.degradations.push_back({.what = "blocks of malloc are not placed",
                                 .where = counted(refused, "block"),
                                 .why = "the system had no memory or mappings for them, or there were " +
                                        std::to_string(malloced_blocks::most_living) + " already",
                                 .remedy = "set NEARFORK_MALLOC_FROM higher, so that fewer and larger ones are placed; "
                                           "see ulimit -v and vm.max_map_count"});
  if (malloced.are_of_another())
    into.degradations.push_back({.what = "blocks of malloc do not follow this runtime's plans",
                                 .where = "libnearfork-malloc.so",
                                 .why = "another copy of nearfork in this process places them, or the library is of "
                                        "another version than this nearfork",
                                 .remedy = "link the program and its libraries with one libnearfork.so, and take the "
                                           "libnearfork-malloc.so that was installed with it"});
  if (const auto of_pools = used_memory.of_pools.load(seam::memory_order_acquire)) add(of_pools());
}

void scheduler::add_counters(run_report& into) const {
  latency_sum steals;
  latency_sum wakes;
  for (std::uint32_t index = 0; index < crew_.worker_count(); ++index) {
    const worker& one = crew_.worker_at(index);
    const worker_counters& counted = one.counters;
    for (std::size_t i = 0; i < steal_distances; ++i) into.steals[i] += counted.steals[i].approx();
    into.failed_steals += counted.failed_steals.approx();
    into.mugs += counted.mugs.approx();
    into.forced += counted.forced.approx();
    into.parks += counted.parks.approx();
    into.publications += counted.publications.approx();
    into.pool_tasks += counted.pool_items.approx();
    into.roots += counted.roots.approx();
    into.roots_on_callers += counted.on_callers.approx();
    into.suspensions += counted.suspensions.approx();
    into.waits_in_place += counted.waits_in_place.approx();
    steals.add(one.steal_latency);
    wakes.add(one.wake_latency);
  }
  into.steal_latency = steals.report();
  into.wake_latency = wakes.report();
  into.wake_ups = into.wake_latency.count;
}

void scheduler::add_fibers(run_report& into) const {
  const stack_arena::census fibers = crew_.fibers().stacks().counts();
  into.fibers_made = fibers.made;
  into.fibers_small_guard = fibers.small_guard;
  into.fibers_unguarded = fibers.unguarded;
  if (fibers.unguarded > 0)
    into.degradations.push_back(
        {.what = "stack without guard",
         .where = std::to_string(fibers.unguarded) + " of " + std::to_string(fibers.made) + " stacks",
         .why = "the process has as many mappings as it may have, and this kernel marks no pages as guards",
         .remedy = "take Linux 6.13 or newer, raise vm.max_map_count, or let fewer joins wait at once"});
  into.fibers_peak_live = into.fibers_made;  // fibers are reused and never unmade
  into.peak_stack_bytes = crew_.fibers().stacks().peak_bytes();
}

void scheduler::degrade(degradation fact) {
  const std::lock_guard lock(facts_mutex_);
  degradations_.push_back(std::move(fact));
}

}  // namespace nearfork
