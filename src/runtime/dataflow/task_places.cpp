#include "runtime/dataflow/task_places.hpp"

#include <mutex>
#include <new>
#include <vector>

#include <nearfork/detail/tracing.hpp>

#include "runtime/webs/buffer_memory.hpp"

namespace nearfork {

activation task_places::choose(flow_record& of, node_id own, rng& random) noexcept {
  const activation_rules& rules = nodes_.rules();
  if (rules.push == push_heuristic::none) return {};
  try {
    std::vector<placed_bytes> in;
    std::vector<placed_bytes> out;
    activation made;
    for (const flow_access& each : of.accesses()) {
      const bool decides = each.writes ? rules.push != push_heuristic::input : rules.push != push_heuristic::output;
      if (!decides) continue;
      for_each_part(each, true, [&](std::optional<node_id> node, std::size_t bytes) {
        made.is_placed = made.is_placed || node.has_value();
        (each.writes ? out : in).push_back({node, bytes});
      });
    }
    made.push_to = choose_activation(own, in, out, rules, nodes_.costs(), random);
    return made;
  } catch (const std::bad_alloc&) {
    return {};
  }
}

void task_places::count_bytes(flow_record& of, node_id own) noexcept {
  flow_counts& counts = nodes_.counts();
  for (const flow_access& each : of.accesses()) {
    for_each_part(each, false, [&](std::optional<node_id> node, std::size_t bytes) {
      auto& sum = !node ? counts.unknown_bytes : *node == own ? counts.local_bytes : counts.remote_bytes;
      sum.fetch_add(bytes, seam::memory_order_relaxed);
      if (node && detail::anybody_traces()) [[unlikely]]
        count_in_trace(*node, bytes);
    });
  }
}

/// By the worker that runs the task, which is traced.
void task_places::count_in_trace(node_id node, std::size_t bytes) noexcept {
  const std::uint64_t before = nodes_.bytes_on(node).fetch_add(bytes, seam::memory_order_relaxed);
  detail::note_traced_counter(nodes_.counter_of(node), static_cast<double>(before + bytes));
}

void task_places::forget() noexcept {
  const std::lock_guard now(lock_);
  asked_.clear();
}

template <class Use>
void task_places::for_each_part(const flow_access& what, bool may_ask, const Use& use) {
  if (what.buffer != nullptr) return use(nearfork::node_of(*what.buffer), what.bytes);
  for (std::uint32_t i = 0; i < what.pieces; ++i) {
    const std::size_t share = what.bytes * (i + 1) / what.pieces - what.bytes * i / what.pieces;
    use(node_of(what.begin + i * what.stride_bytes, what.pieces == 1 ? what.bytes : 1, may_ask), share);
  }
}

std::optional<node_id> task_places::node_of(const std::byte* begin, std::size_t bytes, bool may_ask) noexcept {
  {
    const std::lock_guard now(lock_);
    if (const auto found = asked_.find(begin); found != asked_.end()) return found->second;
  }
  if (!may_ask || bytes == 0) return std::nullopt;
  const auto node = nodes_.node_at(begin + bytes / 2);
  if (!node) return std::nullopt;
  try {
    const std::lock_guard now(lock_);
    asked_.insert_or_assign(begin, *node);
  } catch (const std::bad_alloc&) {
    return node;  // it is asked for again
  }
  return node;
}

}  // namespace nearfork
