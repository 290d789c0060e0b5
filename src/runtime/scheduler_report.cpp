// What the workers counted, as a run report.
#include <string>
#include <utility>

#include "base/message_text.hpp"
#include "memory/small_block_facts.hpp"
#include "runtime/fiber_context.hpp"
#include "runtime/scheduler.hpp"

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

void add_small_blocks(run_report& into, const node_pool_facts& node) {
  const std::string where = "node " + std::to_string(index_of_id(node.node));
  if (node.blocks_elsewhere > 0)
    into.degradations.push_back({.what = std::to_string(node.blocks_elsewhere) + " small blocks lie on another node",
                                 .where = where,
                                 .why = "it has no room: " + with_number(node.refusal_errno),
                                 .remedy = "free memory there, or spread the data"});
  if (node.first_touch > 0)
    into.degradations.push_back(
        {.what = "pages of small blocks are not bound, but left to first touch",
         .where = where,
         .why = with_number(node.binding_errno),
         .remedy = "containers forbid mbind: allow CAP_SYS_NICE, or a seccomp profile with mbind"});
}

}  // namespace

run_report scheduler::report() const {
  run_report made;
  made.name = settings_.name;
  made.policy = policy_->name();
  made.policy_source = settings_.source_of("policy");
  made.machine = machine_->summary();
  made.machine_source = machine_->provenance();
  made.domains = layout_.domains();
  add_counters(made);
  add_fibers(made);
  made.regions = regions_.report();
  const std::lock_guard lock(facts_mutex_);
  made.workers = placements_;
  made.degradations = degradations_;
  add_memory(made);
  if (const std::uint64_t lost = recorder_ != nullptr ? recorder_->left_out() : 0; lost > 0)
    made.degradations.push_back({.what = std::to_string(lost) + " iterations are not recorded",
                                 .where = settings_.record,
                                 .why = "they found no room, threw, or left tasks of a group behind",
                                 .remedy = "set NEARFORK_RECORD_TASKS higher, or NEARFORK_RECORD_ITERATIONS=one"});
  return made;
}

/// The process has one memory, whose shortfalls are told by each of its runtimes.
void scheduler::add_memory(run_report& into) const {
  const memory_totals sum = memory_.totals();
  into.memory = {.blocks_made = sum.blocks_made,
                 .blocks_reused = sum.blocks_reused,
                 .kept_bytes = sum.kept_bytes,
                 .blocks = sum.blocks,
                 .bytes = sum.bytes,
                 .moved_bytes = sum.moved_bytes,
                 .stuck_bytes = sum.stuck_bytes};
  if (machine_->source() != machine_source::live && !memory_.is_of(*machine_))
    into.memory.note = "the machine is described: nothing is bound to its nodes, which this machine does not have";
  for (memory_shortfall& one : memory_.shortfalls())
    into.degradations.push_back({std::move(one.what), std::move(one.where), std::move(one.why), std::move(one.remedy)});
  for (const node_pool_facts& one : small_block_facts()) add_small_blocks(into, one);
}

void scheduler::add_counters(run_report& into) const {
  latency_sum steals;
  latency_sum wakes;
  for (const auto& one : workers_) {
    const worker_counters& counted = one->counters;
    for (std::size_t i = 0; i < steal_distances; ++i) into.steals[i] += counted.steals[i].approx();
    into.failed_steals += counted.failed_steals.approx();
    into.parks += counted.parks.approx();
    into.publications += counted.publications.approx();
    into.pool_tasks += counted.pool_items.approx();
    into.roots += counted.roots.approx();
    into.suspensions += counted.suspensions.approx();
    into.waits_in_place += counted.waits_in_place.approx();
    steals.add(one->steal_latency);
    wakes.add(one->wake_latency);
  }
  into.steal_latency = steals.report();
  into.wake_latency = wakes.report();
  into.wake_ups = into.wake_latency.count;
}

void scheduler::add_fibers(run_report& into) const {
  into.fibers_made = stacks_.made();
  into.fibers_unguarded = stacks_.unguarded();
  into.fibers_peak_live = into.fibers_made;  // fibers are reused and never unmade
  into.peak_stack_bytes = stacks_.peak_bytes();
}

void scheduler::degrade(degradation fact) {
  const std::lock_guard lock(facts_mutex_);
  degradations_.push_back(std::move(fact));
}

}  // namespace nearfork
