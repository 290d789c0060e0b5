// Spreading blocks, and parts of blocks, over nodes by weight.
#include <algorithm>
#include <functional>
#include <map>

#include "memory/placed/page_stripes.hpp"
#include "memory/placed/placed_memory.hpp"
#include "memory/placed/refusal_text.hpp"

namespace nearfork {

/// If only some nodes have a known bandwidth, the others cannot be compared with them: nullopt.
std::optional<std::vector<double>> placed_memory::bandwidths_of(std::span<const node_id> nodes) {
  std::vector<double> weights;
  for (const node_id node : nodes)
    if (const auto known = where().at(node).bandwidth_mib_per_s) weights.push_back(static_cast<double>(*known));
  if (weights.size() < nodes.size()) return std::nullopt;
  return weights;
}

std::vector<double> placed_memory::weights_of(const placed_block& block, std::span<const node_id> nodes,
                                              node_spread how) {
  std::vector<double> weights(nodes.size(), 1);
  const auto each = [&](auto weight_of) { std::ranges::transform(nodes, weights.begin(), weight_of); };
  switch (how) {
    case node_spread::nearest: break;
    case node_spread::by_bandwidth:
      if (auto known = bandwidths_of(nodes)) return *std::move(known);
      fall_short({"memory is not spread by bandwidth, but evenly", named(block),
                  "the machine does not tell the bandwidth of all its nodes", "give weights: node_weight"});
      break;
    case node_spread::by_capacity:
      each([&](node_id node) { return static_cast<double>(where().at(node).capacity_bytes); });
      break;
    case node_spread::by_weights:
      each([&](node_id node) {
        const auto sum = block.weights.find(where().at(node).os);
        return sum == block.weights.end() ? 0.0 : sum->second;
      });
  }
  return weights;
}

page_split placed_memory::spread_inside_domains(const placed_block& block, page_split parts) {
  const node_spread how = block.options.where.inside_domains;
  if (how == node_spread::nearest) return parts;
  std::map<node_id, std::vector<node_id>> turns;  // by the nearest node of a domain
  page_split made;
  for (const page_run& part : parts) {
    auto& order = turns[part.node];
    if (order.empty()) order = turns_beside(block, part.node);
    deal_out(made, block.extent, part, order);
  }
  return made;
}

std::vector<node_id> placed_memory::turns_beside(const placed_block& block, node_id nearest) {
  const std::vector<node_id> nodes = nodes_beside(where(), nearest);
  if (nodes.size() < 2) return {nearest};
  const std::vector<double> weights = weights_of(block, nodes, block.options.where.inside_domains);
  if (std::ranges::any_of(weights, [](double weight) { return weight > 0; })) return turns_by_weight(nodes, weights);
  fall_short({"a domain's part of a block is not spread over its nodes", named(block),
              "no weight is given for any node beside node " + std::to_string(number_of(where().at(nearest).os)),
              "give weights for the nodes of each domain"});
  return {nearest};
}

void placed_memory::place_in_turn(placed_block& made, const std::vector<node_id>& nodes,
                                  const std::vector<double>& weights) {
  const std::vector<node_id> turns = turns_by_weight(nodes, weights);
  if (has_one_node()) return;
  page_split meant;
  deal_out(meant, made.extent, {0, made.extent.pages(), {}}, turns);
  (void)bind(made, within_room(made, meant, meant), page_policy::prefer);
}

/// The kernel's weights are useful only if they differ: until Linux 6.16 all are 1 unless the administrator sets them.
bool placed_memory::kernel_weights_differ(std::span<const node_id> nodes) {
  std::vector<unsigned> weights;
  for (const node_id node : nodes) weights.push_back(system_->interleave_weight(where().at(node).os).value_or(1));
  return std::ranges::adjacent_find(weights, std::ranges::not_equal_to()) != weights.end();
}

void placed_memory::place_interleaved_by_bandwidth(placed_block& made) {
  if (has_one_node()) return;
  const std::vector<node_id> nodes = nodes_with_memory(where());
  const bool has_weights = system_->has_weighted_interleave();
  const bool differ = has_weights && kernel_weights_differ(nodes);
  if (differ && interleave(made, page_policy::weighted_interleave) == 0) return;
  const std::uint64_t stripe_bytes = pages_of_stripe(made.extent) * made.extent.page_bytes;
  fall_short({"pages are not interleaved by the kernel's weights, but in stripes of " +
                  std::to_string(stripe_bytes >> 10) + " KiB by the machine's bandwidths",
              named(made),
              !has_weights ? "this kernel has no weighted interleave, or hides it"
              : differ     ? "it refused weighted interleave"
                           : "its weights of all nodes are the same",
              "Linux from 6.9 on, with weights in /sys/kernel/mm/mempolicy/weighted_interleave"});
  place_in_turn(made, nodes, weights_of(made, nodes, node_spread::by_bandwidth));
}

}  // namespace nearfork
