#include "memory/placed/block_placer.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include <nearfork/error.hpp>

#include "base/text/message_text.hpp"
#include "machine/nodes/page_stripes.hpp"
#include "memory/placed/refusal_text.hpp"

namespace nearfork {

void block_placer::place(placed_block& made) {
  advise_huge(made);
  place_by_rule(made);
}

void block_placer::advise_huge(const placed_block& made) {
  if (made.options.huge == huge_pages::by_system) return;
  const int refused = system_.advise(made.begin, made.extent.pages() * made.extent.page_bytes, made.options.huge);
  if (made.options.huge == huge_pages::never) return;  // a kernel that has none has done as it was told
  const grant granted = system_.huge_pages_granted();
  if (refused == 0 && granted.state == grant_state::granted) return;
  book_.note({"no huge pages", named(made),
              granted.state == grant_state::granted ? with_number(refused) : granted.detail, granted.remedy});
}

namespace {

[[noreturn]] void refuse(const char* what, unsigned value) {
  throw error("nearfork: " + std::string(what) + " has no value " + std::to_string(value) + "; see memory_options.hpp");
}

/// Weights of every given node, also on a machine that needs none.
std::vector<double> checked_weights(std::span<const node_weight> given) {
  std::vector<double> weights;
  for (const node_weight& one : given) weights.push_back(one.weight);
  (void)borders_by_weight(weights);
  return weights;
}

void check_spread(const placing& asked) {
  switch (asked.inside_domains) {
    case node_spread::nearest:
    case node_spread::by_bandwidth:
    case node_spread::by_capacity: return;
    case node_spread::by_weights: (void)checked_weights(asked.weights); return;
  }
  refuse("placing::inside_domains", static_cast<unsigned>(asked.inside_domains));
}

}  // namespace

void block_placer::place_by_rule(placed_block& made) {
  switch (made.options.where.how) {
    case placing::rule::follow_plan: return check_spread(made.options.where);
    case placing::rule::bound:
    case placing::rule::preferred: return place_on_one(made);
    case placing::rule::hbm_only: return place_in_hbm(made);
    case placing::rule::interleaved: return place_interleaved(made);
    case placing::rule::interleaved_by_bandwidth: return place_interleaved_by_bandwidth(made);
    case placing::rule::by_bandwidth:
    case placing::rule::by_capacity: {
      if (nodes_.are_one()) return;
      const std::vector<node_id> nodes = nodes_.with_memory();
      const bool by_size = made.options.where.how == placing::rule::by_capacity;
      const node_spread how = by_size ? node_spread::by_capacity : node_spread::by_bandwidth;
      return place_by_weight(made, nodes, shares_.weights_of(made, nodes, how));
    }
    case placing::rule::interleaved_by_weights:
    case placing::rule::by_weights: return place_by_given_weights(made);
  }
  refuse("placing::how", static_cast<unsigned>(made.options.where.how));
}

void block_placer::place_on_one(placed_block& made) {
  const placing& asked = made.options.where;
  const node_choice chosen = choose_node(nodes_.where(), os_index{asked.os_node}, made.extent.bytes, nodes_.free_now());
  if (!chosen.why_not.empty())
    book_.note({"memory is not on the node that was asked for", named(made), chosen.why_not,
                "name a node with enough free memory (numactl --hardware)"});
  if (!chosen.node || nodes_.are_one()) return;
  const page_split whole{{0, made.extent.pages(), *chosen.node}};
  // Where the node could not be had, nor is it bound to: a node that has too little would end the program.
  const bool binds = asked.how == placing::rule::bound && chosen.why_not.empty();
  (void)binder_.bind(made, whole, binds ? page_policy::bind : page_policy::prefer);
}

void block_placer::place_in_hbm(placed_block& made) {
  std::vector<node_id> nodes;
  std::uint64_t free = 0;
  const free_memory free_now = nodes_.free_now();
  for (const node_id one : nodes_.with_memory()) {
    if (nodes_.where().at(one).kind != memory_kind::hbm) continue;
    nodes.push_back(one);
    free += free_now(one).value_or(made.extent.bytes);
  }
  const auto misses = [&](std::string why, std::string remedy) {
    book_.note({"memory is not in HBM alone", named(made), std::move(why), std::move(remedy)});
  };
  if (nodes.empty())
    return misses("the machine has no HBM that is known as such",
                  "use another placing, or boot the machine in flat mode (nearfork topo shows its nodes)");
  if (free < made.extent.bytes)
    return misses(std::to_string(free >> 20) + " MiB of it are free", "use less memory, or placing::by_bandwidth()");
  if (nodes_.are_one()) return;
  if (const int refused = binder_.bind_among(made, nodes, page_policy::bind); refused != 0)
    book_.note(binding_refused(refused));
}

void block_placer::place_interleaved(placed_block& made) {
  if (nodes_.are_one()) return;
  if (system_.has_weighted_interleave() &&
      binder_.bind_among(made, nodes_.with_memory(), page_policy::weighted_interleave) == 0)
    return;
  if (const int refused = binder_.bind_among(made, nodes_.with_memory(), page_policy::interleave); refused != 0)
    book_.note(binding_refused(refused));
}

void block_placer::place_by_weight(placed_block& made, std::span<const node_id> nodes,
                                   std::span<const double> weights) {
  if (nodes_.are_one()) return;
  const page_split meant = split_at(made.extent, borders_by_weight(weights), nodes);
  (void)binder_.bind(made, binder_.within_room(made, meant, meant), page_policy::prefer);
}

/// The node for each of `weights`, by the system's number. Many weights may name one node, and each number is looked up
/// once. All replaced nodes together are one fact on the report.
std::vector<node_id> block_placer::nodes_of(std::span<const node_weight> weights) {
  // No bytes need no room, so free memory is not read here; within_room() reads it for all weights together.
  const free_memory not_known = [](node_id) { return std::nullopt; };
  std::map<unsigned, node_choice> chosen;
  std::size_t replaced = 0;
  std::string why;
  std::vector<node_id> nodes;
  nodes.reserve(weights.size());
  for (const node_weight& one : weights) {
    const auto [at, is_new] = chosen.try_emplace(one.os_node);
    if (is_new) at->second = choose_node(nodes_.where(), os_index{one.os_node}, 0, not_known);
    nodes.push_back(at->second.node.value_or(node_id{0}));
    if (!is_new || at->second.why_not.empty()) continue;
    if (++replaced == 1) why = at->second.why_not;
  }
  if (replaced > 1)
    why += "; and the same goes for " + std::to_string(replaced - 1) + " more of the nodes that were named";
  if (replaced > 0)
    book_.note({"memory is not on the node that was asked for", "weights of nodes", why,
                "name nodes that numactl --hardware lists with memory"});
  return nodes;
}

void block_placer::place_by_given_weights(placed_block& made) {
  const std::vector<node_weight>& given = made.options.where.weights;
  const std::vector<node_id> nodes = nodes_of(given);
  const std::vector<double> weights = checked_weights(given);
  if (made.options.where.how == placing::rule::by_weights) place_by_weight(made, nodes, weights);
  else place_in_turn(made, nodes, weights);
}

void block_placer::place_in_turn(placed_block& made, std::span<const node_id> nodes, std::span<const double> weights) {
  const std::vector<node_id> turns = turns_by_weight(nodes, weights);
  if (nodes_.are_one()) return;
  page_split meant;
  deal_out(meant, made.extent, {0, made.extent.pages(), {}}, turns);
  (void)binder_.bind(made, binder_.within_room(made, meant, meant), page_policy::prefer);
}

/// The kernel's weights are used only if they differ. Until Linux 6.16 all are 1 unless the administrator sets them.
bool block_placer::kernel_weights_differ(std::span<const node_id> nodes) {
  std::vector<unsigned> weights;
  for (const node_id node : nodes) weights.push_back(system_.interleave_weight(nodes_.os_of(node)).value_or(1));
  return std::ranges::adjacent_find(weights, std::ranges::not_equal_to()) != weights.end();
}

void block_placer::place_interleaved_by_bandwidth(placed_block& made) {
  if (nodes_.are_one()) return;
  const std::vector<node_id> nodes = nodes_.with_memory();
  const bool has_weights = system_.has_weighted_interleave();
  const bool differ = has_weights && kernel_weights_differ(nodes);
  if (differ && binder_.bind_among(made, nodes, page_policy::weighted_interleave) == 0) return;
  const std::uint64_t stripe_bytes = pages_of_stripe(made.extent) * made.extent.page_bytes;
  book_.note({"pages are not interleaved by the kernel's weights, but in stripes of " +
                  std::to_string(stripe_bytes >> 10) + " KiB by the machine's bandwidths",
              named(made),
              !has_weights ? "this kernel has no weighted interleave, or hides it"
              : differ     ? "it refused weighted interleave"
                           : "its weights of all nodes are the same",
              "Linux from 6.9 on, with weights in /sys/kernel/mm/mempolicy/weighted_interleave"});
  place_in_turn(made, nodes, shares_.weights_of(made, nodes, node_spread::by_bandwidth));
}

}  // namespace nearfork
