// The links between packages or nodes: which links a line takes, and how long it waits for them.
//
// All lines from one seat to another take the same route: one with the fewest links. Where several routes are shortest,
// those that are chosen share the load evenly, as firmware sets up routing tables: pairs of seats get their routes one
// after the other, near pairs first because they have the least choice, and each pair takes the route whose busiest
// lane is the least busy so far; of equal ones the route whose first lane is, then the one whose seats come first by
// number. Each direction of a link has its own queue, like a memory node (memory_queue.hpp). Requests are short and
// take no time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/machine/machine_model.hpp"
#include "sim/machine/memory_queue.hpp"

namespace nearfork::sim {

class link_network {
 public:
  /// A direction of a link: 2 * the link's number, plus one for the direction from its second end to its first.
  using lane = std::uint32_t;

  /// Throws: nearfork::error if a link ends nowhere, or if there is no route between two seats.
  explicit link_network(const interconnect& between);

  [[nodiscard]] bool empty() const noexcept { return queues_.empty(); }
  [[nodiscard]] std::span<const lane> way(std::uint32_t from, std::uint32_t to) const noexcept {
    const std::size_t pair = std::size_t{from} * seats_ + to;
    return {lanes_.data() + first_lane_[pair], lanes_.data() + first_lane_[pair + 1]};
  }

  /// Lines, at least one, go from one seat to another. The demand on the links is kept until serve().
  void carry(std::uint32_t from, std::uint32_t to, std::uint32_t lines = 1) {
    for (const lane one : way(from, to)) {
      if (demanded_lines_[one] == 0) demanded_.push_back(one);
      demanded_lines_[one] += lines;
    }
  }
  /// Serves all demand since the last call, as of `now_ps`. Returns when the last link is done. A line is on all links
  /// of its route at the same time: the time that a single line takes is in the latency of memory.
  [[nodiscard]] std::uint64_t serve(std::uint64_t now_ps);

  /// How many lines the links carried. A line counts once for each link of its route.
  [[nodiscard]] std::uint64_t carried() const noexcept { return carried_; }

 private:
  std::uint32_t seats_;
  std::vector<std::uint32_t> first_lane_;  // by pair of seats, and one more
  std::vector<lane> lanes_;
  std::vector<memory_queue> queues_;           // by lane
  std::vector<std::uint64_t> demanded_lines_;  // by lane
  std::vector<lane> demanded_;
  std::uint64_t carried_ = 0;
};

}  // namespace nearfork::sim
