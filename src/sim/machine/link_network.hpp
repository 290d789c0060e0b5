// The links between packages or nodes: which ones a line takes, and how long it waits for them.
//
// Every line takes the same way from one seat to another: the shortest, in links; of several that are, the one whose seats
// come first by number. Each way of a link is a queue of its own, as a memory node is (memory_queue.hpp); requests, which
// are short, take no time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/machine/machine_model.hpp"
#include "sim/machine/memory_queue.hpp"

namespace nearfork::sim {

class link_network {
 public:
  /// A direction of a link: 2 * its number, and one more against the order in which its ends are given.
  using lane = std::uint32_t;

  /// Throws nearfork::error if a link ends nowhere, or if there is no way from some seat to another.
  explicit link_network(const interconnect& between);

  [[nodiscard]] bool empty() const noexcept { return queues_.empty(); }
  [[nodiscard]] std::span<const lane> way(std::uint32_t from, std::uint32_t to) const noexcept {
    const std::size_t pair = std::size_t{from} * seats_ + to;
    return {lanes_.data() + first_lane_[pair], lanes_.data() + first_lane_[pair + 1]};
  }

  /// A line goes from a seat to another. What that demands of links is kept until serve().
  void carry(std::uint32_t from, std::uint32_t to) {
    for (const lane one : way(from, to))
      if (demanded_lines_[one]++ == 0) demanded_.push_back(one);
  }
  /// All that was demanded since the last call, as of `now_ps`; when the last link is done with it. A line is on all links
  /// of its way at once: what a single one takes for its way is in the latency of memory.
  [[nodiscard]] std::uint64_t serve(std::uint64_t now_ps);

  /// Lines that took any link, once for each.
  [[nodiscard]] std::uint64_t carried() const noexcept { return carried_; }

 private:
  void find_ways_from(std::uint32_t seat, const interconnect& between);

  std::uint32_t seats_;
  std::vector<std::uint32_t> first_lane_;  // by pair of seats, and one more
  std::vector<lane> lanes_;
  std::vector<memory_queue> queues_;           // by lane
  std::vector<std::uint64_t> demanded_lines_;  // by lane
  std::vector<lane> demanded_;
  std::uint64_t carried_ = 0;
};

}  // namespace nearfork::sim
