#include "plan/clocks/power_slack.hpp"

#include <algorithm>
#include <cmath>

namespace nearfork {
namespace {

double cubed(double value) noexcept {
  return value * value * value;
}

/// Equation 2.
double slack_of(std::span<const kind_load> kinds) noexcept {
  double slack = 0;
  for (const kind_load& kind : kinds)
    slack +=
        kind.waiting * (power_at(kind.clocks, kind.clocks.normal_ghz) - power_at(kind.clocks, kind.clocks.least_ghz));
  return slack;
}

/// How much more a core of the kind can draw than at its normal clock.
double room_of(const clock_range& clocks) noexcept {
  return power_at(clocks, clocks.most_ghz) - power_at(clocks, clocks.normal_ghz);
}

/// What each working core gets on top of its power at the normal clock. Kinds with the least room are filled first, so
/// one pass shares out everything.
std::vector<double> shares_of(std::span<const kind_load> kinds, double slack) {
  std::vector<std::size_t> by_room(kinds.size());
  for (std::size_t i = 0; i < by_room.size(); ++i) by_room[i] = i;
  std::stable_sort(by_room.begin(), by_room.end(),
                   [&](std::size_t a, std::size_t b) { return room_of(kinds[a].clocks) < room_of(kinds[b].clocks); });
  std::uint32_t sharers = 0;
  for (const kind_load& kind : kinds) sharers += kind.working();
  std::vector<double> shares(kinds.size(), 0);
  for (const std::size_t i : by_room) {
    const std::uint32_t working = kinds[i].working();
    if (working == 0) continue;
    shares[i] = std::min(slack / sharers, room_of(kinds[i].clocks));
    slack -= shares[i] * working;
    sharers -= working;
  }
  return shares;
}

}  // namespace

std::vector<double> clocks_by_slack(std::span<const kind_load> kinds) {
  const double slack = slack_of(kinds);
  std::vector<double> clocks;
  const std::vector<double> shares = slack > 0 ? shares_of(kinds, slack) : std::vector<double>(kinds.size(), 0);
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const clock_range& can = kinds[i].clocks;
    if (shares[i] <= 0) clocks.push_back(can.normal_ghz);
    else if (shares[i] >= room_of(can)) clocks.push_back(can.most_ghz);
    else clocks.push_back(std::cbrt(cubed(can.normal_ghz) + shares[i] / can.lambda));
  }
  return clocks;
}

}  // namespace nearfork
