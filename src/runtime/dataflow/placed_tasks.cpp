// The part of a graph's engine for machines with several memory nodes: tasks with much data are placed when their last
// input is written (Drebes et al., PACT 2016, Algorithm 1). Tasks with little data, and those whose data lie nowhere
// yet, are run by any worker, as on other machines.
#include <algorithm>
#include <new>
#include <utility>

#include <nearfork/detail/fiber.hpp>

#include "base/sanitizer_calls.hpp"
#include "runtime/dataflow/dataflow_engine.hpp"
#include "runtime/webs/buffer_memory.hpp"

namespace nearfork::detail {

bool dataflow_engine::has_record(std::span<const access> accesses) const noexcept {
  if (accesses.empty() || accesses.size() > flow_record::most_accesses) return false;
  std::uint64_t sum = 0;
  for (const access& each : accesses) {
    if (each.parts().weak) return false;  // its nested tasks are placed
    sum += bytes_of(each.parts());
  }
  return sum >= nodes_->rules().threshold_bytes;
}

std::size_t dataflow_engine::block_with_record(std::size_t bytes, std::span<const access> accesses) const noexcept {
  return has_record(accesses) ? flow_record::block_bytes(bytes, accesses.size()) : bytes;
}

/// Makes the record, if there is one; takes the memory of the task's inputs, if alloc is immediate. Throws as
/// take_memory_on(); then no task is added.
void dataflow_engine::place_at_creation(dataflow_task& made, std::span<const access> accesses) {
  if (has_record(accesses)) {
    made.flow_accesses = static_cast<std::uint16_t>(accesses.size());
    std::byte* const at = reinterpret_cast<std::byte*>(&made) + flow_record::offset(made.kind->bytes);
    auto* next = reinterpret_cast<flow_access*>(::new (at) flow_record(kind_of<&execute_placed>, *this, made) + 1);
    for (const access& each : accesses) {
      const access_parts& what = each.parts();
      const std::size_t pieces = std::min(what.pieces, flow_access::most_pieces);
      ::new (next++) flow_access{.begin = what.buffer == nullptr ? what.data : nullptr,
                                 .bytes = bytes_of(what),
                                 .buffer = what.buffer,
                                 .stride_bytes = pieces == 0 ? 0 : what.pieces / pieces * what.stride_bytes,
                                 .pieces = static_cast<std::uint32_t>(pieces),
                                 .writes = what.kind != access_kind::read};
    }
  }
  if (nodes_->allocation() != buffer_allocation::immediate) return;
  try {
    for (const access& each : accesses)
      if (buffer_state* const read = each.parts().buffer; read != nullptr && each.parts().kind == access_kind::read)
        take_memory_on(*read, *nodes_, own_node());
  } catch (...) {
    if (made.kind->drop != nullptr) made.kind->drop(made);
    throw;
  }
}

/// Of the worker that calls; of an outside thread, that of the first worker.
node_id dataflow_engine::own_node() const noexcept {
  return nodes_->node_of(home_.runs_caller() ? this_fiber().runner->index : 0);
}

bool dataflow_engine::has_mail_to_read() const noexcept {
  return nodes_ != nullptr && home_.runs_caller() && !this_fiber().runner->pushed.looks_empty();
}

/// Under the lock. Each of them counts as a call from now on.
dataflow_task* dataflow_engine::take_activated() noexcept {
  if (nodes_ == nullptr) return nullptr;
  std::uint32_t count = 0;
  dataflow_task* const first = web_.take_activated(count);
  calls_ += count;
  return first;
}

/// Sends each task where it shall run. Returns one that the caller runs next, if it may; nullptr: none is left.
dataflow_task* dataflow_engine::activate(dataflow_task* first, bool may_run_one) noexcept {
  const bool is_worker = home_.runs_caller();
  const node_id own = own_node();
  rng outside = rng::for_stream(reinterpret_cast<std::uintptr_t>(first), reinterpret_cast<std::uintptr_t>(this));
  rng& random = is_worker ? this_fiber().runner->random : outside;
  dataflow_task* mine = nullptr;
  while (first != nullptr) {
    dataflow_task& one = *std::exchange(first, first->next);
    flow_record& record = flow_record::of(one);
    const activation where = places_->choose(record, own, random);
    flow_counts& counts = nodes_->counts();
    (where.push_to ? counts.pushed : counts.stayed).fetch_add(1, seam::memory_order_relaxed);
    if (where.push_to) {
      if (send_to(*where.push_to, record, random)) continue;
      counts.full.fetch_add(1, seam::memory_order_relaxed);
    }
    if (where.is_placed && may_run_one && mine == nullptr) mine = &one;
    else if (!where.is_placed || !keep_near(record)) put_back(one);
  }
  return mine;
}

/// To a random worker of the node. False: its mailbox is full, or the runtime ends.
bool dataflow_engine::send_to(node_id node, flow_record& pushed, rng& random) noexcept {
  const auto workers = nodes_->workers_of(node);
  if (workers.empty()) return false;
  const std::uint32_t to = workers[random.below(static_cast<std::uint32_t>(workers.size()))];
  sanitizers::hand_over(&pushed);
  if (home_.runs_caller()) return home_.send(pushed, to);
  try {
    const crew::visit now(home_);
    return home_.send(pushed, to);
  } catch (...) {
    return false;
  }
}

/// In the pool of the calling worker's domain. False: the caller is no worker, or there is no memory.
bool dataflow_engine::keep_near(flow_record& placed) noexcept {
  if (!home_.runs_caller()) return false;
  sanitizers::hand_over(&placed);
  try {
    home_.push_in_domain_of(*this_fiber().runner, {.start = &placed});
    return true;
  } catch (...) {
    return false;
  }
}

/// Any worker may run it. The task is no call of its own any more.
void dataflow_engine::put_back(dataflow_task& one) noexcept {
  bool calls = false;
  {
    const locked now(*this);
    web_.put_ready(one);
    calls = must_call();
    --calls_;  // not the last one: a call is in a pool now
  }
  if (calls) call_worker();
}

}  // namespace nearfork::detail
