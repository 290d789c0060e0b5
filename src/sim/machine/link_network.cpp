#include "sim/machine/link_network.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

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

using neighbour_table = std::vector<std::vector<neighbour>>;  // by seat

constexpr std::uint32_t not_reached = 0xffffffff;

/// By seat: how many links away it is.
std::vector<std::uint32_t> links_from(std::uint32_t start, const neighbour_table& neighbours) {
  std::vector<std::uint32_t> away(neighbours.size(), not_reached);
  away[start] = 0;
  std::vector<std::uint32_t> next{start};
  for (std::size_t i = 0; i < next.size(); ++i)
    for (const neighbour& one : neighbours[next[i]])
      if (away[one.seat] == not_reached) {
        away[one.seat] = away[next[i]] + 1;
        next.push_back(one.seat);
      }
  if (next.size() < neighbours.size())
    throw error("nearfork: no links lead from seat " + std::to_string(start) + " to seat " +
                std::to_string(std::ranges::find(away, not_reached) - away.begin()));
  return away;
}

/// Chooses the routes, and knows how busy each lane is with those chosen so far.
class route_choice {
 public:
  explicit route_choice(const interconnect& between)
      : neighbours_(neighbours_of(between)), busy_ps_(2 * between.links.size()), least_(between.seats) {
    for (const link_model& one : between.links) line_ps_.push_back(std::max<std::uint64_t>(1, one.line_ps));
    for (std::uint32_t seat = 0; seat < between.seats; ++seat) away_.push_back(links_from(seat, neighbours_));
  }

  /// By pair of seats.
  [[nodiscard]] std::vector<std::vector<link_network::lane>> routes() {
    const auto seats = static_cast<std::uint32_t>(neighbours_.size());
    std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>> pairs(seats);  // by links between them
    for (std::uint32_t from = 0; from < seats; ++from)
      for (std::uint32_t to = 0; to < seats; ++to) pairs[away_[from][to]].emplace_back(from, to);
    std::vector<std::vector<link_network::lane>> made(std::size_t{seats} * seats);
    for (const auto& equally_far : pairs)
      for (const auto& [from, to] : equally_far) made[std::size_t{from} * seats + to] = route(from, to);
    return made;
  }

 private:
  [[nodiscard]] std::vector<link_network::lane> route(std::uint32_t from, std::uint32_t to) {
    ++round_;
    (void)least_busy(from, to);
    std::vector<link_network::lane> lanes;
    for (std::uint32_t at = from; at != to;) {
      const neighbour& next = least_[at].by;
      lanes.push_back(next.by);
      busy_ps_[next.by] += line_ps_[next.by / 2];
      at = next.seat;
    }
    return lanes;
  }

  /// How busy the busiest lane of the best route is, if a line of every pair of seats takes its route.
  std::uint64_t least_busy(std::uint32_t from, std::uint32_t to) {
    if (from == to) return 0;
    best_step& best = least_[from];
    if (best.round == round_) return best.busy_ps;
    best.round = round_;
    best.busy_ps = std::numeric_limits<std::uint64_t>::max();
    for (const neighbour& one : neighbours_[from]) {
      if (away_[to][one.seat] + 1 != away_[to][from]) continue;
      const std::uint64_t busy_ps = std::max(busy_ps_[one.by] + line_ps_[one.by / 2], least_busy(one.seat, to));
      const bool as_busy = busy_ps == best.busy_ps && busy_ps_[one.by] < busy_ps_[best.by.by];
      if (busy_ps < best.busy_ps || as_busy) {
        best.busy_ps = busy_ps;
        best.by = one;
      }
    }
    return best.busy_ps;
  }

  struct best_step {
    std::uint64_t round = 0;  // that it was found in
    std::uint64_t busy_ps = 0;
    neighbour by{};
  };

  neighbour_table neighbours_;
  std::vector<std::vector<std::uint32_t>> away_;  // by seat, from seat
  std::vector<std::uint64_t> line_ps_;            // by link
  std::vector<std::uint64_t> busy_ps_;            // by lane
  std::vector<best_step> least_;                  // by seat, to the route's end
  std::uint64_t round_ = 0;
};

}  // namespace

link_network::link_network(const interconnect& between) : seats_(between.seats) {
  if (between.links.empty()) return;
  require_seats(between, between.seat_of_domain);
  require_seats(between, between.seat_of_node);
  for (const link_model& one : between.links) queues_.insert(queues_.end(), 2, memory_queue(one.line_ps));
  demanded_lines_.resize(queues_.size());
  first_lane_.push_back(0);
  for (const std::vector<lane>& one : route_choice(between).routes()) {
    lanes_.insert(lanes_.end(), one.begin(), one.end());
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
