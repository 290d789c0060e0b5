#include "machine/nodes/page_stripes.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

namespace nearfork {
namespace {

/// Distributes seats by largest remainder (Hamilton's method): no node is a whole seat off its share.
std::vector<std::uint32_t> seats_by_share(std::span<const double> shares, std::uint32_t turns) {
  std::vector<std::uint32_t> seats;
  std::vector<double> rests;
  for (const double share : shares) {
    const double due = share * turns;
    seats.push_back(static_cast<std::uint32_t>(due));
    rests.push_back(due - std::floor(due));
  }
  for (auto left = turns - std::accumulate(seats.begin(), seats.end(), 0U); left > 0; --left) {
    const auto largest = std::ranges::max_element(rests);
    ++seats[static_cast<std::size_t>(largest - rests.begin())];
    *largest = -1;
  }
  return seats;
}

/// True if each share is a whole number of seats, but for what rounding leaves.
bool is_exact(std::span<const double> shares, std::uint32_t turns) {
  constexpr double rounding = 1e-9;
  return std::ranges::all_of(shares, [&](double share) {
    const double due = share * turns;
    return std::abs(due - std::round(due)) < rounding * turns;
  });
}

std::uint32_t turns_for(std::span<const double> shares) {
  const auto most = std::max<std::uint32_t>(128, static_cast<std::uint32_t>(4 * shares.size()));
  for (std::uint32_t turns = 1; turns < most; ++turns)
    if (is_exact(shares, turns)) return turns;
  return most;
}

std::vector<double> shares_of(std::span<const double> weights) {
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::vector<double> shares;
  for (const double weight : weights) shares.push_back(weight / sum);
  return shares;
}

}  // namespace

std::vector<node_id> turns_by_weight(std::span<const node_id> nodes, std::span<const double> weights) {
  assert(nodes.size() == weights.size());
  (void)borders_by_weight(weights);  // throws if a weight is wrong
  const std::vector<double> shares = shares_of(weights);
  const std::uint32_t turns = turns_for(shares);
  std::vector<std::uint32_t> seats = seats_by_share(shares, turns);
  // In each turn every node comes nearer to its next seat by its share. The nearest node takes the turn.
  std::vector<std::int64_t> due(nodes.size(), 0);
  std::vector<node_id> order;
  while (order.size() < turns) {
    for (std::size_t i = 0; i < due.size(); ++i) due[i] += seats[i];
    const auto next = std::ranges::max_element(due);
    *next -= turns;
    order.push_back(nodes[static_cast<std::size_t>(next - due.begin())]);
  }
  return order;
}

std::uint64_t pages_of_stripe(const block_extent& block) noexcept {
  const std::uint64_t units = (block.pages() + block.pages_of_unit - 1) / block.pages_of_unit;
  return std::max<std::uint64_t>(1, (units + most_stripes - 1) / most_stripes) * block.pages_of_unit;
}

void deal_out(page_split& to, const block_extent& block, const page_run& part, std::span<const node_id> turns) {
  const std::uint64_t stripe = pages_of_stripe(block);
  for (std::uint64_t begin = part.begin; begin < part.end;) {
    const std::uint64_t end = std::min(part.end, (begin / stripe + 1) * stripe);
    add_run(to, {begin, end, turns[begin / stripe % turns.size()]});
    begin = end;
  }
}

page_split dealt_out(const page_split& split, const block_extent& block, std::span<const node_turns> turns) {
  page_split made;
  for (const page_run& run : split) {
    const auto shared = std::ranges::find(turns, run.node, &node_turns::of);
    if (shared == turns.end()) append_run(made, run);
    else deal_out(made, block, run, shared->turns);
  }
  return made;
}

}  // namespace nearfork
