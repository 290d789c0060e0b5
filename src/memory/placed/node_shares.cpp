#include "memory/placed/node_shares.hpp"

#include <algorithm>
#include <string>

#include "machine/nodes/page_stripes.hpp"
#include "memory/placed/refusal_text.hpp"

namespace nearfork {

/// Bandwidths that only some nodes tell say nothing of how they are beside the others.
std::optional<std::vector<double>> node_shares::bandwidths_of(std::span<const node_id> nodes) {
  std::vector<double> weights;
  for (const node_id node : nodes)
    if (const auto known = nodes_.where().at(node).bandwidth_mib_per_s) weights.push_back(static_cast<double>(*known));
  if (weights.size() < nodes.size()) return std::nullopt;
  return weights;
}

std::vector<double> node_shares::weights_of(const placed_block& block, std::span<const node_id> nodes,
                                            node_spread how) {
  std::vector<double> weights(nodes.size(), 1);
  const auto each = [&](auto weight_of) { std::ranges::transform(nodes, weights.begin(), weight_of); };
  switch (how) {
    case node_spread::nearest: break;
    case node_spread::by_bandwidth:
      if (auto known = bandwidths_of(nodes)) return *std::move(known);
      book_.note({"memory is not spread by bandwidth, but evenly", named(block),
                  "the machine does not tell the bandwidth of all its nodes", "give weights: node_weight"});
      break;
    case node_spread::by_capacity:
      each([&](node_id node) { return static_cast<double>(nodes_.where().at(node).capacity_bytes); });
      break;
    case node_spread::by_weights:
      each([&](node_id node) {
        const auto sum = block.weights.find(nodes_.os_of(node));
        return sum == block.weights.end() ? 0.0 : sum->second;
      });
  }
  return weights;
}

page_split node_shares::spread_inside_domains(const placed_block& block, const page_split& parts) {
  std::vector<node_turns> turns;
  for (const page_run& part : parts)
    if (std::ranges::find(turns, part.node, &node_turns::of) == turns.end())
      turns.push_back({part.node, turns_beside(block, part.node)});
  return dealt_out(parts, block.extent, turns);
}

std::vector<node_id> node_shares::turns_beside(const placed_block& block, node_id nearest) {
  const std::vector<node_id> nodes = nodes_beside(nodes_.where(), nearest);
  if (nodes.size() < 2) return {nearest};
  const std::vector<double> weights = weights_of(block, nodes, block.options.where.inside_domains);
  if (std::ranges::any_of(weights, [](double weight) { return weight > 0; })) return turns_by_weight(nodes, weights);
  book_.note({"a domain's part of a block is not spread over its nodes", named(block),
              "no weight is given for any node beside node " + std::to_string(number_of(nodes_.where().at(nearest).os)),
              "give weights for the nodes of each domain"});
  return {nearest};
}

}  // namespace nearfork
