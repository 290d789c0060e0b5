#include "plan/policies/bats_policy.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "machine/model/machine.hpp"
#include "plan/packing/subgraphs.hpp"
#include "plan/policies/locality_orders.hpp"
#include "plan/policies/random_policy.hpp"
#include "plan/profile/iteration_digest.hpp"
#include "plan/traffic/expected_traffic.hpp"
#include "plan/traffic/traffic_balance.hpp"

namespace nearfork {
namespace {

/// data_course compares as many iterations before the moves with as many after them, and the first of each are no
/// evidence.
constexpr std::uint64_t until_moves_are_judged = 2 * iteration_digest::most_kept + 2;

/// Below this part of all accesses in the wrong place nothing moves: four pages of a chunk tell no more.
constexpr double least_imbalance = 0.02;

/// Where the data fill HBM, hot chunks would find no room there: 24 GB of `pagerank`, simulated on 16 GB of HBM, had
/// 47% of all accesses on one node of DRAM. At 16 GB, 4% of all chunks are hot enough to move.
constexpr double kept_for_hot_chunks = 1.0 / 16;

constexpr trial_id moving_trial{1};
constexpr std::uint32_t first_round = 2;
constexpr trial_id located_trial{1U << 20};

std::uint32_t cores_of_domain(const machine& where) {
  std::size_t most = 1;
  for (const domain& one : where.domains()) most = std::max(most, one.cores.size());
  return static_cast<std::uint32_t>(most);
}

std::vector<node_room_left> rooms_of(const machine& where, const gauging& seen, const weighed_nodes& spread) {
  std::vector<node_room_left> rooms(where.nodes().size(), node_room_left{.bandwidth = 0, .free_pages = 0});
  for (std::size_t i = 0; i < spread.nodes.size(); ++i) {
    const auto node = index_of_id(spread.nodes[i]);
    rooms[node] = {.bandwidth = spread.weights[i]};
    if (node < seen.free_pages.size()) rooms[node].free_pages = seen.free_pages[node];
  }
  return rooms;
}

/// The part of all accesses that lie on other nodes than they should; 0 to 1.
double misplaced(const std::vector<double>& heat, const std::vector<double>& wanted) {
  double all = 0;
  double wrong = 0;
  for (std::size_t i = 0; i < heat.size(); ++i) {
    all += heat[i];
    wrong += std::max(0.0, heat[i] - wanted[i]);
  }
  return all > 0 ? wrong / all : 0;
}

/// By node of `spread`.
std::vector<double> parts_of_all(const std::vector<double>& heat, const weighed_nodes& spread) {
  double all = 0;
  for (const double one : heat) all += one;
  std::vector<double> made;
  for (const node_id one : spread.nodes) made.push_back(all > 0 ? heat[index_of_id(one)] / all : 0);
  return made;
}

std::vector<chunk_move> moves_of(const traffic_balance& balanced, const std::vector<data_chunk>& chunks) {
  std::vector<chunk_move> moves;
  for (const balanced_move& one : balanced.moves) {
    const data_chunk& chunk = chunks[one.chunk];
    moves.push_back({.block = chunk.block, .begin = chunk.begin, .end = chunk.end, .to = node_id{one.to}});
  }
  std::ranges::sort(moves, {}, [](const chunk_move& one) { return std::pair(one.block, one.begin); });
  return moves;
}

/// Above the subgraphs, tasks have no home and are taken apart first.
plan plan_of(const task_tree& tree, const packing& subgraphs, const std::vector<subgraph_home>& homes) {
  return {tree, [&](tree_node node) -> placement {
            const auto found = std::ranges::lower_bound(subgraphs, node);
            if (found == subgraphs.end() || *found != node)
              return {.domain = any_domain, .pool = pool_class::low, .children = spawn_order::parent_first};
            const subgraph_home& home = homes[static_cast<std::size_t>(found - subgraphs.begin())];
            return {
                .domain = home.domain, .pool = home.pool, .children = spawn_order::child_first, .subtree_root = true};
          }};
}

/// The plan, with what was decided in its explanation.
plan decided(plan made, plan_decision decision, plan_standing standing) {
  plan_explanation why = made.why();
  why.decision = decision;
  made.describe(standing, std::move(why));
  return made;
}

plan without_homes(plan placed, plan_decision why) {
  return decided(std::move(placed), why, {.settled = true});
}

}  // namespace

plan bats_policy::placed(const machine& where) const {
  const weighed_nodes spread =
      weigh_nodes(where, used_.by_bandwidth ? node_weighing::by_bandwidth : node_weighing::equally, node_order_);
  plan made;
  made.place_data(parts_of(spread));
  plan_explanation why{.policy = name(), .decision = plan_decision::only_data};
  if (spread.nodes.size() > 1) why.traffic.bandwidths_known = spread.bandwidths_known;
  tell_parts(where, made.data(), why.traffic);
  made.describe({}, std::move(why));
  return made;
}

plan bats_policy::first(const machine& where, const region_facts&) const {
  plan made = placed(where);
  if (!needs().profile) return without_homes(std::move(made), plan_decision::only_data);
  if (used_.balanced && made.data().nodes.size() > 1) {
    data_parts parts = made.data();
    parts.kept_free = kept_for_hot_chunks;
    made.place_data(std::move(parts));
  }
  return made;
}

plan bats_policy::next(const machine& where, const profile& measured, const plan&) const {
  plan made = placed(where);
  if (used_.balanced) move_hot_chunks(where, measured.gauged(), made);
  if (!made.data().moves.empty() && measured.plain().count() < until_moves_are_judged)
    return decided(std::move(made), plan_decision::moving_data, {.trial = moving_trial});
  if (!used_.located) return without_homes(std::move(made), plan_decision::only_data);
  if (where.domains().size() < 2) return without_homes(std::move(made), plan_decision::one_domain);
  if (measured.locality() == locality_source::nothing)
    return without_homes(std::move(made), plan_decision::nothing_placed);
  return with_homes(where, measured, std::move(made));
}

/// The bandwidths count also where the data were spread evenly.
void bats_policy::move_hot_chunks(const machine& where, const gauging& seen, plan& to) const {
  const weighed_nodes spread = weigh_nodes(where, node_weighing::by_bandwidth, node_order_);
  if (spread.nodes.size() < 2) return;
  to.retell([](plan_explanation& why) { why.traffic.looks_for_heat = true; });
  if (seen.chunks.empty()) return;
  const traffic_balance balanced = balance_traffic(seen.chunks, rooms_of(where, seen, spread));
  const bool pays = misplaced(balanced.before, balanced.wanted) >= least_imbalance;
  data_parts moved = to.data();
  if (pays) moved.moves = moves_of(balanced, seen.chunks);
  if (!moved.moves.empty()) moved.kept_free = kept_for_hot_chunks;
  to.retell([&](plan_explanation& why) {
    why.traffic.chunks = seen.chunks.size();
    why.traffic.moves = moved.moves.size();
    why.traffic.without_room = balanced.without_room;
    why.traffic.heat_before = parts_of_all(balanced.before, spread);
    if (pays) why.traffic.heat_after = parts_of_all(balanced.after, spread);
  });
  to.place_data(std::move(moved));
}

std::vector<subgraph_home> bats_policy::homes_of(const machine& where, const profile& measured,
                                                 const packing& subgraphs, const data_parts& placed) const {
  const auto domains = static_cast<std::uint32_t>(where.domains().size());
  if (measured.locality() == locality_source::counted) return locate(subgraphs, domains, measured.traffic(), rule_);
  return locate(subgraphs, domains, expected_traffic(where, measured, subgraphs, placed), rule_);
}

plan bats_policy::with_homes(const machine& where, const profile& measured, plan placed) const {
  const auto domains = static_cast<std::uint32_t>(where.domains().size());
  const packing subgraphs = subgraphs_of(measured, cores_of_domain(where));
  if (subgraphs.size() < domains) return without_homes(std::move(placed), plan_decision::too_few_tasks);
  const std::vector<subgraph_home> homes = homes_of(where, measured, subgraphs, placed.data());
  const auto open = static_cast<std::uint32_t>(std::ranges::count(homes, false, &subgraph_home::decided));

  plan made = plan_of(measured.tree(), subgraphs, homes);
  made.place_data(placed.data());
  plan_explanation why = placed.why();
  why.decision = open > 0 ? plan_decision::locating : plan_decision::located;
  why.subtrees = static_cast<std::uint32_t>(subgraphs.size());
  for (const subgraph_home& one : homes)
    if (one.decided) ++(one.pool == pool_class::high ? why.traffic.high : why.traffic.weak);
  if (open > 0) {
    made.let_cross(std::vector<bool>(domains, false));
    made.locate();
    const auto round = static_cast<std::uint32_t>(measured.traffic().size() / subgraphs.size());
    made.describe({.trial = trial_id{first_round + round}}, std::move(why));
  } else {
    made.describe({.trial = located_trial, .settled = true}, std::move(why));
  }
  return made;
}

search_order bats_policy::order(const machine& where, phase now) const {
  if (!used_.located || where.domains().size() < 2)
    return random_policy(random_policy::workers::pinned).order(where, now);
  return five_level_order();
}

}  // namespace nearfork
