#include "sim/memory/pages/page_rooms.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <nearfork/error.hpp>

#include "base/text/word_choice.hpp"
#include "machine/nodes/page_split.hpp"
#include "machine/nodes/page_stripes.hpp"

namespace nearfork::sim {
namespace {

std::string nodes_text(const machine& where) {
  std::vector<unsigned> numbers;
  for (const memory_node& one : where.nodes()) numbers.push_back(number_of(one.os));
  return numbers.empty() ? "none" : listed(numbers);
}

/// The named nodes; if none is named, all that have memory.
std::vector<std::uint16_t> nodes_of(const page_placing& how, const machine& where, const machine_model& model) {
  std::vector<std::uint16_t> made;
  for (const placing_node& named : how.nodes) {
    const auto found = std::ranges::find(where.nodes(), os_index{named.os_node}, &memory_node::os);
    if (found == where.nodes().end())
      throw error("nearfork: --pages " + text_of(how) + ": " + where.provenance() + " has no memory node " +
                  std::to_string(named.os_node) + "; its nodes are " + nodes_text(where));
    made.push_back(static_cast<std::uint16_t>(found - where.nodes().begin()));
  }
  if (!made.empty()) return made;
  const auto is_asked_for = [&](std::uint32_t node) {
    return how.how != placing_rule::hbm_only ||
           (node < where.nodes().size() && where.nodes()[node].kind == memory_kind::hbm);
  };
  for (std::uint32_t node = 0; node < node_count(where); ++node)
    if ((model.node_bytes.empty() || model.node_bytes[node] > 0) && is_asked_for(node))
      made.push_back(static_cast<std::uint16_t>(node));
  if (made.empty() && how.how == placing_rule::hbm_only)
    throw error("nearfork: --pages " + text_of(how) + ": " + where.provenance() +
                " has no memory node of that kind; its nodes are " + nodes_text(where));
  return made;
}

/// One for each of `nodes`.
std::vector<double> weights_of(const page_placing& how, const machine_model& model,
                               std::span<const std::uint16_t> nodes) {
  std::vector<double> weights(nodes.size(), 1);
  for (std::size_t i = 0; i < nodes.size(); ++i) switch (how.how) {
      case placing_rule::by_weights:
      case placing_rule::interleaved_by_weights: weights[i] = how.nodes[i].weight; break;
      case placing_rule::by_bandwidth:
      case placing_rule::interleaved_by_bandwidth:
        weights[i] = 1 / static_cast<double>(std::max<std::uint64_t>(1, model.node_line_ps[nodes[i]]));
        break;
      case placing_rule::by_capacity: weights[i] = static_cast<double>(model.node_bytes[nodes[i]]); break;
      default: break;
    }
  return weights;
}

bool is_in_turn(placing_rule how) {
  return how == placing_rule::interleaved || how == placing_rule::interleaved_by_bandwidth ||
         how == placing_rule::interleaved_by_weights;
}

/// Without a table: 10 where both are local, 15 in the same package, 20 elsewhere.
std::uint32_t distance_between(const machine& where, std::uint32_t from, std::uint32_t to) {
  if (const auto told = where.node_distance(node_id{from}, node_id{to})) return *told;
  std::uint32_t least = 20;
  for (const domain_id near : where.nodes()[from].domains) least = std::min(least, distance_to(where, near, to));
  return least;
}

}  // namespace

void require_fit(const page_placing& how, const machine& where, const machine_model& model) {
  (void)nodes_of(how, where, model);
  if (how.how == placing_rule::by_capacity && model.node_bytes.empty())
    throw error("nearfork: --pages " + text_of(how) + ": " + where.provenance() +
                " does not say how much memory its nodes have; say it with --node-capacity, or give weights");
}

node_room room_of(const machine& where, const machine_model& model) {
  node_room made;
  for (const std::uint64_t bytes : model.node_bytes) made.pages.push_back(bytes / model.page_bytes);
  for (std::uint32_t from = 0; from < where.nodes().size(); ++from) {
    std::vector<std::uint16_t>& order = made.nearest.emplace_back();
    for (std::uint32_t to = 0; to < where.nodes().size(); ++to) order.push_back(static_cast<std::uint16_t>(to));
    std::ranges::sort(
        order, {}, [&](std::uint16_t to) { return std::pair(to == from ? 0 : distance_between(where, from, to), to); });
  }
  return made;
}

std::vector<node_id> ids_of(std::span<const std::uint16_t> nodes) {
  std::vector<node_id> made;
  for (const std::uint16_t one : nodes) made.push_back(node_id{one});
  return made;
}

std::uint16_t number_in_map(node_id node) noexcept {
  return static_cast<std::uint16_t>(index_of_id(node));
}

array_pages pages_of(const data_array& array, std::uint64_t page_bytes) noexcept {
  if (array.size_bytes == 0) return {};
  const std::uint64_t first = array.begin_byte / page_bytes;
  return {first, (array.begin_byte + array.size_bytes - 1) / page_bytes - first + 1};
}

void place(const data_array& array, page_rule how, std::span<const std::uint32_t> nodes, std::uint64_t page_bytes,
           page_map& to) {
  if (array.size_bytes == 0 || how == page_rule::first_touch) return;
  const auto [first, pages] = pages_of(array, page_bytes);
  for (std::uint64_t i = 0; i < pages; ++i) {
    const std::uint64_t turn = how == page_rule::in_parts ? i * nodes.size() / pages : (first + i) % nodes.size();
    to.place(first + i, nodes[turn]);
  }
}

void apply(const page_placing& how, const machine& where, const machine_model& model,
           std::span<const data_array> arrays, page_map& to) {
  require_fit(how, where, model);
  if (how.how == placing_rule::first_write || how.how == placing_rule::follow_plan) return;
  const std::vector<std::uint16_t> nodes = nodes_of(how, where, model);
  if (how.how == placing_rule::bound || how.how == placing_rule::hbm_only) return to.bind_all(nodes);
  const std::vector<double> weights = weights_of(how, model, nodes);
  const std::vector<node_id> turns =
      is_in_turn(how.how) ? turns_by_weight(ids_of(nodes), weights) : std::vector<node_id>{};
  std::uint64_t next = 0;  // a page belongs to the first array that has a part of it
  for (const data_array& one : arrays) {
    const array_pages pages = pages_of(one, model.page_bytes);
    const page_split parts =
        split_at({.bytes = pages.count, .page_bytes = 1}, borders_by_weight(weights), ids_of(nodes));
    for (const page_run& run : parts)
      for (std::uint64_t i = run.begin; i < run.end; ++i) {
        const std::uint64_t page = pages.first + i;
        if (page < next) continue;
        to.mean(page, number_in_map(turns.empty() ? run.node : turns[page % turns.size()]));
      }
    next = std::max(next, pages.first + pages.count);
  }
}

}  // namespace nearfork::sim
