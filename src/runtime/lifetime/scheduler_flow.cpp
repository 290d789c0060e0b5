// What dataflow graphs need of a runtime on machines with several memory nodes, and what the report says of it.
#include "base/text/message_text.hpp"
#include "memory/pools/buffer_pools.hpp"
#include "runtime/lifetime/scheduler.hpp"

namespace nearfork {

/// The nodes of a described machine are not real: its tasks are pushed, and its buffers are the heap's.
std::unique_ptr<flow_nodes> scheduler::take_flow(buffer_pools* given) const {
  const worker_layout layout = layout_of(*machine_, places_);
  if (!flow_nodes::are_several(*planned_for_, layout)) return nullptr;
  if (given == nullptr && machine_->source() == machine_source::live) given = &process_buffer_pools();
  return std::make_unique<flow_nodes>(settings_, *planned_for_, layout, given);
}

/// Asks for a page whose node must be known, so that strict mode can refuse at the start. Of the default options the
/// report says the same in another place: they are content with what there is.
void scheduler::try_out_flow() {
  if (flow_ == nullptr || flow_->memory() == nullptr || settings_.push == push_by::none) return;
  (void)flow_->node_at(this);
  if (!flow_->is_named()) return;
  if (const int refused = flow_->query_refused(); refused != 0)
    degrade({.what = "dataflow tasks are not pushed to the program's own memory, whose nodes are not known",
             .where = "this process",
             .why = "move_pages: " + with_number(refused),
             .remedy = "allow move_pages in the sandbox's seccomp profile (nearfork doctor), or use buffers of the "
                       "graph"});
  if (!flow_->distances_missing().empty())
    degrade({.what = "distances of memory nodes are taken as 10, 15 in the package and 20 beyond",
             .where = "option push",
             .why = flow_->distances_missing(),
             .remedy = "make /sys/devices/system/node readable"});
}

void scheduler::add_flow(run_report& into) const {
  if (flow_ == nullptr) return;
  const flow_counts& counts = flow_->counts();
  dataflow_report& made = into.dataflow;
  made.push = settings_.text_of("push");
  made.alloc = settings_.text_of("alloc");
  made.pushed = counts.pushed.load(seam::memory_order_relaxed);
  made.stayed = counts.stayed.load(seam::memory_order_relaxed);
  made.mailbox_full = counts.full.load(seam::memory_order_relaxed);
  made.local_bytes = counts.local_bytes.load(seam::memory_order_relaxed);
  made.remote_bytes = counts.remote_bytes.load(seam::memory_order_relaxed);
  made.unknown_bytes = counts.unknown_bytes.load(seam::memory_order_relaxed);
  for (std::uint32_t index = 0; index < crew_.worker_count(); ++index) {
    made.robbed += crew_.worker_at(index).counters.robbed.approx();
    made.robbed_far += crew_.worker_at(index).counters.robbed_far.approx();
    into.pool_tasks += crew_.worker_at(index).counters.mail.approx() + crew_.worker_at(index).counters.robbed.approx();
  }
  if (!flow_->is_named()) {
    if (flow_->query_refused() != 0) made.note = "move_pages: " + with_number(flow_->query_refused());
    if (!flow_->distances_missing().empty())
      made.note += (made.note.empty() ? "" : "; ") + ("distances of nodes: " + flow_->distances_missing());
  }
  if (buffer_pools* const pools = flow_->memory()) {
    made.buffers_at_most = pools->most_blocks();
    for (memory_shortfall& one : pools->shortfalls(*machine_))
      if (shortfalls_.tells(one))
        into.degradations.push_back(
            {std::move(one.what), std::move(one.where), std::move(one.why), std::move(one.remedy)});
  }
}

}  // namespace nearfork
