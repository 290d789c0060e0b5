// The memory nodes of a runtime, as its dataflow graphs see them: which workers are beside which node, what accesses
// cost, where buffers come from; and what was pushed. Only where workers are beside several nodes: elsewhere a graph
// has none of this, and asks with one branch.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <nearfork/config.hpp>
#include <nearfork/detail/seam.hpp>

#include "machine/model/machine.hpp"
#include "plan/crew/worker_layout.hpp"
#include "plan/dataflow/activation.hpp"

namespace nearfork {

namespace seam = detail::seam;

class buffer_pools;

/// Counted by any thread, for tasks with at least config::push_threshold bytes. Relaxed: for the report alone.
struct alignas(detail::cache_line_bytes) flow_counts {
  seam::atomic<std::uint64_t> pushed{0};
  seam::atomic<std::uint64_t> stayed{0};  // asked, and the own node costs the least, or no node is known
  seam::atomic<std::uint64_t> full{0};    // of `pushed`, those that found the mailbox full
  seam::atomic<std::uint64_t> local_bytes{0};
  seam::atomic<std::uint64_t> remote_bytes{0};
  seam::atomic<std::uint64_t> unknown_bytes{0};
};

class flow_nodes {
 public:
  /// `memory`: nullptr if the nodes of `where` are not real; buffers then come from the heap, and count for the node
  /// that they were wanted on.
  flow_nodes(const config& settings, const machine& where, const worker_layout& layout, buffer_pools* memory);

  /// False: all workers are beside one node.
  [[nodiscard]] static bool are_several(const machine& where, const worker_layout& layout);

  [[nodiscard]] node_id node_of(std::uint32_t worker) const noexcept { return node_of_worker_[worker]; }
  /// In ascending order.
  [[nodiscard]] std::span<const std::uint32_t> workers_of(node_id node) const noexcept {
    return workers_of_[index_of_id(node)];
  }
  [[nodiscard]] const activation_rules& rules() const noexcept { return rules_; }
  [[nodiscard]] const access_costs& costs() const noexcept { return costs_; }
  [[nodiscard]] buffer_allocation allocation() const noexcept { return allocation_; }
  [[nodiscard]] buffer_pools* memory() const noexcept { return memory_; }
  [[nodiscard]] flow_counts& counts() noexcept { return counts_; }
  /// Bytes of such tasks so far whose pages are on the node.
  [[nodiscard]] seam::atomic<std::uint64_t>& bytes_on(node_id node) noexcept { return bytes_on_[index_of_id(node)]; }
  /// The trace's counter of these bytes. Its characters stay where they are.
  [[nodiscard]] const char* counter_of(node_id node) const noexcept { return counters_[index_of_id(node)].c_str(); }
  [[nodiscard]] const flow_counts& counts() const noexcept { return counts_; }
  /// The user named `push` or `alloc`: then strict mode holds for them.
  [[nodiscard]] bool is_named() const noexcept { return named_; }

  /// Why nothing is known of the distances of nodes; empty: they are known.
  [[nodiscard]] const std::string& distances_missing() const noexcept { return distances_missing_; }
  /// errno of the first page whose node the system did not tell; 0: none.
  [[nodiscard]] int query_refused() const noexcept { return query_refused_.load(seam::memory_order_relaxed); }
  /// The node of a page. nullopt: not known.
  [[nodiscard]] std::optional<node_id> node_at(const void* address) noexcept;

 private:
  const activation_rules rules_;
  const buffer_allocation allocation_;
  const bool named_;
  std::vector<node_id> node_of_worker_;
  std::vector<std::vector<std::uint32_t>> workers_of_;
  std::string distances_missing_;
  const access_costs costs_;
  buffer_pools* const memory_;
  flow_counts counts_;
  std::vector<seam::atomic<std::uint64_t>> bytes_on_;  // by node; relaxed: for the trace alone
  const std::vector<std::string> counters_;            // by node
  seam::atomic<int> query_refused_{0};
};

}  // namespace nearfork
