#include "sim/machine/link_network.hpp"

#include <algorithm>
#include <string>

#include <nearfork/error.hpp>

namespace nearfork::sim {
namespace {

struct neighbour {
  std::uint32_t seat;
  link_network::lane by;
};

/// By seat: its neighbours in the order of their numbers.
std::vector<std::vector<neighbour>> neighbours_of(const interconnect& between) {
  std::vector<std::vector<neighbour>> of_seat(between.seats);
  for (std::uint32_t i = 0; i < between.links.size(); ++i) {
    const link_model& one = between.links[i];
    if (one.one >= between.seats || one.other >= between.seats || one.one == one.other)
      throw error("nearfork: link " + std::to_string(one.one) + "-" + std::to_string(one.other) +
                  " does not lie between two of the " + std::to_string(between.seats) + " seats");
    of_seat[one.one].push_back({one.other, 2 * i});
    of_seat[one.other].push_back({one.one, 2 * i + 1});
  }
  for (auto& all : of_seat)
    std::stable_sort(all.begin(), all.end(), [](neighbour a, neighbour b) { return a.seat < b.seat; });
  return of_seat;
}

void require_seats(const interconnect& between, const std::vector<std::uint32_t>& seats) {
  for (const std::uint32_t seat : seats)
    if (seat >= between.seats)
      throw error("nearfork: there is no seat " + std::to_string(seat) + " among the " + std::to_string(between.seats) +
                  " that links lie between");
}

/// By seat: the neighbour from which it was first reached, and the lane.
std::vector<neighbour> reached_from(std::uint32_t start, const std::vector<std::vector<neighbour>>& neighbours) {
  constexpr neighbour not_yet{0xffffffff, 0};
  std::vector<neighbour> reached(neighbours.size(), not_yet);
  reached[start] = {start, 0};
  std::vector<std::uint32_t> next{start};
  for (std::size_t i = 0; i < next.size(); ++i)
    for (const neighbour& one : neighbours[next[i]])
      if (reached[one.seat].seat == not_yet.seat) {
        reached[one.seat] = {next[i], one.by};
        next.push_back(one.seat);
      }
  if (next.size() < neighbours.size()) {
    const auto lost = std::ranges::find(reached, not_yet.seat, &neighbour::seat) - reached.begin();
    throw error("nearfork: no links lead from seat " + std::to_string(start) + " to seat " + std::to_string(lost));
  }
  return reached;
}

}  // namespace

link_network::link_network(const interconnect& between) : seats_(between.seats) {
  if (between.links.empty()) return;
  require_seats(between, between.seat_of_domain);
  require_seats(between, between.seat_of_node);
  for (const link_model& one : between.links) queues_.insert(queues_.end(), 2, memory_queue(one.line_ps));
  demanded_lines_.resize(queues_.size());
  first_lane_.push_back(0);
  for (std::uint32_t seat = 0; seat < seats_; ++seat) find_ways_from(seat, between);
}

void link_network::find_ways_from(std::uint32_t seat, const interconnect& between) {
  const std::vector<neighbour> reached = reached_from(seat, neighbours_of(between));
  for (std::uint32_t to = 0; to < seats_; ++to) {
    const auto before = static_cast<std::ptrdiff_t>(lanes_.size());
    for (std::uint32_t at = to; at != seat; at = reached[at].seat) lanes_.push_back(reached[at].by);
    std::reverse(lanes_.begin() + before, lanes_.end());
    first_lane_.push_back(static_cast<std::uint32_t>(lanes_.size()));
  }
}

std::uint64_t link_network::serve(std::uint64_t now_ps) {
  std::uint64_t done_ps = now_ps;
  for (const lane one : demanded_) {
    done_ps = std::max(done_ps, queues_[one].serve(now_ps, demanded_lines_[one]));
    carried_ += demanded_lines_[one];
    demanded_lines_[one] = 0;
  }
  demanded_.clear();
  return done_ps;
}

}  // namespace nearfork::sim
