#include "plan/traffic/traffic_balance.hpp"

#include <algorithm>
#include <numeric>

namespace nearfork {
namespace {

class balancing {
 public:
  balancing(std::span<const data_chunk> chunks, std::span<const node_room_left> nodes)
      : chunks_(chunks), chunks_of_(nodes.size()), is_moved_(chunks.size(), false) {
    for (const node_room_left& one : nodes) free_.push_back(one.free_pages);
    made_.before.assign(nodes.size(), 0);
    for (std::uint32_t i = 0; i < chunks.size(); ++i) {
      const auto node = index_of_id(chunks[i].node);
      chunks_of_[node].push_back(i);
      made_.before[node] += chunks[i].heat;
    }
    for (std::vector<std::uint32_t>& one : chunks_of_)
      std::ranges::stable_sort(one, std::ranges::greater{}, [&](std::uint32_t i) { return chunks_[i].heat; });
    made_.after = made_.before;
    share_out(nodes);
  }

  traffic_balance done() && {
    std::vector<std::uint32_t> order(made_.after.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::stable_sort(order, std::ranges::greater{}, [this](std::uint32_t node) { return excess(node); });
    const auto first_lacking = std::ranges::find_if(order, [this](std::uint32_t node) { return excess(node) <= 0; });
    const std::span<const std::uint32_t> giving(order.begin(), first_lacking);
    for (auto taker = order.end(); taker != first_lacking;) {
      --taker;
      for (const std::uint32_t giver : giving) give(giver, *taker);
    }
    return std::move(made_);
  }

 private:
  void share_out(std::span<const node_room_left> nodes) {
    double heat = 0;
    double bandwidth = 0;
    for (const double one : made_.before) heat += one;
    for (const node_room_left& one : nodes) bandwidth += one.bandwidth;
    for (const node_room_left& one : nodes)
      made_.wanted.push_back(bandwidth > 0 ? heat * one.bandwidth / bandwidth : 0);
  }

  [[nodiscard]] double excess(std::uint32_t node) const { return made_.after[node] - made_.wanted[node]; }

  /// Chunks are looked at from the hottest to the coolest; what does not fit once never fits later.
  void give(std::uint32_t giver, std::uint32_t taker) {
    // Sums of many heats are not exact, and a fit may be.
    const double about_nothing = 1e-9 * (made_.wanted[giver] + made_.wanted[taker]);
    for (const std::uint32_t i : chunks_of_[giver]) {
      const double most = std::min(excess(giver), -excess(taker)) + about_nothing;
      if (most <= about_nothing) return;
      const data_chunk& one = chunks_[i];
      if (is_moved_[i] || one.heat > most || one.heat <= 0) continue;
      if (one.end - one.begin > free_[taker]) {
        ++made_.without_room;
        continue;
      }
      move(i, giver, taker);
    }
  }

  void move(std::uint32_t chunk, std::uint32_t giver, std::uint32_t taker) {
    const data_chunk& one = chunks_[chunk];
    is_moved_[chunk] = true;
    made_.after[giver] -= one.heat;
    made_.after[taker] += one.heat;
    free_[giver] += one.end - one.begin;
    free_[taker] -= one.end - one.begin;
    made_.moves.push_back({.chunk = chunk, .to = taker});
  }

  std::span<const data_chunk> chunks_;
  std::vector<std::vector<std::uint32_t>> chunks_of_;  // by node, the hottest first
  std::vector<bool> is_moved_;
  std::vector<std::uint64_t> free_;
  traffic_balance made_{};
};

}  // namespace

traffic_balance balance_traffic(std::span<const data_chunk> chunks, std::span<const node_room_left> nodes) {
  return balancing(chunks, nodes).done();
}

}  // namespace nearfork
