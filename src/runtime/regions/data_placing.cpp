#include "runtime/regions/data_placing.hpp"

#include <algorithm>

#include "memory/system/node_choice.hpp"

namespace nearfork {

data_placing::data_placing(region_memory* memory, const machine& where, bool real, std::uint64_t most_moved_bytes,
                           wanted_by who)
    : own_(memory), most_moved_bytes_(most_moved_bytes), who_(who) {
  if (!real) return;
  nodes_ = nodes_of_domains(where);
  const bool is_one = std::ranges::all_of(nodes_, [&](node_id node) { return node == nodes_.front(); });
  // Even if all domains share one node, blocks may be spread over several nodes beside that node.
  if (is_one && (nodes_.empty() || nodes_beside(where, nodes_.front()).size() < 2)) nodes_.clear();
}

move_outcome data_placing::bring(std::string_view region, const data_step& step) const {
  region_memory* const in_use = memory();
  if (!places() || in_use == nullptr || !in_use->any_blocks()) return {};
  const contentment so(who_ == wanted_by::default_policy);
  switch (step.act) {
    case data_act::leave: return {};
    case data_act::take_back: return in_use->take_back(region, most_moved_bytes_);
    case data_act::follow: {
      const auto wish = wish_for(region, step.parts);
      return wish ? in_use->follow(*wish) : move_outcome{};
    }
  }
  return {};
}

std::optional<split_wish> data_placing::wish_for(std::string_view region, const data_parts& parts) const {
  const std::vector<node_id>& nodes = parts.nodes.empty() ? nodes_ : parts.nodes;
  if (parts.borders.size() != nodes.size() + 1) return std::nullopt;
  return split_wish{.region = region,
                    .borders = parts.borders,
                    .nodes = nodes,
                    .turns = parts.turns,
                    .moves = parts.moves,
                    .kept_free = parts.kept_free,
                    .most_moved_bytes = most_moved_bytes_};
}

data_layout data_placing::layout_for(std::string_view region, const data_parts& parts) const {
  region_memory* const in_use = memory();
  if (!places() || in_use == nullptr || !in_use->any_blocks()) return {};
  const contentment so(who_ == wanted_by::default_policy);
  const auto wish = wish_for(region, parts);
  return wish ? in_use->layout_for(*wish) : data_layout{};
}

}  // namespace nearfork
