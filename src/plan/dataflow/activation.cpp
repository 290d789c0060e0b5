#include "plan/dataflow/activation.hpp"

#include <cstddef>
#include <stdexcept>

namespace nearfork {
namespace {

/// The weighted bytes of the buffers in use, by node.
class data_by_node {
 public:
  explicit data_by_node(std::uint32_t nodes) : weighted_(nodes, 0.0) {}

  void add(std::span<const placed_bytes> buffers, double weight) {
    for (const placed_bytes& each : buffers) {
      total_ += each.bytes;
      if (!each.node || index_of_id(*each.node) >= weighted_.size()) continue;
      weighted_[index_of_id(*each.node)] += static_cast<double>(each.bytes) * weight;
      anything_ = anything_ || (each.bytes != 0 && weight != 0);
    }
  }
  [[nodiscard]] std::uint64_t total() const noexcept { return total_; }
  [[nodiscard]] bool anything() const noexcept { return anything_; }
  [[nodiscard]] double cost_from(std::uint32_t node, const access_costs& costs) const noexcept {
    double sum = 0;
    for (std::uint32_t memory = 0; memory < costs.nodes(); ++memory)
      sum += weighted_[memory] * static_cast<double>(costs.cost(node, memory));
    return sum;
  }

 private:
  std::vector<double> weighted_;
  std::uint64_t total_ = 0;
  bool anything_ = false;
};

std::uint32_t square_root_of(std::size_t size) {
  std::uint32_t root = 0;
  while (std::size_t{root} * root < size) ++root;
  if (size == 0 || std::size_t{root} * root != size)
    throw std::invalid_argument("costs of memory accesses: a square table is wanted");
  return root;
}

}  // namespace

access_costs::access_costs(std::vector<std::uint32_t> rows)
    : nodes_(square_root_of(rows.size())), rows_(std::move(rows)) {
  for (const std::uint32_t each : rows_)
    if (each == 0) throw std::invalid_argument("costs of memory accesses: no cost may be zero");
}

std::optional<node_id> choose_activation(node_id own, std::span<const placed_bytes> in,
                                         std::span<const placed_bytes> out, const activation_rules& rules,
                                         const access_costs& costs, rng& random) {
  if (rules.push == push_heuristic::none) return std::nullopt;
  data_by_node data(costs.nodes());
  if (rules.push != push_heuristic::output) data.add(in, rules.input_weight);
  if (rules.push != push_heuristic::input) data.add(out, rules.output_weight);
  if (data.total() < rules.threshold_bytes || !data.anything()) return std::nullopt;

  std::vector<std::uint32_t> cheapest;
  double least = 0;
  for (std::uint32_t node = 0; node < costs.nodes(); ++node) {
    const double cost = data.cost_from(node, costs);
    if (cheapest.empty() || cost < least) {
      least = cost;
      cheapest.clear();
    }
    if (cost == least) cheapest.push_back(node);
  }
  for (const std::uint32_t node : cheapest)
    if (node == index_of_id(own)) return std::nullopt;
  return node_id{cheapest[random.below(static_cast<std::uint32_t>(cheapest.size()))]};
}

std::string_view conflict(push_heuristic push, buffer_allocation allocation) noexcept {
  const bool asks_outputs = push == push_heuristic::output || push == push_heuristic::weighted;
  if (allocation == buffer_allocation::immediate || !asks_outputs) return {};
  return "push=output and push=weighted look where outputs lie, but with alloc=deferred outputs have no memory yet; "
         "use "
         "push=input, push=none or alloc=immediate";
}

}  // namespace nearfork
